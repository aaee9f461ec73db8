//! The figures of a run, as a table on stdout and a page with the worst cases.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Result;
use std::time::Duration;

use crate::words::Score;

/// One page's result.
#[derive(Debug)]
pub(crate) struct Entry {
    pub id: String,
    pub url: String,
    pub kind: String,
    pub score: Score,
    pub output_words: usize,
    pub truth_words: usize,
    pub quality: f32,
    pub text: String,
    pub truth: String,
    pub parse: Duration,
    pub spent: Duration,
}

impl Entry {
    /// Whether next to nothing came out though something was there.
    fn near_empty(&self) -> bool {
        self.truth_words > 0
            && (self.output_words < 10 && self.output_words * 4 < self.truth_words
                || self.output_words * 50 < self.truth_words)
    }
}

/// Prints the figures; writes the worst cases to `eval-report.html` in the target folder.
pub(crate) fn report(title: &str, entries: &[Entry]) -> Result<()> {
    println!("{title}: {} pages", entries.len());
    println!(
        "{:14} {:>5} {:>7} {:>7} {:>7} {:>9}",
        "kind", "pages", "F1", "prec", "recall", "F1 truth>0"
    );
    let mut kinds: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        kinds.entry(&entry.kind).or_default().push(entry);
    }
    for (kind, group) in &kinds {
        line(kind, group);
    }
    let all: Vec<&Entry> = entries.iter().collect();
    line("all", &all);
    let counted: Vec<&Entry> = entries
        .iter()
        .filter(|entry| entry.truth_words > 0)
        .collect();
    let near_empty = counted.iter().filter(|entry| entry.near_empty()).count();
    println!(
        "near-empty though there is a truth: {near_empty} ({:.2} %)",
        100.0 * near_empty as f64 / counted.len() as f64
    );
    let spent: Duration = entries.iter().map(|entry| entry.spent).sum();
    if spent > Duration::ZERO {
        let parse: Duration = entries.iter().map(|entry| entry.parse).sum();
        let each = |time: Duration| time.as_secs_f64() * 1000.0 / entries.len() as f64;
        println!(
            "ms a page: {:.2} (parse {:.2}, content and text {:.2})",
            each(spent),
            each(parse),
            each(spent - parse)
        );
    }
    let pairs: Vec<(f64, f64)> = counted
        .iter()
        .map(|entry| (f64::from(entry.quality), entry.score.f1))
        .collect();
    println!(
        "quality against F1, correlation: {:.3}",
        correlation(&pairs)
    );
    worst(title, counted)
}

fn mean(group: &[&Entry], of: impl Fn(&Entry) -> f64) -> f64 {
    group.iter().map(|entry| of(entry)).sum::<f64>() / group.len().max(1) as f64
}

fn line(name: &str, group: &[&Entry]) {
    let counted: Vec<&Entry> = group
        .iter()
        .copied()
        .filter(|entry| entry.truth_words > 0)
        .collect();
    println!(
        "{name:14} {:>5} {:>7.4} {:>7.4} {:>7.4} {:>9.4}",
        group.len(),
        mean(group, |entry| entry.score.f1),
        mean(group, |entry| entry.score.precision),
        mean(group, |entry| entry.score.recall),
        mean(&counted, |entry| entry.score.f1),
    );
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let (mx, my) = (
        pairs.iter().map(|p| p.0).sum::<f64>() / count,
        pairs.iter().map(|p| p.1).sum::<f64>() / count,
    );
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        xy += (x - mx) * (y - my);
        xx += (x - mx).powi(2);
        yy += (y - my).powi(2);
    }
    xy / (xx * yy).sqrt().max(1e-12)
}

fn worst(title: &str, mut entries: Vec<&Entry>) -> Result<()> {
    entries.sort_by(|a, b| a.score.f1.total_cmp(&b.score.f1));
    println!("\nworst 30 pages (words: truth, output)");
    let mut page = String::from(
        "<!doctype html><meta charset=utf-8><title>Worst pages</title><style>body{font:14px sans-serif}td{vertical-align:top;border:1px solid #ccc;max-width:45em;padding:4px}pre{white-space:pre-wrap;max-height:30em;overflow:auto}</style>",
    );
    let _ = write!(
        page,
        "<h1>{}</h1><table><tr><th>page<th>missed<th>kept wrongly",
        escape(title)
    );
    for entry in entries.iter().take(30) {
        println!(
            "{:5} {:13} F1 {:.3} P {:.3} R {:.3} {:>5} {:>5}  {}",
            entry.id,
            entry.kind,
            entry.score.f1,
            entry.score.precision,
            entry.score.recall,
            entry.truth_words,
            entry.output_words,
            printable(&entry.url, 90)
        );
    }
    for entry in entries.iter().take(150) {
        let (missed, extra) = difference(&entry.truth, &entry.text);
        let _ = write!(
            page,
            "<tr><td>{} {}<br>F1 {:.3} P {:.3} R {:.3}<br>{} → {} words<br>{}<td><pre>{}</pre><td><pre>{}</pre>",
            entry.id,
            entry.kind,
            entry.score.f1,
            entry.score.precision,
            entry.score.recall,
            entry.truth_words,
            entry.output_words,
            escape(&entry.url),
            escape(&missed),
            escape(&extra)
        );
    }
    page.push_str("</table>");
    let name = format!("eval-{}.html", title.replace(' ', "-"));
    std::fs::write(&name, page)?;
    eprintln!("worst pages with what was missed and kept wrongly: {name}");
    Ok(())
}

/// The lines only the truth has, and the lines only the output has.
fn difference(truth: &str, output: &str) -> (String, String) {
    let shape = |text: &str| {
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase()
    };
    let (whole_truth, whole_output) = (shape(truth), shape(output));
    let only = |text: &str, other: &str| {
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !other.contains(&shape(line)));
        let mut found: String = lines.collect::<Vec<_>>().join("\n");
        if let Some((at, _)) = found.char_indices().nth(4000) {
            found.truncate(at);
        }
        found
    };
    (only(truth, &whole_output), only(output, &whole_truth))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn printable(text: &str, most: usize) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(most)
        .collect()
}
