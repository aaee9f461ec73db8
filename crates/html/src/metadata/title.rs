//! The page's title, free of the site's name.
//!
//! A part of a title is taken off only where it is certain to be the site's name: it stands on the
//! far side of a separator, and it is a name the site gives itself, or the rest, which must be the
//! longer part, is word for word what another source says the title is. A first heading inside `main` or
//! `article` is the page's own, so what it says need not be the longer part. On the site's home page
//! nothing is taken off: there the name is the title.

/// How many separators are looked at from either end of a title.
const MOST_SEPARATORS: usize = 8;

/// Chooses from the candidates, best first. One that is nothing but the site's name is passed over
/// as long as there is another.
pub(super) fn choose(
    candidates: Vec<String>,
    names: &[String],
    own_heading: Option<&str>,
    home: bool,
) -> Option<String> {
    if home {
        return candidates.into_iter().next();
    }
    let names: Vec<String> = names.iter().map(|name| folded(name)).collect();
    let keys: Vec<String> = candidates.iter().map(|title| folded(title)).collect();
    let chosen = keys
        .iter()
        .position(|key| !names.contains(key))
        .unwrap_or(0);
    let title = candidates.into_iter().nth(chosen)?;
    let own = own_heading.map(folded);
    Some(without_name(&title, &names, &keys, own.as_deref()).to_owned())
}

/// Whether the URL is a site's first page.
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
    let is_own = |part: &str| own.is_some_and(|own| folded(part) == own);
    for (left, right) in splits.iter().rev().take(MOST_SEPARATORS) {
        if names.contains(&folded(right))
            || is_own(left)
            || is_longer(left, right) && others.contains(&folded(left))
        {
            return left;
        }
    }
    for (left, right) in splits.iter().take(MOST_SEPARATORS) {
        if names.contains(&folded(left))
            || is_own(right)
            || is_longer(right, left) && others.contains(&folded(right))
        {
            return right;
        }
    }
    title
}

fn is_longer(part: &str, than: &str) -> bool {
    part.chars().count() > than.chars().count()
}

fn folded(text: &str) -> String {
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
            // trimming looks at a run of separators from each of them: once is enough
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

/// Whether the character belongs to a separator and the space around it.
fn is_edge(character: char) -> bool {
    character.is_whitespace() || separates(' ', character, ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certain_is_taken_off() {
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
    fn another_source_may_say_what_the_title_is() {
        let cases = [
            (&["A long story | Foo", "A long story"][..], "A long story"),
            (&["Foo: A long story", "a long story"], "A long story"),
            // the shorter part may well be the site's name as its first heading
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
    fn the_pages_own_heading_is_its_title() {
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
    fn the_first_page_of_a_site_is_known() {
        for home in ["https://e.x", "https://e.x/", "http://e.x:80/"] {
            assert!(is_home(home), "{home}");
        }
        for other in ["https://e.x/a", "https://e.x/?p=1", "e.x"] {
            assert!(!is_home(other), "{other}");
        }
    }
}
