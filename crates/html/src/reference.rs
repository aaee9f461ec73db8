//! Character references in attribute values.
//!
//! In a value, a named reference without its semicolon is plain text if `=`, a letter or a digit follows, so
//! that `?a=1&copy=2` survives. That leaves one candidate, the whole run of letters and digits, where ordinary
//! text would need the longest matching prefix.

use crate::entities::{LEGACY, NAMED};

/// Length of the longest name in the table.
const LONGEST_NAME: usize = 31;

/// Windows-1252 characters for 0x80 to 0x9F, which pages write as if they were code points. Zero means that
/// the code point is kept.
const FIXES: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
    0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
];

/// Decodes the reference that `rest` starts with (without the ampersand). Appends its characters to `out` and
/// returns how many bytes of `rest` were used; returns zero and appends nothing if the ampersand does not
/// start a reference.
pub(crate) fn decode(rest: &str, out: &mut String) -> usize {
    if let Some(number) = rest.strip_prefix('#') {
        return match number.strip_prefix(['x', 'X']) {
            Some(digits) => numeric(digits, 16, out).map_or(0, |used| used + 2),
            None => numeric(number, 10, out).map_or(0, |used| used + 1),
        };
    }
    named(rest, out)
}

fn named(rest: &str, out: &mut String) -> usize {
    // Nearly every reference in a link is this one.
    if rest.starts_with("amp;") {
        out.push('&');
        return 4;
    }
    let bytes = rest.as_bytes();
    let window = &bytes[..bytes.len().min(LONGEST_NAME + 1)];
    let length = window
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(window.len());
    let name = &rest[..length];
    let used = match bytes.get(length) {
        Some(b';') => length + 1,
        Some(b'=') => return 0,
        _ if LEGACY.binary_search(&name).is_ok() => length,
        _ => return 0,
    };
    match NAMED.binary_search_by_key(&name, |entry| entry.0) {
        Ok(found) => {
            out.push_str(NAMED[found].1);
            used
        }
        Err(_) => 0,
    }
}

/// Decodes digits and the optional semicolon; `None` if there is no digit.
fn numeric(digits: &str, radix: u32, out: &mut String) -> Option<usize> {
    let mut code: u32 = 0;
    let mut used = 0;
    for digit in digits.chars().map_while(|digit| digit.to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        used += 1;
    }
    if used == 0 {
        return None;
    }
    out.push(character(code));
    Some(used + usize::from(digits[used..].starts_with(';')))
}

/// The character for a number, with the standard's corrections.
fn character(code: u32) -> char {
    let fixed = match code {
        0x80..=0x9F => u32::from(FIXES[(code - 0x80) as usize]),
        _ => 0,
    };
    match if fixed == 0 { code } else { fixed } {
        0 => char::REPLACEMENT_CHARACTER,
        code => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_NAME, decode};
    use crate::entities::{LEGACY, NAMED};

    #[test]
    fn the_tables_are_complete_and_sorted() {
        assert_eq!(NAMED.len() + LEGACY.len(), 2231);
        assert!(NAMED.is_sorted_by(|a, b| a.0 < b.0));
        assert!(LEGACY.is_sorted_by(|a, b| a < b));
        assert_eq!(
            NAMED.iter().map(|entry| entry.0.len()).max(),
            Some(LONGEST_NAME)
        );
        for name in LEGACY {
            assert!(
                NAMED.binary_search_by_key(&name, |entry| entry.0).is_ok(),
                "{name}"
            );
        }
    }

    #[test]
    fn references_in_a_value() {
        // The text after the ampersand, what it decodes to, and what remains.
        let table = [
            ("amp;x", "&", "x"),
            ("amp", "&", ""),
            ("amp x", "&", " x"),
            ("ampx", "", "ampx"),
            ("amp=", "", "amp="),
            ("amp;=", "&", "="),
            ("amp-", "&", "-"),
            ("copy", "©", ""),
            ("copyé", "©", "é"),
            ("COPY;", "©", ""),
            ("Copy;", "", "Copy;"),
            ("notin;", "∉", ""),
            ("notin", "", "notin"),
            ("notit;", "", "notit;"),
            ("hellip", "", "hellip"),
            ("hellip;", "…", ""),
            ("NotEqualTilde;", "≂\u{338}", ""),
            ("CounterClockwiseContourIntegral;", "∳", ""),
            (
                "CounterClockwiseContourIntegrals;",
                "",
                "CounterClockwiseContourIntegrals;",
            ),
            (";", "", ";"),
            ("", "", ""),
            (" amp;", "", " amp;"),
            ("#65;", "A", ""),
            ("#65", "A", ""),
            ("#65x", "A", "x"),
            ("#x41;", "A", ""),
            ("#X4a;", "J", ""),
            ("#x4g", "\u{4}", "g"),
            ("#", "", "#"),
            ("#;", "", "#;"),
            ("#x;", "", "#x;"),
            ("#xg", "", "#xg"),
            ("#0;", "\u{FFFD}", ""),
            ("#13;", "\r", ""),
            ("#128;", "€", ""),
            ("#x9F;", "Ÿ", ""),
            ("#x81;", "\u{81}", ""),
            ("#xD800;", "\u{FFFD}", ""),
            ("#x10FFFF;", "\u{10FFFF}", ""),
            ("#x110000;", "\u{FFFD}", ""),
            ("#99999999999999999999;", "\u{FFFD}", ""),
            ("#x100000041;", "\u{FFFD}", ""),
            ("#0000000000000000000065;", "A", ""),
        ];
        for (rest, decoded, left) in table {
            let mut out = String::new();
            let used = decode(rest, &mut out);
            assert_eq!((out.as_str(), &rest[used..]), (decoded, left), "{rest:?}");
        }
    }
}
