//! The title of a page, without the site's name.
//!
//! A part of a title is removed only if it is certain to be the site's name: it is on the far side of a
//! separator, and either it is a name the site gives itself, or the rest is the longer part and equals what
//! another source gives as the title. A first heading inside `main` or `article` belongs to the page, so a
//! part that equals it need not be the longer one. On the site's home page nothing is removed: there the name
//! is the title.

/// Number of separators examined from either end of a title.
const MAX_SEPARATORS: usize = 8;

/// Chooses from the candidates, best first. A candidate that is only the site's name is skipped if there is
/// another.
pub(super) fn choose(
    candidates: Vec<String>,
    names: &[String],
    own_heading: Option<&str>,
    home: bool,
) -> Option<String> {
    if home {
        return candidates.into_iter().next();
    }
    let names: Vec<String> = names.iter().map(|name| lower_case(name)).collect();
    let keys: Vec<String> = candidates.iter().map(|title| lower_case(title)).collect();
    let chosen = keys
        .iter()
        .position(|key| !names.contains(key))
        .unwrap_or(0);
    let title = candidates.into_iter().nth(chosen)?;
    let own = own_heading.map(lower_case);
    Some(without_name(&title, &names, &keys, own.as_deref()).to_owned())
}

/// Whether the URL is the home page of a site.
pub(super) fn is_home(url: &str) -> bool {
    url.split_once("://").is_some_and(|(_, rest)| {
        let (_, path) = rest.split_once('/').unwrap_or((rest, ""));
        path.is_empty()
    })
}

fn without_name<'a>(
    title: &'a str,
    names: &[String],
    others: &[String],
    own: Option<&str>,
) -> &'a str {
    let splits = separators(title);
    let is_own = |part: &str| own.is_some_and(|own| lower_case(part) == own);
    for (left, right) in splits.iter().rev().take(MAX_SEPARATORS) {
        if names.contains(&lower_case(right))
            || is_own(left)
            || is_longer(left, right) && others.contains(&lower_case(left))
        {
            return left;
        }
    }
    for (left, right) in splits.iter().take(MAX_SEPARATORS) {
        if names.contains(&lower_case(left))
            || is_own(right)
            || is_longer(right, left) && others.contains(&lower_case(right))
        {
            return right;
        }
    }
    title
}

fn is_longer(part: &str, than: &str) -> bool {
    part.chars().count() > than.chars().count()
}

fn lower_case(text: &str) -> String {
    text.to_lowercase()
}

/// The title split in two at each of its separators; neither part is empty.
fn separators(title: &str) -> Vec<(&str, &str)> {
    let mut splits = Vec::new();
    let mut before = ' ';
    let mut characters = title.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map_or(' ', |(_, next)| *next);
        if separates(before, character, after) {
            let left = title[..at].trim_end_matches(is_edge);
            let right = title[at..].trim_start_matches(is_edge);
            if !left.is_empty() && !right.is_empty() {
                splits.push((left, right));
            }
            // Trimming covers a whole run of separators, so one split per run is enough.
            while characters.peek().is_some_and(|(_, next)| is_edge(*next)) {
                characters.next();
            }
        }
        before = character;
    }
    splits
}

fn separates(before: char, character: char, after: char) -> bool {
    match character {
        '|' | '｜' | '·' | '•' | '»' | '«' | '—' => true,
        '-' | '–' | '~' | '›' | '‹' | '/' | '>' | '<' | '⋆' | '*' => {
            before.is_whitespace() && after.is_whitespace()
        }
        ':' => after.is_whitespace() || after == ':',
        _ => false,
    }
}

/// Whether the character is part of a separator or the white space around it.
fn is_edge(character: char) -> bool {
    character.is_whitespace() || separates(' ', character, ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_certain_site_name_is_removed() {
        let cases = [
            ("A story | Foo", "Foo", "A story"),
            ("A story|foo", "Foo", "A story"),
            ("A story - FOO", "Foo", "A story"),
            ("A story – Foo", "Foo", "A story"),
            ("Foo: A story", "Foo", "A story"),
            ("Foo » A story", "Foo", "A story"),
            ("A story :: Foo", "Foo", "A story"),
            ("A - B - Foo", "Foo", "A - B"),
            ("A story | News | Foo - Bar", "Foo - Bar", "A story | News"),
            ("A story - Bar", "Foo", "A story - Bar"),
            ("Spider-Man", "Man", "Spider-Man"),
            ("A story about Foo", "Foo", "A story about Foo"),
            ("| Foo", "Foo", "| Foo"),
            ("Foo", "Foo", "Foo"),
        ];
        for (title, name, expected) in cases {
            let chosen = choose(vec![title.to_owned()], &[name.to_owned()], None, false);
            assert_eq!(chosen.as_deref(), Some(expected), "{title}");
        }
    }

    #[test]
    fn another_source_can_confirm_the_title() {
        let cases = [
            (&["A long story | Foo", "A long story"][..], "A long story"),
            (&["Foo: A long story", "a long story"], "A long story"),
            // The shorter part may well be the site's name used as first heading.
            (&["A long story | Foo", "Foo"], "A long story | Foo"),
        ];
        for (candidates, expected) in cases {
            let candidates = candidates.iter().map(|&title| title.to_owned()).collect();
            assert_eq!(
                choose(candidates, &[], None, false).as_deref(),
                Some(expected)
            );
        }
    }

    #[test]
    fn the_pages_own_heading_confirms_the_title() {
        for (title, heading, expected) in [
            ("Basalt - A Very Free Encyclopedia", "Basalt", "Basalt"),
            ("A Very Good Shop | Socks", "Socks", "Socks"),
            ("Basalt - Encyclopedia", "Granite", "Basalt - Encyclopedia"),
        ] {
            let candidates = vec![title.to_owned(), heading.to_owned()];
            let chosen = choose(candidates, &[], Some(heading), false);
            assert_eq!(chosen.as_deref(), Some(expected));
        }
    }

    #[test]
    fn home_pages_are_recognized() {
        for home in ["https://e.x", "https://e.x/", "http://e.x:80/"] {
            assert!(is_home(home), "{home}");
        }
        for other in ["https://e.x/a", "https://e.x/?p=1", "e.x"] {
            assert!(!is_home(other), "{other}");
        }
    }
}
