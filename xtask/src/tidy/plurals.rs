//! Counted nouns in messages come from one function (`crawler_model::counted`), so that one page is "1 page".

use super::SourceFile;

/// Nouns that our messages count.
const NOUNS: [&str; 14] = [
    "attempts",
    "bytes",
    "documents",
    "errors",
    "files",
    "hosts",
    "jobs",
    "links",
    "pages",
    "patterns",
    "rows",
    "tabs",
    "tasks",
    "urls",
];
/// Crates whose strings only developers read.
const TEST_CRATES: [&str; 1] = ["testsite"];

/// Format strings with a number followed by a fixed plural.
pub(super) fn findings(file: &SourceFile) -> Vec<String> {
    let mut folders = file.path.split('/');
    let is_message = folders.next() == Some("crates")
        && folders
            .next()
            .is_some_and(|name| !TEST_CRATES.contains(&name))
        && folders.next() == Some("src");
    if !file.is_rust() || !is_message {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        // The module's tests follow; their messages are for developers.
        if line.trim() == "#[cfg(test)]" {
            break;
        }
        if !line.trim_start().starts_with("//") && has_fixed_plural(line) {
            findings.push(file.at(index, "a number and a plural: use counted(…)"));
        }
    }
    findings
}

fn has_fixed_plural(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.match_indices("} ").any(|(at, _)| {
        // A limit named in capitals is a constant, and never 1.
        if line[..at].ends_with(|c: char| c.is_ascii_uppercase()) {
            return false;
        }
        let rest = &lower[at + 2..];
        let end = rest.find(|c: char| !c.is_alphanumeric());
        NOUNS.contains(&&rest[..end.unwrap_or(rest.len())])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plural_after_a_number_is_found() {
        assert!(has_fixed_plural(r#"format!("{pages} pages")"#));
        assert!(has_fixed_plural(r#"format!("left {} URLs", n)"#));
        assert!(!has_fixed_plural(
            r#"format!("{} left", counted(n, "URL"))"#
        ));
        assert!(!has_fixed_plural(r#"format!("at most {MAX_URLS} URLs")"#));
        assert!(!has_fixed_plural("struct A { pages: u64 }"));
    }
}
