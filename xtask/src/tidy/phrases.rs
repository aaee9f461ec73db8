//! Phrases that no native-speaking engineer would write. A short list: the rest is a matter for review.

use super::SourceFile;

/// Phrases to avoid, with their replacements.
const PHRASES: [(&str, &str); 22] = [
    ("could not be had", "could not be fetched"),
    ("cannot be had", "cannot be fetched, read or installed"),
    ("was had", "was fetched"),
    ("were had", "were fetched"),
    ("is had", "is fetched"),
    ("are had", "are fetched"),
    ("was not had", "was not fetched"),
    ("one object a line", "one object per line"),
    ("one url a line", "one URL per line"),
    ("a row a link", "one row per link"),
    ("requests a second", "requests per second"),
    ("pages a second", "pages per second"),
    ("introduce ourselves", "User-Agent header"),
    ("so long between two", "minimum delay between"),
    ("say nothing but", "print errors only"),
    ("what may pass", "temporary failures"),
    ("is put away", "is closed"),
    ("runs the same words", "runs the same command"),
    ("1 pages", "1 page"),
    ("1 links", "1 link"),
    ("1 errors", "1 error"),
    ("1 urls", "1 URL"),
];
/// Doc comments that do not name what they document.
const EMPTY_COMMENTS: [&str; 8] = [
    "When.",
    "Where.",
    "Why.",
    "Who.",
    "Whose.",
    "Whose it is.",
    "Where to.",
    "And then.",
];

/// Every use of a listed phrase.
pub(super) fn findings(file: &SourceFile) -> Vec<String> {
    // This file quotes them all.
    if file.path == "xtask/src/tidy/phrases.rs" {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let lower = line.to_lowercase();
        for (phrase, instead) in PHRASES {
            if contains_phrase(&lower, phrase) {
                findings.push(file.at(index, &format!("{phrase:?}: write {instead:?}")));
            }
        }
        if let Some(comment) = line.trim().strip_prefix("///")
            && EMPTY_COMMENTS.contains(&comment.trim())
        {
            findings.push(file.at(index, "a doc comment names the thing it documents"));
        }
    }
    findings
}

/// Whether a line contains a phrase as whole words.
fn contains_phrase(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + phrase.len()..].chars().next();
        let is_part =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == ',' || c == '.');
        !is_part(before) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_whole_words() {
        assert!(contains_phrase(
            "a page that could not be had, and why",
            "could not be had"
        ));
        assert!(contains_phrase("found 1 pages", "1 pages"));
        assert!(!contains_phrase("found 21 pages", "1 pages"));
        assert!(!contains_phrase("found 1,001 pages", "1 pages"));
        assert!(!contains_phrase("is hadoop", "is had"));
    }

    #[test]
    fn an_empty_doc_comment_is_found() {
        let file = SourceFile {
            path: "crates/a/src/lib.rs".into(),
            text: "    /// Whose.\n    /// When the lease ends.\n".into(),
        };
        assert_eq!(findings(&file).len(), 1);
    }
}
