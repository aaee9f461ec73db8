//! Pages in other encodings. Each has one non-ASCII link whose target exists only if the link is decoded correctly.

use super::case::{Case, ONE_LINK, fixed};
use crate::SiteResponse;

pub(super) fn cases() -> Vec<Case> {
    let latin = |charset| (charset, link(b"caf\xe9"));
    vec![
        page("charset-header", "the label in the header", latin("text/html; charset=ISO-8859-1"))
            .expects_page("caf%C3%A9"),
        page("charset-quoted", "the label in quotes", latin("text/html; charset=\"windows-1252\""))
            .expects_page("caf%C3%A9"),
        page(
            "charset-meta",
            "the label in the page",
            ("text/html", [&b"<meta charset=shift_jis>"[..], &link(b"\x93\xfa\x96\x7b")].concat()),
        )
        .expects_page("%E6%97%A5%E6%9C%AC"),
        page(
            "charset-meta-old",
            "the label in the page, in its old form",
            (
                "text/html",
                [
                    &b"<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>"[..],
                    &link(b"\xe4\xe0"),
                ]
                .concat(),
            ),
        )
        .expects_page("%D0%B4%D0%B0"),
        page(
            "charset-utf-16-le",
            "a byte order mark says UTF-16",
            ("text/html", utf16("\u{feff}", u16::to_le_bytes)),
        )
        .expects_page("caf%C3%A9"),
        page(
            "charset-utf-16-be",
            "the other byte order",
            ("text/html", utf16("\u{feff}", u16::to_be_bytes)),
        )
        .expects_page("caf%C3%A9"),
        page(
            "charset-mark-wins",
            "a byte order mark against the header: the mark wins",
            (
                "text/html; charset=iso-8859-1",
                [&b"\xef\xbb\xbf"[..], &link("café".as_bytes())].concat(),
            ),
        )
        .expects_page("caf%C3%A9"),
        page("charset-wrong", "labeled UTF-8 but not valid: a replacement character", latin("text/html; charset=utf-8"))
            .expects_page("caf%EF%BF%BD"),
        page("charset-unknown", "an unknown label", ("text/html; charset=klingon-8", link(b"plain")))
            .expects_page("plain"),
        page(
            "charset-invalid",
            "invalid UTF-8 around a valid link",
            (
                "text/html; charset=utf-8",
                [&b"<p>\xff\xfe\xc0\x80\xed\xa0\x80"[..], &link("é".as_bytes()), b"\xf5\x80"].concat(),
            ),
        )
        .expects_page("%C3%A9"),
        page(
            "charset-nul",
            "NUL characters in the text are dropped",
            ("text/html; charset=utf-8", [&b"<p>a\0b\0</p>\0"[..], &link(b"plain"), b"\0"].concat()),
        )
        .expects_page("plain"),
    ]
}

fn page(
    name: &'static str,
    why: &'static str,
    (content_type, body): (&'static str, Vec<u8>),
) -> Case {
    fixed(
        name,
        ONE_LINK,
        why,
        SiteResponse::new(200, content_type, body),
    )
}

/// A relative link, in raw bytes.
fn link(target: &[u8]) -> Vec<u8> {
    [b"<title>page</title><a href=\"", target, b"\">link</a>"].concat()
}

fn utf16(bom: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = format!("{bom}<!doctype html><title>page</title><a href=\"café\">link</a>");
    text.encode_utf16().flat_map(order).collect()
}
