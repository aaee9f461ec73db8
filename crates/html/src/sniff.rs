//! Detects HTML in bytes of undeclared type.
//!
//! Uses the patterns of the MIME sniffing standard: white space, one of a few tags, and a byte that ends a
//! tag. Two cases that crawls encounter are added: a byte order mark, and an XML declaration before an HTML
//! document.

use encoding_rs::{Encoding, UTF_8};

use crate::attributes::is_space;

/// Number of bytes to look at.
const WINDOW: usize = 1024;

/// What an HTML page may start with.
const PATTERNS: [&[u8]; 17] = [
    b"<!DOCTYPE HTML",
    b"<HTML",
    b"<HEAD",
    b"<SCRIPT",
    b"<IFRAME",
    b"<H1",
    b"<DIV",
    b"<FONT",
    b"<TABLE",
    b"<A",
    b"<STYLE",
    b"<TITLE",
    b"<B",
    b"<BODY",
    b"<BR",
    b"<P",
    b"<!--",
];

/// Whether the body of a response without a content type starts like an HTML page.
pub fn looks_like_html(first_bytes: &[u8]) -> bool {
    let window = &first_bytes[..first_bytes.len().min(WINDOW)];
    match Encoding::for_bom(window) {
        None => starts_html(window),
        Some((encoding, mark)) if encoding == UTF_8 => starts_html(&window[mark..]),
        Some((encoding, mark)) => {
            let (text, _) = encoding.decode_without_bom_handling(&window[mark..]);
            starts_html(text.as_bytes())
        }
    }
}

fn starts_html(window: &[u8]) -> bool {
    let text = skip_space(window);
    if let Some(declaration) = text.strip_prefix(b"<?xml") {
        return is_html_after(declaration);
    }
    // Only a space or `>`: the standard is strict because the decision rests on a few bytes.
    PATTERNS.iter().any(|pattern| {
        matches!(
            strip_prefix_ignoring_case(text, pattern),
            Some([b' ' | b'>', ..])
        )
    })
}

/// Whether an XML declaration, with any processing instructions and comments after it, is followed by an HTML
/// document.
fn is_html_after(declaration: &[u8]) -> bool {
    let mut rest = declaration;
    let mut end: &[u8] = b"?>";
    loop {
        let Some(at) = memchr::memmem::find(rest, end) else {
            return false;
        };
        rest = skip_space(&rest[at + end.len()..]);
        end = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            _ => break,
        };
    }
    [b"<!DOCTYPE HTML".as_slice(), b"<HTML"]
        .iter()
        .any(|pattern| {
            strip_prefix_ignoring_case(rest, pattern)
                .and_then(<[u8]>::first)
                .is_some_and(|byte| *byte == b'>' || is_space(*byte))
        })
}

/// The rest of `text` after `pattern`, compared without regard to case.
fn strip_prefix_ignoring_case<'a>(text: &'a [u8], pattern: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = text.split_at_checked(pattern.len())?;
    start.eq_ignore_ascii_case(pattern).then_some(rest)
}

fn skip_space(text: &[u8]) -> &[u8] {
    let start = text
        .iter()
        .position(|byte| !is_space(*byte))
        .unwrap_or(text.len());
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::{PATTERNS, looks_like_html};

    #[test]
    fn every_pattern_with_its_end() {
        for pattern in PATTERNS {
            let pattern = String::from_utf8(pattern.to_vec()).unwrap();
            for written in [pattern.clone(), pattern.to_lowercase()] {
                for end in [" ", ">"] {
                    let page = format!("\t\n\x0C\r {written}{end}");
                    assert!(looks_like_html(page.as_bytes()), "{page:?}");
                }
                for end in ["", "x", "\0"] {
                    let page = format!("{written}{end}");
                    assert!(!looks_like_html(page.as_bytes()), "{page:?}");
                }
            }
        }
    }

    #[test]
    fn other_starts() {
        let table: [(&[u8], bool); 14] = [
            (b"\xEF\xBB\xBF <html>", true),
            (b"\xFF\xFE<\0h\0t\0m\0l\0>\0", true),
            (b"\xFE\xFF\0<\0p\0>", true),
            (b"\xFF\xFE<\0h", false),
            (b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC>", true),
            (
                b"<?xml version='1.0'?><!-- a --><?b c?><html\nlang=en>",
                true,
            ),
            (b"<?xml version='1.0'?><rss>", false),
            (b"<?xml version='1.0'?><!DOCTYPE svg>", false),
            (b"<?xml version='1.0'", false),
            (b"", false),
            (b"   ", false),
            (b"hello <html>", false),
            (b"%PDF-1.7", false),
            (b"{\"a\": \"<p>\"}", false),
        ];
        for (bytes, expected) in table {
            assert_eq!(
                looks_like_html(bytes),
                expected,
                "{:?}",
                String::from_utf8_lossy(bytes)
            );
        }
    }
}
