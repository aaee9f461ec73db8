//! Detects a file's encoding from its first bytes.
//!
//! UTF-8 unless a byte order mark, the shape of the first tag or the XML declaration says
//! otherwise. Other names in a declaration are read as UTF-8 too: locations are almost always ASCII.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charset {
    Utf8,
    Utf16Little,
    Utf16Big,
    Latin1,
}

/// Windows-1252 differs only in characters that no URL contains.
const LATIN1_LABELS: [&str; 6] = [
    "iso-8859-1",
    "iso8859-1",
    "iso_8859-1",
    "latin1",
    "latin-1",
    "windows-1252",
];

impl Charset {
    /// The encoding of a file that begins with `start`, and the length of its byte order mark.
    pub(super) fn detect(start: &[u8]) -> (Charset, usize) {
        match start {
            [0xEF, 0xBB, 0xBF, ..] => (Charset::Utf8, 3),
            [0xFF, 0xFE, ..] => (Charset::Utf16Little, 2),
            [0xFE, 0xFF, ..] => (Charset::Utf16Big, 2),
            [b'<', 0, ..] => (Charset::Utf16Little, 0),
            [0, b'<', ..] => (Charset::Utf16Big, 0),
            _ if declares_latin1(start) => (Charset::Latin1, 0),
            _ => (Charset::Utf8, 0),
        }
    }

    /// Appends `bytes` to `text` and returns how many were used: a character that may continue in the
    /// next chunk is left, unless this is the `last` chunk. Invalid bytes become U+FFFD.
    pub(super) fn decode(self, bytes: &[u8], last: bool, text: &mut String) -> usize {
        match self {
            Charset::Utf8 => decode_utf8(bytes, last, text),
            Charset::Utf16Little => decode_utf16(bytes, last, u16::from_le_bytes, text),
            Charset::Utf16Big => decode_utf16(bytes, last, u16::from_be_bytes, text),
            Charset::Latin1 => {
                text.extend(bytes.iter().map(|byte| char::from(*byte)));
                bytes.len()
            }
        }
    }
}

fn declares_latin1(start: &[u8]) -> bool {
    let Some(after) = start.trim_ascii_start().strip_prefix(b"<?xml") else {
        return false;
    };
    let declaration = after.split(|byte| *byte == b'>').next().unwrap_or_default();
    let declaration = String::from_utf8_lossy(declaration).to_ascii_lowercase();
    let Some((_, label)) = declaration.split_once("encoding") else {
        return false;
    };
    let quoted = label.trim_start_matches(['=', ' ', '"', '\'']);
    quoted
        .split(['"', '\''])
        .next()
        .is_some_and(|label| LATIN1_LABELS.contains(&label))
}

fn decode_utf8(bytes: &[u8], last: bool, text: &mut String) -> usize {
    let mut used = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        used += chunk.valid().len();
        let bad = chunk.invalid();
        let at_end = used + bad.len() == bytes.len();
        let unfinished = std::str::from_utf8(bad).is_err_and(|error| error.error_len().is_none());
        if at_end && unfinished && !last {
            return used;
        }
        if !bad.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        used += bad.len();
    }
    used
}

fn decode_utf16(bytes: &[u8], last: bool, unit: fn([u8; 2]) -> u16, text: &mut String) -> usize {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let is_high_surrogate = |pair: &[u8; 2]| matches!(unit(*pair), 0xD800..=0xDBFF);
    let pairs = match pairs.split_last() {
        Some((end, before)) if !last && is_high_surrogate(end) => before,
        _ => pairs,
    };
    let characters = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    text.extend(characters.map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)));
    pairs.len() * 2 + if last { odd.len() } else { 0 }
}
