//! The result of one page.

use std::time::Duration;

use crate::dataset::LabeledPage;
use crate::words::{Interner, Score, score};

/// The result of one page.
#[derive(Debug)]
pub(crate) struct PageResult {
    pub id: String,
    pub url: String,
    pub kind: String,
    pub score: Score,
    pub output_words: usize,
    pub truth_words: usize,
    /// The extractor's own confidence, 0 to 1.
    pub quality: f32,
    pub text: String,
    pub truth: String,
    pub spent: Duration,
}

impl PageResult {
    /// Scores the text extracted from a page.
    pub(crate) fn of(
        page: &LabeledPage,
        interner: &mut Interner,
        text: String,
        quality: f32,
    ) -> Self {
        let output = interner.words(&text);
        let truth = interner.words(&page.truth);
        Self {
            id: page.id.clone(),
            url: page.url.clone(),
            kind: page.kind.clone(),
            score: score(&output, &truth),
            output_words: output.len(),
            truth_words: truth.len(),
            quality,
            text,
            truth: page.truth.clone(),
            spent: Duration::ZERO,
        }
    }

    /// Whether hardly any text was extracted although the ground truth has some.
    pub(crate) fn is_near_empty(&self) -> bool {
        self.truth_words > 0
            && (self.output_words < 10 && self.output_words * 4 < self.truth_words
                || self.output_words * 50 < self.truth_words)
    }

    /// The lines only in the truth, and the lines only in the output.
    pub(crate) fn difference(&self) -> (String, String) {
        (
            lines_only(&self.truth, &normalized(&self.text)),
            lines_only(&self.text, &normalized(&self.truth)),
        )
    }
}

/// A text on one line, in lower case.
fn normalized(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The lines of `text` that are not in `other`, which must be normalized.
fn lines_only(text: &str, other: &str) -> String {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| {
        let content = line.trim_start_matches("- ");
        !content.is_empty() && !other.contains(&normalized(content))
    });
    let mut found = lines.collect::<Vec<_>>().join("\n");
    if let Some((at, _)) = found.char_indices().nth(4000) {
        found.truncate(at);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Interner, LabeledPage, PageResult};

    fn entry(text: &str, truth: &str) -> PageResult {
        let page = LabeledPage {
            id: "1".to_owned(),
            url: String::new(),
            kind: "article".to_owned(),
            truth: truth.to_owned(),
            html: String::new(),
        };
        PageResult::of(&page, &mut Interner::default(), text.to_owned(), 0.5)
    }

    #[test]
    fn missed_and_wrongly_kept_lines() {
        let entry = entry("One  line\n- A menu\n", "one line\nanother line\n");
        let expected = ("another line".to_owned(), "- A menu".to_owned());
        assert_eq!(entry.difference(), expected);
    }

    #[test]
    fn near_empty_output_despite_a_truth() {
        let long = "word ".repeat(600);
        let table = [
            ("", "", false),
            ("", "a few words", true),
            ("a few words", "a few words", false),
            ("only these", long.as_str(), true),
            (long.as_str(), long.as_str(), false),
        ];
        for (text, truth, expected) in table {
            assert_eq!(entry(text, truth).is_near_empty(), expected, "{text:?}");
        }
    }
}
