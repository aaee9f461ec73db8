//! Words and scores: matches of `\w+` in the lower-cased text, compared as multisets.

use std::collections::HashMap;

/// The words of a text as numbers; equal words have equal numbers.
pub(crate) type Words = Vec<u32>;

/// Assigns a number to every word.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    numbers: HashMap<String, u32>,
}

impl Interner {
    pub(crate) fn words(&mut self, text: &str) -> Words {
        let mut words = Vec::new();
        let lower = text.to_lowercase();
        for word in lower.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if word.is_empty() {
                continue;
            }
            let next = self.numbers.len() as u32 + 1;
            let number = match self.numbers.get(word) {
                Some(number) => *number,
                None => *self.numbers.entry(word.to_owned()).or_insert(next),
            };
            words.push(number);
        }
        words
    }
}

/// Precision, recall and F1.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Score {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

/// The number of occurrences of each word.
pub(crate) fn counts(words: &[u32]) -> HashMap<u32, i32> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(*word).or_default() += 1;
    }
    counts
}

/// Scores an output against the truth.
pub(crate) fn score(output: &[u32], truth: &[u32]) -> Score {
    if output.is_empty() && truth.is_empty() {
        return Score {
            precision: 1.0,
            recall: 1.0,
            f1: 1.0,
        };
    }
    if output.is_empty() || truth.is_empty() {
        return Score::default();
    }
    let mut left = counts(truth);
    let mut hit = 0;
    for word in output {
        if let Some(count) = left.get_mut(word)
            && *count > 0
        {
            *count -= 1;
            hit += 1;
        }
    }
    let precision = f64::from(hit) / output.len() as f64;
    let recall = f64::from(hit) / truth.len() as f64;
    let sum = precision + recall;
    let f1 = if sum > 0.0 {
        2.0 * precision * recall / sum
    } else {
        0.0
    };
    Score {
        precision,
        recall,
        f1,
    }
}

#[cfg(test)]
mod tests {
    use super::{Interner, score};

    #[test]
    fn words_are_compared_as_multisets() {
        let mut interner = Interner::default();
        for (output, truth, f1) in [
            ("", "", 1.0),
            ("a", "", 0.0),
            ("", "a", 0.0),
            ("It's ONE_word, two", "it s one_word two", 1.0),
            ("b a", "a b", 1.0),
            ("a a", "a", 2.0 / 3.0),
            ("a c", "a b", 0.5),
        ] {
            let (output_words, truth_words) = (interner.words(output), interner.words(truth));
            let found = score(&output_words, &truth_words).f1;
            assert!((found - f1).abs() < 1e-9, "{output:?} {truth:?}: {found}");
        }
    }
}
