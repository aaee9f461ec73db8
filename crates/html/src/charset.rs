//! Which encoding a page is in.
//!
//! Strongest evidence first: a byte order mark, then the header, then what the page says of
//! itself. Where nobody says anything the bytes are asked: most of the web is UTF-8, and text that
//! is valid UTF-8 by chance hardly exists; the rest is guessed from letter frequencies with the
//! site's top-level domain as a hint. A label nobody knows counts as none.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::prescan::declared_encoding;

/// How much text the guess looks at, from the first byte that is not ASCII: enough to be sure,
/// and a bound for pages of many megabytes.
const GUESSED_FROM: usize = 64 * 1024;

/// An encoding, and how it was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    /// The encoding the page is to be read in.
    pub encoding: &'static Encoding,
    /// What decided it.
    pub source: CharsetSource,
}

/// What decided a page's encoding, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CharsetSource {
    /// A byte order mark.
    Bom,
    /// The `Content-Type` header.
    Header,
    /// A `meta` element or an XML declaration.
    Meta,
    /// The bytes themselves.
    Detected,
    /// Nothing: the bytes fit no guess, and windows-1252 reads anything.
    Fallback,
}

/// Decides a page's encoding.
///
/// `header_label` is the charset of the `Content-Type` header (see [`crate::charset_label`]).
/// `tld` is the site's top-level domain in lower-case ASCII without a dot, a hint for the guess;
/// one of another shape is not used.
pub fn charset(body: &[u8], header_label: Option<&str>, tld: Option<&str>) -> Charset {
    let decided = |encoding, source| Charset { encoding, source };
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return decided(encoding, CharsetSource::Bom);
    }
    let header = header_label.and_then(|label| Encoding::for_label(label.as_bytes()));
    if let Some(encoding) = header {
        return decided(encoding, CharsetSource::Header);
    }
    if let Some(encoding) = declared_encoding(body) {
        return decided(encoding, CharsetSource::Meta);
    }
    match detected(body, tld) {
        Some(encoding) => decided(encoding, CharsetSource::Detected),
        None => decided(WINDOWS_1252, CharsetSource::Fallback),
    }
}

fn detected(body: &[u8], tld: Option<&str>) -> Option<&'static Encoding> {
    let valid = Encoding::utf8_valid_up_to(body);
    // a page cut off by a size limit may end inside a character
    let is_utf8 = body.len() - valid < 4
        && str::from_utf8(&body[valid..])
            .map_or_else(|error| error.error_len().is_none(), |_| true);
    if is_utf8 {
        return Some(UTF_8);
    }
    let start = Encoding::ascii_valid_up_to(body);
    // some context before the first foreign byte: the detector weighs it
    let start = start.saturating_sub(16);
    let sample = &body[start..body.len().min(start + GUESSED_FROM)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    let encoding = detector.guess(tld.map(str::as_bytes).filter(is_label), Utf8Detection::Deny);
    let fits = encoding
        .decode_without_bom_handling_and_without_replacement(sample)
        .is_some();
    // the sample's end may cut a character in two, which is no sign of a wrong guess
    let cut = start + GUESSED_FROM < body.len() && !encoding.is_single_byte();
    (fits || cut).then_some(encoding)
}

/// Whether the detector takes it: it panics on what cannot be a top-level domain.
fn is_label(tld: &&[u8]) -> bool {
    tld.iter()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase() && *byte != b'.')
}
