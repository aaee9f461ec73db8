//! Generates URLs and references from pieces that URL parsers treat specially.

use super::bases::BASES;
use super::test_rng::TestRng;

const COMMON: &[&str] = &[
    "a",
    "b",
    "page",
    "index.html",
    "/",
    "/",
    "/",
    "../",
    "./",
    "?",
    "#",
    "=",
    "&",
    "1",
    ".",
    "-",
];

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "http://", "https://", "//", "\\", "?", "#", ":", "@", "%2e", "%2E", "..", ".", "%", "'", "\"", " ", "\t",
    "\r", "é", "ß", "日", "xn--", "xn--bcher-kva", "example.org", "EXAMPLE.org", "example.org/", "127.1", "0x7f",
    "1", "[::1]", "[", "]", ":80", ":443", ":8080", ":99999", "http:", "https:/", "HTTP://", "hTtps://", "mailto:",
    "javascript:", "data:", "file:", "file:///", "ftp://", "about:blank", "blob:", "|", "^", "`", "{", "}", "<", ">",
    ";", "&", "=", "+", "*", "$", "!", "(", ")", ",", "~", "\u{0}", "\u{7f}", "\u{1f}", "user:pw@", "-", "_", "..a", ".a",
    "a.", "%41", "://", "/..", "/.", "/../", "/./", ".%2e", "%2e.", "/%2e/", "/%2e%2e/", "...", "\u{ad}", "\u{3002}", "。",
    "www.", ".com", "0", "00", "0x", "08", "255.255.255.256", "1.2.3.4", "--", "-a", "a-", "A", "Z", "\u{feff}",
    "\u{a0}", "\u{2028}", "\u{fdd0}", "%zz", "%00", "%c3%a9", "??", "##", "?#", "#?", "/?", "/#", "&amp;", "ＡＢ", "c:", "c|",
];

/// A reference, absolute or not.
pub(crate) fn reference(rng: &mut TestRng, into: &mut Vec<u8>) {
    if rng.one_in(4) {
        let start = [
            "http://",
            "https://",
            "//",
            "http://example.org",
            "/",
            "\\\\",
        ];
        into.extend(rng.pick(&start).bytes());
    }
    let common = rng.below(4);
    for _ in 0..rng.below(9) {
        match rng.below(4 + common) {
            0 => into.extend(rng.pick(PIECES).bytes()),
            1 if rng.one_in(6) => {
                let any = u32::try_from(rng.below(0x11_0000))
                    .ok()
                    .and_then(char::from_u32);
                let mut buffer = [0; 4];
                into.extend(any.unwrap_or('x').encode_utf8(&mut buffer).bytes());
            }
            1 => into.push(b' ' + u8::try_from(rng.below(95)).unwrap()),
            _ => into.extend(rng.pick(COMMON).bytes()),
        }
    }
}

/// The URL of a page: one of a few, sometimes longer.
fn address(rng: &mut TestRng, into: &mut Vec<u8>) {
    into.extend(rng.pick(BASES).bytes());
    if rng.one_in(2) {
        reference(rng, into);
    }
}

/// A page, a base element or none, and references.
pub(crate) fn references(rng: &mut TestRng) -> Vec<u8> {
    let mut input = Vec::new();
    address(rng, &mut input);
    input.retain(|byte| *byte != b'\n');
    input.push(b'\n');
    if rng.one_in(4) {
        reference(rng, &mut input);
    }
    for _ in 0..=rng.below(3) {
        input.push(b'\n');
        reference(rng, &mut input);
    }
    input
}

/// Two URLs, sometimes nearly the same.
pub(crate) fn addresses(rng: &mut TestRng) -> Vec<u8> {
    let mut input = Vec::new();
    address(rng, &mut input);
    let one = input.clone();
    input.push(b'\n');
    if rng.one_in(2) {
        address(rng, &mut input);
    } else {
        input.extend(one);
        input.extend(
            rng.pick(&["", "/", "?", "?a", "#", "#b", "/?", "/.", "/x"])
                .bytes(),
        );
    }
    input
}
