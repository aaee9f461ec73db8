//! Other extractors on the same pages in the same run: score and processor time.

use std::io::Result;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::clock::Clock;
use crate::dataset::Labelled;
use crate::report::report;
use crate::run::{By, entry, score_all};
use crate::words::Interner;

/// `eval <data> peers`.
pub(crate) fn compare(pages: &[Labelled]) -> Result<()> {
    run(pages, "rs-trafilatura", |html| {
        rs_trafilatura::extract(html)
            .map(|found| found.content_text)
            .unwrap_or_default()
    })?;
    run(pages, "dom_smoothie", |html| {
        let reader = dom_smoothie::Readability::new(html, None, None);
        let article = reader.and_then(|mut reader| reader.parse());
        article
            .map(|article| article.text_content.to_string())
            .unwrap_or_default()
    })?;
    report("ours, fitted", &score_all(pages, By::Writer))
}

fn run(pages: &[Labelled], title: &str, extract: impl Fn(&str) -> String) -> Result<()> {
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let clock = Clock::start();
        // A peer that gives up on a page gets no text for it, and the run goes on.
        let text = catch_unwind(AssertUnwindSafe(|| extract(&page.html))).unwrap_or_default();
        let spent = clock.elapsed();
        entries.push(entry(
            page,
            &mut interner,
            text,
            0.0,
            (Duration::ZERO, spent),
        ));
    }
    report(title, &entries)
}
