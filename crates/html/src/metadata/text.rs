//! Normalizes metadata values: one line, limited length, lists without repeats.

use std::collections::HashSet;
use std::hash::Hash;

use crate::reference;

/// Maximum length of a value in bytes.
pub(super) const MAX_BYTES: usize = 10 * 1024;
/// Maximum length of a list.
pub(super) const MAX_VALUES: usize = 256;

/// The text as one line: white space collapsed, invisible characters removed, cut at the maximum length.
/// `None` if nothing is left.
pub(super) fn line(text: &str) -> Option<String> {
    line_of([text])
}

/// Joins the parts into one line.
pub(super) fn line_of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut line = String::new();
    let mut gap = false;
    for character in parts.into_iter().flat_map(str::chars) {
        if character.is_whitespace() {
            gap = true;
        } else if !is_invisible(character) {
            let space = gap && !line.is_empty();
            if line.len() + usize::from(space) + character.len_utf8() > MAX_BYTES {
                break;
            }
            if space {
                line.push(' ');
            }
            line.push(character);
            gap = false;
        }
    }
    (!line.is_empty()).then_some(line)
}

/// Whether the character is a control or formatting character.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// The text as one line with its character references decoded: JSON in a page is full of them, and the HTML
/// parser does not decode them there.
pub(super) fn decoded(text: &str) -> Option<String> {
    if !text.contains('&') {
        return line(text);
    }
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let used = reference::decode(rest, &mut plain);
        if used == 0 {
            plain.push('&');
        }
        rest = &rest[used..];
        if plain.len() > 2 * MAX_BYTES {
            break;
        }
    }
    plain.push_str(rest);
    line(&plain)
}

/// A reference worth resolving: neither empty nor too long, and not a `data:` URL.
pub(super) fn reference(text: &str) -> Option<&str> {
    let text = text.trim_matches(|character: char| character.is_ascii_whitespace());
    let is_data = text
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
    (!text.is_empty() && text.len() <= MAX_BYTES && !is_data).then_some(text)
}

/// Whether the text is a web address rather than a name.
pub(super) fn is_address(text: &str) -> bool {
    text.contains("://") || text.starts_with("//") || text.starts_with("www.")
}

/// The values in order, without repeats, up to the maximum length.
pub(super) fn distinct<T: Clone + Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    values
        .filter(|value| seen.insert(value.clone()))
        .take(MAX_VALUES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_collapsed_and_bounded() {
        assert_eq!(line(" a\u{a0}\n b\u{200b}c\0 "), Some("a bc".to_owned()));
        assert_eq!(line(" \u{200b} \t"), None);
        let long = line(&"é ".repeat(MAX_BYTES)).unwrap_or_default();
        assert!(long.len() <= MAX_BYTES && long.len() > MAX_BYTES - 3);
    }

    #[test]
    fn references_are_decoded() {
        let cases = [
            ("a &amp; b", "a & b"),
            ("it&#8217;s", "it’s"),
            ("R&D & more", "R&D & more"),
            ("&", "&"),
        ];
        for (text, expected) in cases {
            assert_eq!(decoded(text).as_deref(), Some(expected), "{text}");
        }
    }
}
