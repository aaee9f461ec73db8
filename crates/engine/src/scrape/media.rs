//! Classifies a body by its content type and its first bytes.

use crawler_fetch::{Body, Fetched};
use crawler_model::site_rules::has_body;

/// The kind of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Media {
    /// HTML.
    Html,
    /// JSON.
    Json,
    /// Plain text, or other text that is not converted.
    Text,
    /// Not text, with a description such as `a PDF document`.
    Other(String),
}

/// Magic numbers of formats that are not text.
const MAGIC: [(&[u8], &str); 13] = [
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"ID3", "an audio file"),
    (b"OggS", "an audio or video file"),
    (b"\x7fELF", "a program"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
];
/// Number of bytes searched for control characters.
const TEXT_CHECK_BYTES: usize = 1_024;

impl Media {
    /// Classifies the body of a response.
    pub(super) fn of(fetched: &Fetched) -> Self {
        let essence = essence(fetched.content_type.as_deref());
        let (Body::Html(body) | Body::File(body)) = &fetched.body else {
            // A status that has no body is an empty page, whatever its type.
            return if has_body(fetched.status) {
                Self::Other(describe(&essence))
            } else {
                Self::Text
            };
        };
        if let Some(what) = by_first_bytes(body) {
            return Self::Other(what.to_owned());
        }
        if matches!(fetched.body, Body::Html(_)) {
            return Self::Html;
        }
        let is_utf16 = matches!(&body[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
            || fetched
                .content_type
                .as_deref()
                .and_then(crawler_html::charset_label)
                .is_some_and(|label| label.to_ascii_lowercase().contains("utf-16"));
        if !is_utf16 && body[..body.len().min(TEXT_CHECK_BYTES)].contains(&0) {
            return Self::Other("binary data".to_owned());
        }
        if essence.ends_with("json") || essence.ends_with("jsonl") {
            return Self::Json;
        }
        Self::Text
    }
}

fn by_first_bytes(body: &[u8]) -> Option<&'static str> {
    let (magic, what) = MAGIC.iter().find(|(magic, _)| body.starts_with(magic))?;
    // Text may begin with the letters of a magic number, but it has no control characters.
    let is_text = magic.iter().all(u8::is_ascii_graphic)
        && *magic != b"%PDF-"
        && !body[..body.len().min(TEXT_CHECK_BYTES)]
            .iter()
            .any(|byte| *byte < b'\t');
    (!is_text).then_some(what)
}

/// Returns a content type without its parameters, in lower case.
fn essence(content_type: Option<&str>) -> String {
    content_type
        .and_then(|text| text.split([';', ',']).next())
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Describes a content type.
fn describe(essence: &str) -> String {
    let (family, kind) = essence.split_once('/').unwrap_or((essence, ""));
    let message = match (family, kind) {
        ("application", "pdf") => "a PDF document",
        ("image", _) => "an image",
        ("audio", _) => "an audio file",
        ("video", _) => "a video",
        ("font", _) => "a font",
        ("text", "css") => "a style sheet",
        (_, "javascript" | "x-javascript" | "ecmascript") => "a script",
        ("application", "zip" | "gzip" | "x-gzip" | "x-tar" | "x-7z-compressed") => "an archive",
        ("application", "octet-stream") => "binary data",
        ("application", "msword") => "a Word document",
        (_, kind) if kind.contains("wordprocessingml") => "a Word document",
        (_, kind) if kind.contains("spreadsheetml") || kind.contains("ms-excel") => "a spreadsheet",
        (_, kind) if kind.contains("presentationml") || kind.contains("ms-powerpoint") => {
            "a presentation"
        }
        (_, "xml") => "an XML document",
        (_, kind) if kind.ends_with("+xml") => "an XML document",
        _ => "not a page",
    };
    message.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawler_fetch::fake;

    fn media(content_type: Option<&str>, body: Body) -> Media {
        let mut fetched = fake::status(200);
        fetched.content_type = content_type.map(str::to_owned);
        fetched.body = body;
        Media::of(&fetched)
    }

    #[test]
    fn types_and_first_bytes() {
        let html = |bytes: &[u8]| Body::Html(bytes.to_vec().into());
        let file = |bytes: &[u8]| Body::File(bytes.to_vec().into());
        let other = |message: &str| Media::Other(message.to_owned());
        for (content_type, body, expected) in [
            (Some("text/html"), html(b"<p>"), Media::Html),
            (
                Some("text/html"),
                html(b"%PDF-1.7"),
                other("a PDF document"),
            ),
            (Some("text/plain"), file(b"hello"), Media::Text),
            (
                Some("text/plain"),
                file(b"ID3 is an algorithm"),
                Media::Text,
            ),
            (
                Some("text/plain"),
                file(b"ID3\x04\0"),
                other("an audio file"),
            ),
            (Some("text/plain"), file(b""), Media::Text),
            (
                Some("text/plain"),
                file(b"\x89PNG\r\n\x1a\n"),
                other("a PNG image"),
            ),
            (Some("text/plain"), file(b"a\0b"), other("binary data")),
            (Some("text/plain"), file(b"\xff\xfea\0"), Media::Text),
            (
                Some("text/plain; charset=utf-16le"),
                file(b"a\0"),
                Media::Text,
            ),
            (
                Some("application/json; charset=utf-8"),
                file(b"{}"),
                Media::Json,
            ),
            (Some("application/ld+json"), file(b"{}"), Media::Json),
            (Some("application/x-ndjson"), file(b"{}"), Media::Json),
            (None, file(b"plain"), Media::Text),
            (
                Some("application/pdf"),
                Body::Unread,
                other("a PDF document"),
            ),
            (Some("IMAGE/webp"), Body::Unread, other("an image")),
            (
                Some("application/rss+xml"),
                Body::Unread,
                other("an XML document"),
            ),
            (Some("model/stl"), Body::Unread, other("not a page")),
        ] {
            assert_eq!(media(content_type, body), expected, "{content_type:?}");
        }
    }
}
