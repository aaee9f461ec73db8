//! Serves a folder of files, for example generated documentation.

use std::path::{Component, Path, PathBuf};

use crate::{Request, Site, SiteResponse};

/// Serves the files in a folder. A subfolder without a trailing slash redirects to the URL with one, which serves its
/// `index.html`.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Creates a site from a folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the file for a request path; `None` if it is outside the folder.
    fn locate(&self, path: &str) -> Option<PathBuf> {
        let decoded = decode(path);
        let relative = Path::new(decoded.trim_start_matches('/'));
        let inside = relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        inside.then(|| self.root.join(relative))
    }
}

impl Site for Folder {
    fn respond(&self, request: &Request) -> SiteResponse {
        let Some(mut file) = self.locate(request.path()) else {
            return SiteResponse::status(404);
        };
        if file.is_dir() {
            if !request.path().ends_with('/') {
                return SiteResponse::redirect(301, &format!("{}/", request.path()));
            }
            file.push("index.html");
        }
        match std::fs::read(&file) {
            Ok(body) => SiteResponse::new(200, content_type(&file), body),
            Err(_) => SiteResponse::status(404),
        }
    }
}

fn decode(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let hex = path.get(index + 1..index + 3);
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if bytes[index] == b'%' => {
                decoded.push(byte);
                index += 3;
            }
            _ => {
                decoded.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn content_type(file: &Path) -> &'static str {
    match file
        .extension()
        .and_then(|end| end.to_str())
        .unwrap_or_default()
    {
        "html" | "htm" => "text/html; charset=utf-8",
        "xhtml" => "application/xhtml+xml",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "xml" => "application/xml",
        "txt" | "md" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "pdf" => "application/pdf",
        "gz" => "application/gzip",
        _ => "application/octet-stream",
    }
}
