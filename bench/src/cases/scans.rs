//! Finding a page's links.

use std::hint::black_box;

use crawler_html::ScanEvent;
use encoding_rs::UTF_8;

use crate::case::Case;
use crate::pages::{Page, R, S, SOUP};

pub(crate) fn cases() -> Vec<Case> {
    [(S, 200), (R, 100), (SOUP, 100)]
        .map(|(page, times)| {
            Case::new(
                format!("scan-{}", page.name),
                times,
                page.links,
                move |_| Box::new(move || links(page)),
            )
        })
        .into()
}

fn links(page: Page) -> usize {
    let mut links = 0;
    crawler_html::scan_links(black_box(page.body), UTF_8, |found| {
        if let ScanEvent::Link(link) = found {
            black_box(link.href);
            links += 1;
        }
    });
    links
}
