//! Entry point of the link scanner.
//!
//! Decides which bytes are scanned. UTF-8 and the single-byte encodings leave every ASCII byte as it is, so
//! such a page is scanned in place and only values are decoded. In any other encoding a `<` byte may be half
//! of another character; such a page is converted to UTF-8 first.

use encoding_rs::{Encoding, UTF_8};
use memchr::memmem;

use crate::attributes::is_space;
use crate::scanner::Scanner;

/// A link or base found on a page. Events come in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanEvent<'a> {
    /// The `href` of a `base` element. If there are several, the caller decides which one counts.
    Base(&'a str),
    /// An `a` element with an `href`.
    Link(Link<'a>),
}

/// An `a` element with an `href`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link<'a> {
    /// The attribute's value, decoded but neither trimmed nor resolved; may be empty.
    pub href: &'a str,
    /// Whether `rel` contains the token `nofollow`.
    pub nofollow: bool,
    /// Whether there is a `download` attribute.
    pub download: bool,
}

/// Scans a page and calls `each` for every `a[href]` and `base[href]` in document order.
///
/// `each` is called while the page is read, so memory stays constant however many links there are, except on
/// the rare page with markup that only a tree can interpret. The content of `template` is inert and not
/// reported; that of `noscript` is.
///
/// Returns false if links may be missing or wrong: the page needs a tree, and the tree had to be cut short.
pub fn scan_links(
    body: &[u8],
    encoding: &'static Encoding,
    mut each: impl FnMut(ScanEvent<'_>),
) -> bool {
    if encoding == UTF_8 {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        Scanner::new(body, encoding, &mut each).run()
    } else if encoding.is_single_byte() {
        Scanner::new(body, encoding, &mut each).run()
    } else {
        let (text, _) = encoding.decode_with_bom_removal(body);
        Scanner::new(text.as_bytes(), UTF_8, &mut each).run()
    }
}

/// Whether the bytes may contain a `frameset` element. Errs on the side of yes: one inside a comment counts.
pub(crate) fn has_frameset(bytes: &[u8]) -> bool {
    [b"<f", b"<F"].into_iter().any(|start| {
        memmem::find_iter(bytes, start)
            .any(|at| matches_name(b"frameset", bytes[at + 1..].iter().copied()))
    })
}

/// Whether the letters are `name`, followed by something that ends a tag name.
fn matches_name(name: &[u8], mut letters: impl Iterator<Item = u8>) -> bool {
    let name = name.iter().all(|wanted| {
        letters
            .next()
            .is_some_and(|letter| letter.eq_ignore_ascii_case(wanted))
    });
    name && letters
        .next()
        .is_some_and(|end| is_space(end) || matches!(end, b'/' | b'>'))
}
