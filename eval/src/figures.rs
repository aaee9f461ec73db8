//! Figures over all pages: by kind, near-empty outputs, time, and how well the extractor's confidence predicts
//! its score.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use crate::page_result::PageResult;
use crate::words::Score;

/// The figures of one extractor.
#[derive(Debug)]
pub(crate) struct Figures {
    pub title: String,
    /// By kind, sorted by name, and then for all pages.
    pub groups: Vec<Group>,
    pub near_empty: usize,
    /// Number of pages with a ground truth.
    pub counted: usize,
    /// CPU time per page; zero if not measured.
    pub each: Duration,
    /// Correlation of confidence and F1, and the mean of both by deciles, least confident first.
    pub correlation: f64,
    pub deciles: Vec<(f64, f64)>,
}

/// The figures for pages of one kind.
#[derive(Debug)]
pub(crate) struct Group {
    pub name: String,
    pub pages: usize,
    pub score: Score,
    /// F1 over the pages with a ground truth.
    pub with_truth: f64,
    pub lost: F1Losses,
}

/// Where F1 is lost, in hundredths of F1: the sum is what is missing to 100.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct F1Losses {
    /// Pages whose ground truth is empty.
    pub no_truth: f64,
    /// Pages with near-empty output.
    pub near_empty: f64,
    /// Words wrongly kept, on the other pages.
    pub extra: f64,
    /// Words missed, on the other pages.
    pub missed: f64,
}

impl F1Losses {
    fn of(entries: &[&PageResult]) -> Self {
        let mut lost = Self::default();
        let part = 100.0 / entries.len().max(1) as f64;
        for entry in entries {
            let loss = (1.0 - entry.score.f1) * part;
            let output = entry.output_words as f64;
            let hit = entry.score.precision * output;
            let (extra, missed) = (output - hit, entry.truth_words as f64 - hit);
            if entry.truth_words == 0 {
                lost.no_truth += loss;
            } else if entry.is_near_empty() {
                lost.near_empty += loss;
            } else if extra + missed > 0.0 {
                lost.extra += loss * extra / (extra + missed);
                lost.missed += loss * missed / (extra + missed);
            }
        }
        lost
    }
}

impl Figures {
    pub(crate) fn of(title: &str, entries: &[PageResult]) -> Self {
        let mut kinds: BTreeMap<&str, Vec<&PageResult>> = BTreeMap::new();
        for entry in entries {
            kinds.entry(&entry.kind).or_default().push(entry);
        }
        let all: Vec<&PageResult> = entries.iter().collect();
        let counted: Vec<&PageResult> = with_truth(&all);
        let mut groups: Vec<Group> = kinds
            .iter()
            .map(|(name, pages)| group(name, pages))
            .collect();
        groups.push(group("all", &all));
        let mut pairs: Vec<(f64, f64)> = counted
            .iter()
            .map(|entry| (f64::from(entry.quality), entry.score.f1))
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let spent: Duration = entries.iter().map(|entry| entry.spent).sum();
        Self {
            title: title.to_owned(),
            groups,
            near_empty: counted.iter().filter(|entry| entry.is_near_empty()).count(),
            counted: counted.len(),
            each: spent / u32::try_from(entries.len()).unwrap_or(u32::MAX).max(1),
            correlation: correlation(&pairs),
            deciles: deciles(&pairs),
        }
    }

    /// F1 over all pages.
    pub(crate) fn f1(&self) -> f64 {
        self.groups.last().map_or(0.0, |all| all.score.f1)
    }

    /// F1 of one kind; 0 if there are no such pages.
    pub(crate) fn f1_of(&self, kind: &str) -> f64 {
        let group = self.groups.iter().find(|group| group.name == kind);
        group.map_or(0.0, |group| group.score.f1)
    }

    /// Percentage of near-empty outputs among pages with a ground truth.
    pub(crate) fn near_empty_share(&self) -> f64 {
        100.0 * self.near_empty as f64 / self.counted.max(1) as f64
    }
}

impl Display for Figures {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", self.title)?;
        writeln!(
            out,
            "{:14} {:>5} {:>7} {:>9} {:>7} {:>10}",
            "kind", "pages", "F1", "precision", "recall", "F1 truth>0"
        )?;
        for group in &self.groups {
            let Score {
                precision,
                recall,
                f1,
            } = group.score;
            writeln!(
                out,
                "{:14} {:>5} {f1:>7.4} {precision:>9.4} {recall:>7.4} {:>10.4}",
                group.name, group.pages, group.with_truth
            )?;
        }
        writeln!(
            out,
            "near-empty output despite a ground truth: {} ({:.2}%)",
            self.near_empty,
            self.near_empty_share()
        )?;
        if self.each > Duration::ZERO {
            writeln!(out, "ms per page: {:.2}", self.each.as_secs_f64() * 1000.0)?;
        }
        Ok(())
    }
}

fn with_truth<'e>(entries: &[&'e PageResult]) -> Vec<&'e PageResult> {
    let counted = entries.iter().filter(|entry| entry.truth_words > 0);
    counted.copied().collect()
}

fn group(name: &str, entries: &[&PageResult]) -> Group {
    Group {
        name: name.to_owned(),
        pages: entries.len(),
        score: Score {
            precision: mean(entries, |entry| entry.score.precision),
            recall: mean(entries, |entry| entry.score.recall),
            f1: mean(entries, |entry| entry.score.f1),
        },
        with_truth: mean(&with_truth(entries), |entry| entry.score.f1),
        lost: F1Losses::of(entries),
    }
}

fn mean(entries: &[&PageResult], of: impl Fn(&PageResult) -> f64) -> f64 {
    entries.iter().map(|entry| of(entry)).sum::<f64>() / entries.len().max(1) as f64
}

fn means(pairs: &[(f64, f64)]) -> (f64, f64) {
    let count = pairs.len().max(1) as f64;
    let sum = pairs
        .iter()
        .fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    (sum.0 / count, sum.1 / count)
}

fn deciles(sorted: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let bound = |decile: usize| sorted.len() * decile / 10;
    (0..10)
        .map(|decile| means(&sorted[bound(decile)..bound(decile + 1)]))
        .collect()
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let (mx, my) = means(pairs);
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        xy += (x - mx) * (y - my);
        xx += (x - mx).powi(2);
        yy += (y - my).powi(2);
    }
    xy / (xx * yy).sqrt().max(1e-12)
}

#[cfg(test)]
mod tests {
    use super::{correlation, deciles};

    #[test]
    fn accurate_confidence_correlates() {
        let pairs: Vec<(f64, f64)> = (0..20)
            .map(|n| (f64::from(n), f64::from(n) * 2.0))
            .collect();
        assert!((correlation(&pairs) - 1.0).abs() < 1e-9);
        assert_eq!(deciles(&pairs)[0], (0.5, 1.0));
        assert_eq!(deciles(&pairs).len(), 10);
        let turned: Vec<(f64, f64)> = pairs.iter().map(|(x, y)| (*x, -y)).collect();
        assert!((correlation(&turned) + 1.0).abs() < 1e-9);
    }
}
