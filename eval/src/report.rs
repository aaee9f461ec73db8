//! The report of a run: figures and the worst pages, as text and as an HTML page.

use std::fmt::Write as _;

use crate::figures::Figures;
use crate::page_result::PageResult;
use crate::pipeline::StepTimes;

/// Number of worst pages shown.
const WORST_SHOWN: usize = 30;

/// The results of one run.
#[derive(Debug)]
pub(crate) struct Report {
    /// Cross-validated, through the text writer: the figures to quote.
    pub written: Figures,
    /// Cross-validated, the selected parts as they are in the tree.
    pub chosen: Figures,
    /// The embedded model on the pages it was trained on.
    pub fitted: Figures,
    /// Other extractors; empty if they were not compiled in.
    pub peers: Vec<Figures>,
    /// CPU time of the whole pipeline per page.
    pub each: StepTimes,
    /// The cross-validated pages, worst first.
    pub worst: Vec<PageResult>,
}

fn milliseconds(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

impl Report {
    /// The figures of all columns of the table.
    fn columns(&self) -> impl Iterator<Item = &Figures> {
        [&self.written, &self.chosen, &self.fitted]
            .into_iter()
            .chain(&self.peers)
    }

    /// The report as text.
    pub(crate) fn text(&self) -> String {
        let mut out = format!("{}\nF1 by kind\n{:14} {:>5}", self.written, "kind", "pages");
        for figures in self.columns() {
            let _ = write!(out, "  {:>24}", figures.title);
        }
        for group in &self.written.groups {
            let _ = write!(out, "\n{:14} {:>5}", group.name, group.pages);
            for figures in self.columns() {
                let _ = write!(out, "  {:>24.4}", figures.f1_of(&group.name));
            }
        }
        let _ = write!(out, "\n{:20}", "near-empty %");
        for figures in self.columns() {
            let _ = write!(out, "  {:>24.2}", figures.near_empty_share());
        }
        let _ = write!(
            out,
            "\n\nwhere F1 is lost, cross-validated, in hundredths of F1\n{:14} {:>8} {:>10} {:>12} {:>6}",
            "kind", "no truth", "near-empty", "kept wrongly", "missed"
        );
        for group in &self.written.groups {
            let lost = &group.lost;
            let _ = write!(
                out,
                "\n{:14} {:>8.1} {:>10.1} {:>12.1} {:>6.1}",
                group.name, lost.no_truth, lost.near_empty, lost.extra, lost.missed
            );
        }
        let each = &self.each;
        let total = milliseconds(each.total());
        let _ = write!(
            out,
            "\n\nCPU ms per page, whole pipeline: {total:.2} (parse {:.2}, links {:.2}, metadata {:.2}, content {:.2}, markdown {:.2})\n",
            milliseconds(each.parse),
            milliseconds(each.links),
            milliseconds(each.metadata),
            milliseconds(each.content),
            milliseconds(each.markdown),
        );
        for peer in &self.peers {
            let theirs = milliseconds(peer.each);
            let _ = writeln!(
                out,
                "CPU ms per page, {}: {theirs:.2}, {:.1} times ours",
                peer.title,
                theirs / total
            );
        }
        let _ = writeln!(
            out,
            "\nquality against F1: correlation {:.3}; by deciles of the pages, least confident first:",
            self.written.correlation
        );
        for (quality, f1) in &self.written.deciles {
            let _ = writeln!(out, "  quality {quality:.2}  F1 {f1:.3}");
        }
        let _ = writeln!(
            out,
            "\nthe worst {WORST_SHOWN} pages (words: truth, output)"
        );
        for entry in self.worst.iter().take(WORST_SHOWN) {
            let (missed, extra) = entry.difference();
            let _ = writeln!(
                out,
                "{:5} {:13} F1 {:.3} P {:.3} R {:.3} {:>5} {:>5}  {}\n      missed: {}\n      kept:   {}",
                entry.id,
                entry.kind,
                entry.score.f1,
                entry.score.precision,
                entry.score.recall,
                entry.truth_words,
                entry.output_words,
                printable(&entry.url, 90),
                printable(&missed, 100),
                printable(&extra, 100),
            );
        }
        out
    }

    /// The report as an HTML page.
    pub(crate) fn page(&self) -> String {
        let mut page = String::from(HEAD);
        let total = milliseconds(self.each.total());
        let _ = write!(
            page,
            "<h1>Main content, {} pages</h1><p>F1 <b>{:.3}</b> cross-validated by site, as written; near-empty {:.2}%; {total:.1} ms per page.</p><table class=figures><tr><th>kind<th>pages",
            self.worst.len(),
            self.written.f1(),
            self.written.near_empty_share()
        );
        for figures in self.columns() {
            let _ = write!(page, "<th>{}", escape(&figures.title));
        }
        for group in &self.written.groups {
            let _ = write!(page, "<tr><td>{}<td>{}", escape(&group.name), group.pages);
            for figures in self.columns() {
                let _ = write!(page, "<td>{:.3}", figures.f1_of(&group.name));
            }
        }
        page.push_str("<tr><td>near-empty %<td>");
        for figures in self.columns() {
            let _ = write!(page, "<td>{:.2}", figures.near_empty_share());
        }
        let _ = write!(
            page,
            "<tr><td>ms per page<td><td colspan=3>{total:.2}, the whole pipeline"
        );
        for peer in &self.peers {
            let _ = write!(page, "<td>{:.2}", milliseconds(peer.each));
        }
        page.push_str("</table><h2>Where F1 is lost, in hundredths of F1</h2><table class=figures><tr><th>kind<th>no truth<th>near-empty<th>kept wrongly<th>missed");
        for group in &self.written.groups {
            let lost = &group.lost;
            let _ = write!(
                page,
                "<tr><td>{}<td>{:.1}<td>{:.1}<td>{:.1}<td>{:.1}",
                escape(&group.name),
                lost.no_truth,
                lost.near_empty,
                lost.extra,
                lost.missed
            );
        }
        page.push_str("</table><h2>Quality against F1</h2><table class=figures><tr><th>decile of the pages<th>quality<th>F1");
        for (number, (quality, f1)) in self.written.deciles.iter().enumerate() {
            let _ = write!(page, "<tr><td>{}<td>{quality:.2}<td>{f1:.3}", number + 1);
        }
        let _ = write!(
            page,
            "</table><h2>The worst {WORST_SHOWN} pages</h2><table class=worst><tr><th>page<th>missed<th>kept wrongly"
        );
        for entry in self.worst.iter().take(WORST_SHOWN) {
            let (missed, extra) = entry.difference();
            let _ = write!(
                page,
                "<tr><td><b>{}</b> {}<br>F1 {:.3}<br>P {:.3} R {:.3}<br>{} words, {} extracted<br><small>{}</small><td><pre>{}</pre><td><pre>{}</pre>",
                escape(&entry.id),
                escape(&entry.kind),
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
        page
    }
}

const HEAD: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Main content: figures and worst pages</title><style>\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:90rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse}th{text-align:left}td,th{padding:.3rem .7rem;border-bottom:1px solid #8886;vertical-align:top}\
.figures td:not(:first-child),.figures th:not(:first-child){text-align:right;font-variant-numeric:tabular-nums}\
.worst{table-layout:fixed;width:100%}.worst th:first-child{width:15rem}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;max-height:18rem;overflow:auto;margin:0;font:13px/1.4 system-ui,sans-serif}\
small{overflow-wrap:anywhere;opacity:.7}</style>";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Text of a page on one line, without control characters, cut at `max_chars`.
fn printable(text: &str, max_chars: usize) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .take(max_chars)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{escape, printable};

    #[test]
    fn text_of_pages_is_escaped() {
        assert_eq!(printable("a\u{1b}[2J\n b", 90), "a[2J b");
        assert_eq!(printable("abc", 2), "ab");
        assert_eq!(escape("<b>&"), "&lt;b&gt;&amp;");
    }
}
