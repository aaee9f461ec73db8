//! Extracts authors' names from the forms that pages use.

use std::collections::HashSet;

use super::text::{MAX_VALUES, is_address, line};

/// A longer text is not a name.
const MAX_NAME: usize = 200;
/// A page with more bylines is a list of articles and has no author of its own.
const MAX_BYLINES: usize = 4;

/// The names in the texts, in order, without repeats.
pub(super) fn names<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts
        .filter_map(line)
        .filter(|text| !is_address(text))
        .flat_map(|text| split(&text))
        .filter(|name| name.len() <= MAX_NAME && name.chars().any(char::is_alphabetic))
        .filter(|name| seen.insert(name.to_lowercase()))
        .take(MAX_VALUES)
        .collect()
}

/// The names in the bylines of a page, or none if there are so many that they belong to a list of articles.
pub(super) fn bylines<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names = names(texts);
    if names.len() > MAX_BYLINES {
        return Vec::new();
    }
    names
}

/// Splits a text that holds several names. A semicolon always separates; a comma only if both sides are full
/// names, because it also occurs in `Doe, Jane` and `Jane Doe, MD`.
fn split(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in text.split(';') {
        let full = |name: &str| matches!(name.split_whitespace().count(), 2..=4);
        if part.split(',').all(full) {
            names.extend(part.split(',').map(without_by));
        } else {
            names.push(without_by(part));
        }
    }
    names
}

/// The name without a leading "by".
fn without_by(text: &str) -> String {
    let text = text.trim();
    let name = match text.split_once([' ', ':']) {
        Some((by, name)) if by.eq_ignore_ascii_case("by") => name,
        _ => text,
    };
    name.trim_matches(|c: char| c.is_whitespace() || c == ',' || c == ':')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{bylines, names};

    #[test]
    fn texts_are_split_into_names() {
        let cases: &[(&str, &[&str])] = &[
            ("Jane Doe", &["Jane Doe"]),
            ("By Jane Doe", &["Jane Doe"]),
            ("by: Jane Doe", &["Jane Doe"]),
            ("Byron Smith", &["Byron Smith"]),
            ("Jane Doe, John Smith", &["Jane Doe", "John Smith"]),
            ("Doe, Jane", &["Doe, Jane"]),
            ("Jane Doe, MD", &["Jane Doe, MD"]),
            ("Doe, Jane; Smith, John", &["Doe, Jane", "Smith, John"]),
            ("https://e.x/jane", &[]),
            ("www.facebook.com/jane", &[]),
            (" , ", &[]),
            ("Jane Doe; jane doe", &["Jane Doe"]),
        ];
        for (text, expected) in cases {
            assert_eq!(names([*text].into_iter()), *expected, "{text}");
        }
    }

    #[test]
    fn many_bylines_are_a_list() {
        assert_eq!(bylines(["A", "B", "A"].into_iter()), ["A", "B"]);
        assert!(bylines(["A", "B", "C", "D", "E"].into_iter()).is_empty());
    }
}
