//! Normalizes percent-encoding, so that rule and URL can be compared byte by byte.
//!
//! Escapes of characters that need none are decoded, the others get upper-case digits, and bytes
//! that are not allowed in a URI are escaped. Escapes of reserved characters stay: `%2F` is not `/`.
//! Only `%2A` and `%24` are decoded as well: they are how a rule writes a literal `*` or `$`
//! (RFC 9309, 2.2.3), and the special ones have been removed from the rule before.

use std::borrow::Cow;

const HEX: [u8; 16] = *b"0123456789ABCDEF";

pub(super) fn normalize(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.iter().any(|byte| *byte == b'%' || needs_escape(*byte)) {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if let (b'%', Some((octet, after))) = (*byte, octet(after)) {
            rest = after;
            if is_plain(octet) {
                plain.push(octet);
            } else {
                escape(octet, &mut plain);
            }
        } else if needs_escape(*byte) {
            escape(*byte, &mut plain);
        } else {
            plain.push(*byte);
        }
    }
    Cow::Owned(plain)
}

/// The octet of two hex digits, and the rest.
fn octet(text: &[u8]) -> Option<(u8, &[u8])> {
    let ([high, low], rest) = text.split_first_chunk()?;
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    Some((digit(*high)? << 4 | digit(*low)?, rest))
}

fn escape(octet: u8, into: &mut Vec<u8>) {
    let digit = |nibble: u8| HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
    into.extend([b'%', digit(octet >> 4), digit(octet & 15)]);
}

fn is_plain(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~' | b'*' | b'$')
}

fn needs_escape(byte: u8) -> bool {
    !byte.is_ascii_graphic()
        || matches!(
            byte,
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}'
        )
}
