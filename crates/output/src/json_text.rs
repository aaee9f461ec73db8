//! JSON strings and numbers, written by hand.
//!
//! Almost every string is a URL with nothing to escape, so this is one vectorized scan and one copy.

/// Table of escapes: the character after the backslash; 0 for a byte that is not escaped, `u` for four hex digits.
const fn escapes(also: &[u8]) -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = b'u';
        byte += 1;
    }
    table[0x7f] = b'u';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[0x08] = b'b';
    table[0x0c] = b'f';
    table[b'\n' as usize] = b'n';
    table[b'\r' as usize] = b'r';
    table[b'\t' as usize] = b't';
    let mut at = 0;
    while at < also.len() {
        table[also[at] as usize] = b'u';
        at += 1;
    }
    table
}

static PLAIN: [u8; 256] = escapes(b"");
/// Escapes inside `<script>`, where a string must not end the element, open a comment or start a character reference.
static SCRIPT: [u8; 256] = escapes(b"<>&");

/// Appends a JSON string with its quotes.
pub(crate) fn push(out: &mut Vec<u8>, text: &str) {
    if has_escapes(text.as_bytes()) {
        push_with(out, text, &PLAIN);
        return;
    }
    push_plain(out, text);
}

/// Appends a JSON string that is known to have nothing to escape.
pub(crate) fn push_plain(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Whether any byte needs escaping. Without branches, so that the compiler can vectorize it.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "short-circuiting would add branches"
)]
pub(crate) fn has_escapes(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |any, byte| {
        any | (*byte < 0x20) | (*byte == 0x7f) | (*byte == b'"') | (*byte == b'\\')
    })
}

/// Appends a JSON string that is safe in a `<script>` element.
pub(crate) fn push_in_script(out: &mut Vec<u8>, text: &str) {
    // These two end a line in older JavaScript, but are valid in JSON.
    if text.contains(['\u{2028}', '\u{2029}']) {
        let start = out.len();
        push_with(out, text, &SCRIPT);
        let written = String::from_utf8_lossy(&out[start..])
            .replace('\u{2028}', "\\u2028")
            .replace('\u{2029}', "\\u2029");
        out.truncate(start);
        out.extend_from_slice(written.as_bytes());
    } else {
        push_with(out, text, &SCRIPT);
    }
}

fn push_with(out: &mut Vec<u8>, text: &str, table: &[u8; 256]) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let bytes = text.as_bytes();
    out.push(b'"');
    let mut copied = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let escape = table[usize::from(byte)];
        if escape == 0 {
            continue;
        }
        out.extend_from_slice(&bytes[copied..at]);
        copied = at + 1;
        out.extend_from_slice(&[b'\\', escape]);
        if escape == b'u' {
            let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
            out.extend_from_slice(b"00");
            out.extend_from_slice(&digits);
        }
    }
    out.extend_from_slice(&bytes[copied..]);
    out.push(b'"');
}

/// Appends a number.
pub(crate) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        let digit = (number % 10) as u8;
        digits[at] = b'0' + digit;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_reads_back(text in any::<String>()) {
            for push in [push, push_in_script] {
                let mut out = Vec::new();
                push(&mut out, &text);
                let read: String = serde_json::from_slice(&out).unwrap();
                prop_assert_eq!(&read, &text);
                prop_assert!(!out.iter().any(u8::is_ascii_control));
            }
        }

        #[test]
        fn any_number_reads_back(number in any::<u64>()) {
            let mut out = Vec::new();
            push_number(&mut out, number);
            prop_assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }

    #[test]
    fn has_escapes_agrees_with_the_table() {
        for byte in 0..=u8::MAX {
            let escaped = PLAIN[usize::from(byte)] != 0;
            assert_eq!(has_escapes(&[b'a', byte]), escaped, "{byte}");
        }
    }

    #[test]
    fn a_string_cannot_end_its_script() {
        let mut out = Vec::new();
        push_in_script(&mut out, "</script><!-- &amp; \u{2028}\u{2029}");
        let text = String::from_utf8(out).unwrap();
        assert!(
            !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']),
            "{text}"
        );
    }
}
