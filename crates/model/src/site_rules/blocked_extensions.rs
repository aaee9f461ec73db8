//! Files that are not pages.

/// Extensions of files that are not pages: lower case, without the dot. The service's default for
/// `crawl.block_binary_extensions`.
pub const BLOCKED_EXTENSIONS: [&str; 44] = [
    "7z", "apk", "avi", "avif", "bin", "bmp", "bz2", "dmg", "doc", "docx", "eot", "exe", "flac",
    "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg", "m4a", "mkv", "mov", "mp3", "mp4", "mpeg",
    "msi", "ogg", "otf", "pdf", "png", "ppt", "pptx", "rar", "tar", "tif", "tiff", "ttf", "wav",
    "webm", "webp", "woff", "woff2", "zip",
];
