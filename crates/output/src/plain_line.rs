//! A URL as part of a line of text.
//!
//! Normalized URLs contain no control characters; this is a second line of defense. A link cannot start a new line or send
//! control sequences to a terminal.

/// Appends text with control characters and bidirectional overrides percent-encoded.
pub(crate) fn push(out: &mut Vec<u8>, text: &str) {
    // Non-ASCII takes the slow path because of the control characters U+0080 to U+009F.
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut utf8 = [0; 4];
    for character in text.chars() {
        let bytes = character.encode_utf8(&mut utf8).as_bytes();
        if is_invisible(character) {
            for byte in bytes {
                push_percent(out, *byte);
            }
        } else {
            out.extend_from_slice(bytes);
        }
    }
}

/// Control characters, line and paragraph separators, and bidirectional overrides.
fn is_invisible(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn push_percent(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(&[
        b'%',
        HEX[usize::from(byte >> 4)],
        HEX[usize::from(byte & 15)],
    ]);
}

#[cfg(test)]
mod tests {
    #[test]
    fn control_characters_are_encoded() {
        for (text, line) in [
            ("http://a/b?c", "http://a/b?c"),
            ("tel:1\n2\r\t", "tel:1%0A2%0D%09"),
            ("x:\u{1b}[2J\u{7f}", "x:%1B[2J%7F"),
            ("x:é\u{9b}1m", "x:é%C2%9B1m"),
            ("x:\u{2028}\u{202e}", "x:%E2%80%A8%E2%80%AE"),
        ] {
            let mut out = Vec::new();
            super::push(&mut out, text);
            assert_eq!(String::from_utf8(out).unwrap(), line);
        }
    }
}
