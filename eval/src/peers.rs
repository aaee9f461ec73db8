//! Other extractors on the same pages in the same run: score and processor time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::clock::Clock;
use crate::dataset::Labelled;
use crate::entry::Entry;
use crate::figures::Figures;
use crate::words::Interner;

/// The figures of every peer.
pub(crate) fn compare(pages: &[Labelled]) -> Vec<Figures> {
    let first = run(pages, "rs-trafilatura", |html| {
        rs_trafilatura::extract(html)
            .map(|found| found.content_text)
            .unwrap_or_default()
    });
    let second = run(pages, "dom_smoothie", |html| {
        let reader = dom_smoothie::Readability::new(html, None, None);
        let article = reader.and_then(|mut reader| reader.parse());
        article
            .map(|article| article.text_content.to_string())
            .unwrap_or_default()
    });
    vec![first, second]
}

fn run(pages: &[Labelled], title: &str, extract: impl Fn(&str) -> String) -> Figures {
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let clock = Clock::start();
        // A peer that gives up on a page gets no text for it, and the run goes on.
        let text = catch_unwind(AssertUnwindSafe(|| extract(&page.html))).unwrap_or_default();
        let spent = clock.elapsed();
        let entry = Entry::of(page, &mut interner, text, 0.0);
        entries.push(Entry { spent, ..entry });
    }
    Figures::of(title, &entries)
}
