//! Decodes attribute values from the page's bytes to text.
//!
//! Three steps, in the standard's order: charset, line endings and NUL, character references. Most values need
//! none of them and are returned as they are in the page; the others are written into two buffers that live as
//! long as the scan, so that links do not allocate.

use encoding_rs::{Encoding, UTF_8};

use crate::bytes::find_any;
use crate::reference;

/// Bytes that need processing.
const SPECIAL_BYTES: [u8; 3] = [b'&', b'\r', 0];

/// Decodes attribute values, one at a time.
#[derive(Debug)]
pub(crate) struct ValueDecoder {
    encoding: &'static Encoding,
    /// The value in UTF-8.
    text: String,
    /// The value with its references decoded.
    value: String,
}

impl ValueDecoder {
    /// A decoder for a page in `encoding`, which must leave ASCII bytes as they are.
    pub(crate) fn new(encoding: &'static Encoding) -> Self {
        Self {
            encoding,
            text: String::new(),
            value: String::new(),
        }
    }

    /// Decodes a raw value.
    pub(crate) fn decode<'s>(&'s mut self, raw: &'s [u8]) -> &'s str {
        let Self {
            encoding,
            text,
            value,
        } = self;
        let text = match str::from_utf8(raw) {
            Ok(text) if *encoding == UTF_8 || text.is_ascii() => text,
            _ => {
                transcode(raw, encoding, text);
                text
            }
        };
        match find_any(SPECIAL_BYTES, text.as_bytes()) {
            None => text,
            Some(first) => {
                clean(text, first, value);
                value
            }
        }
    }
}

/// Writes `raw` into `text` as UTF-8.
fn transcode(raw: &[u8], encoding: &'static Encoding, text: &mut String) {
    text.clear();
    let mut decoder = encoding.new_decoder_without_bom_handling();
    // The maximum cannot overflow for bytes that fit in memory; the loop would cope anyway.
    text.reserve(
        decoder
            .max_utf8_buffer_length(raw.len())
            .unwrap_or(raw.len()),
    );
    let mut rest = raw;
    loop {
        let (result, read, _) = decoder.decode_to_string(rest, text, true);
        match result {
            encoding_rs::CoderResult::InputEmpty => return,
            encoding_rs::CoderResult::OutputFull => {
                rest = &rest[read..];
                text.reserve(rest.len().max(64));
            }
        }
    }
}

/// Writes `text` into `value`, where `next` is the first position that needs processing.
fn clean(text: &str, mut next: usize, value: &mut String) {
    value.clear();
    let mut rest = text;
    loop {
        value.push_str(&rest[..next]);
        let after = &rest[next + 1..];
        rest = match rest.as_bytes()[next] {
            b'&' => {
                let used = reference::decode(after, value);
                if used == 0 {
                    value.push('&');
                }
                &after[used..]
            }
            b'\r' => {
                value.push('\n');
                after.strip_prefix('\n').unwrap_or(after)
            }
            _ => {
                value.push(char::REPLACEMENT_CHARACTER);
                after
            }
        };
        match find_any(SPECIAL_BYTES, rest.as_bytes()) {
            Some(found) => next = found,
            None => break,
        }
    }
    value.push_str(rest);
}

#[cfg(test)]
mod tests {
    use encoding_rs::{UTF_8, WINDOWS_1251, WINDOWS_1252, X_USER_DEFINED};

    use super::ValueDecoder;

    #[test]
    fn values_in_several_encodings() {
        let table: [(&[u8], _, &str); 14] = [
            (b"/plain", UTF_8, "/plain"),
            (b"", UTF_8, ""),
            ("/é".as_bytes(), UTF_8, "/é"),
            (b"/\xE9", UTF_8, "/\u{FFFD}"),
            (b"/\xE9?a&amp;b", UTF_8, "/\u{FFFD}?a&b"),
            (b"/\xE9", WINDOWS_1252, "/é"),
            ("/é".as_bytes(), WINDOWS_1252, "/Ã©"),
            (b"/\xE9&eacute;", WINDOWS_1251, "/йé"),
            (b"\xFF", X_USER_DEFINED, "\u{F7FF}"),
            (b"a\r\nb\rc\n\r", UTF_8, "a\nb\nc\n\n"),
            (b"a\0b", UTF_8, "a\u{FFFD}b"),
            (b"&#13;&#10;\r\n", UTF_8, "\r\n\n"),
            (b"&&amp;&amp;amp;&", UTF_8, "&&&amp;&"),
            (b"?a=1&b=2&copy=3", UTF_8, "?a=1&b=2&copy=3"),
        ];
        for (raw, encoding, expected) in table {
            let mut decoder = ValueDecoder::new(encoding);
            assert_eq!(decoder.decode(raw), expected, "{raw:?}");
            // Decode again: the buffers must not keep anything from the first call.
            assert_eq!(decoder.decode(raw), expected, "{raw:?}");
        }
    }
}
