//! Other extractors on the same pages in the same run: score and CPU time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::clock::Clock;
use crate::dataset::LabeledPage;
use crate::figures::Figures;
use crate::page_result::PageResult;
use crate::words::Interner;

/// The figures of every other extractor.
pub(crate) fn compare(pages: &[LabeledPage]) -> Vec<Figures> {
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

fn run(pages: &[LabeledPage], title: &str, extract: impl Fn(&str) -> String) -> Figures {
    let mut interner = Interner::default();
    let mut entries = Vec::new();
    for page in pages {
        let clock = Clock::start();
        // A panic counts as empty output for that page, and the run continues.
        let text = catch_unwind(AssertUnwindSafe(|| extract(&page.html))).unwrap_or_default();
        let spent = clock.elapsed();
        let entry = PageResult::of(page, &mut interner, text, 0.0);
        entries.push(PageResult { spent, ..entry });
    }
    Figures::of(title, &entries)
}
