//! Decides a page's encoding.
//!
//! Evidence in order of strength: a byte order mark, the `Content-Type` header, then the page's own
//! declaration. Without any of these the bytes decide: most of the web is UTF-8, and other text is hardly ever
//! valid UTF-8 by accident. The rest is guessed from letter frequencies, with the site's top-level domain as a
//! hint. An unknown label counts as no label.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::prescan::declared_encoding;

/// Number of bytes the detector reads, starting near the first non-ASCII byte: enough for a reliable guess,
/// and a bound for very large pages.
const MAX_SAMPLE: usize = 64 * 1024;

/// An encoding and the evidence for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    /// The encoding to decode the page with.
    pub encoding: &'static Encoding,
    /// The evidence that decided it.
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
    /// The bytes of the page.
    Detected,
    /// No evidence: no guess fits the bytes, and windows-1252 can decode anything.
    Fallback,
}

/// Decides a page's encoding.
///
/// `header_label` is the charset of the `Content-Type` header (see [`crate::charset_label`]). `tld` is the
/// site's top-level domain in lower-case ASCII without a dot, a hint for the guess; a value of any other form
/// is ignored.
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
    // A page cut off by a size limit may end inside a character.
    let is_utf8 = body.len() - valid < 4
        && str::from_utf8(&body[valid..])
            .map_or_else(|error| error.error_len().is_none(), |_| true);
    if is_utf8 {
        return Some(UTF_8);
    }
    let start = Encoding::ascii_valid_up_to(body);
    // Keep some context before the first non-ASCII byte: the detector uses it.
    let start = start.saturating_sub(16);
    let sample = &body[start..body.len().min(start + MAX_SAMPLE)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    let encoding = detector.guess(
        tld.map(str::as_bytes).filter(is_valid_tld),
        Utf8Detection::Deny,
    );
    let fits = encoding
        .decode_without_bom_handling_and_without_replacement(sample)
        .is_some();
    // The sample may end inside a character, which does not mean the guess is wrong.
    let cut = start + MAX_SAMPLE < body.len() && !encoding.is_single_byte();
    (fits || cut).then_some(encoding)
}

/// Whether the detector accepts this top-level domain: it panics on anything else.
fn is_valid_tld(tld: &&[u8]) -> bool {
    tld.iter()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase() && *byte != b'.')
}
