//! Collecting a page's links as a crawl does: charset, base, scan, resolve, key, scope, one list.

use std::hint::black_box;

use crate::case::Case;
use crate::pages::{CONTENT_TYPE, R, S, plan, url};

pub(crate) fn cases() -> Vec<Case> {
    [(S, 100), (R, 50)]
        .map(|(page, times)| {
            Case::new(
                format!("links-{}", page.name),
                times,
                page.links,
                move |_| {
                    let (page_url, plan) = (url(page.url), plan(page.url));
                    Box::new(move || {
                        crawler_engine::find_links(
                            black_box(page.body),
                            Some(CONTENT_TYPE),
                            &page_url,
                            &plan,
                        )
                        .len()
                    })
                },
            )
        })
        .into()
}

#[cfg(test)]
mod tests {
    use crate::pages::{R, S, report};

    #[test]
    fn the_pages_have_the_declared_number_of_links() {
        for (page, web) in [(S, 20), (R, 120)] {
            let links = report(page).links;
            let found = links.iter().filter(|link| link.facts.web).count();
            assert_eq!((links.len(), found), (page.links, web), "{}", page.name);
        }
    }
}
