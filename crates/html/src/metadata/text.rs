//! Values as they leave: one line, bounded, and lists without repeats.

use std::collections::HashSet;
use std::hash::Hash;

use crate::reference;

/// No value is longer, in bytes.
pub(super) const MOST_BYTES: usize = 10 * 1024;
/// No list is longer.
pub(super) const MOST_VALUES: usize = 256;

/// The text on one line: white space collapsed, what cannot be seen left out, cut at the bound.
/// `None` when nothing is left.
pub(super) fn line(text: &str) -> Option<String> {
    line_of([text])
}

/// The parts as one line.
pub(super) fn line_of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut line = String::new();
    let mut gap = false;
    for character in parts.into_iter().flat_map(str::chars) {
        if character.is_whitespace() {
            gap = true;
        } else if !is_invisible(character) {
            let space = gap && !line.is_empty();
            if line.len() + usize::from(space) + character.len_utf8() > MOST_BYTES {
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

/// A control character, or one that only steers how others are shown.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// The text on one line, its character references decoded: JSON in a page is full of them, and
/// there the parser leaves them alone.
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
        if plain.len() > 2 * MOST_BYTES {
            break;
        }
    }
    plain.push_str(rest);
    line(&plain)
}

/// A reference worth resolving: not empty, not beyond the bound, and not the thing itself.
pub(super) fn reference(text: &str) -> Option<&str> {
    let text = text.trim_matches(|character: char| character.is_ascii_whitespace());
    let is_data = text
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
    (!text.is_empty() && text.len() <= MOST_BYTES && !is_data).then_some(text)
}

/// Whether the text is a web address rather than a name.
pub(super) fn is_address(text: &str) -> bool {
    text.contains("://") || text.starts_with("//") || text.starts_with("www.")
}

/// The values in order, each once, up to the bound.
pub(super) fn distinct<T: Clone + Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    values
        .filter(|value| seen.insert(value.clone()))
        .take(MOST_VALUES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_collapsed_and_bounded() {
        assert_eq!(line(" a\u{a0}\n b\u{200b}c\0 "), Some("a bc".to_owned()));
        assert_eq!(line(" \u{200b} \t"), None);
        let long = line(&"é ".repeat(MOST_BYTES)).unwrap_or_default();
        assert!(long.len() <= MOST_BYTES && long.len() > MOST_BYTES - 3);
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
