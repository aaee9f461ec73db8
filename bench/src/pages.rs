//! The pages that the cases read, and the plan they use.
//!
//! They are files, not output of `testsite`'s generators (which wrote the first two), so that a change to the generators does
//! not change the counts.

use crawler_model::{CrawlPlan, CrawlSpec, Discovery, Outcome, PageReport, Task};
use crawler_weburl::CrawlUrl;

/// A page and its URL.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    pub(crate) name: &'static str,
    pub(crate) url: &'static str,
    pub(crate) body: &'static [u8],
    /// Number of links.
    pub(crate) links: usize,
}

/// Small: 3 KB, 20 links, all of the same form.
pub(crate) const S: Page = Page {
    name: "s",
    url: "https://docs.example.org/p/417",
    body: include_bytes!("../pages/s.html"),
    links: 20,
};

/// Realistic: 63 KB, 120 links in every spelling and three of other schemes, styles, scripts, comments.
pub(crate) const R: Page = Page {
    name: "r",
    url: "https://docs.example.org/docs/guides/copper-winter-41/",
    body: include_bytes!("../pages/r.html"),
    links: 123,
};

/// Difficult to scan: broken comments and tags, raw text, templates, SVG, character references.
pub(crate) const SOUP: Page = Page {
    name: "soup",
    url: "https://docs.example.org/soup",
    body: include_bytes!("../pages/soup.html"),
    links: 144,
};

/// Content type of every page.
pub(crate) const CONTENT_TYPE: &str = "text/html; charset=utf-8";

/// The plan of a crawl with default settings, except for `max_pages`.
pub(crate) fn plan(seed: &str) -> CrawlPlan {
    let spec = CrawlSpec {
        seed: seed.into(),
        max_pages: Some(0),
        ..CrawlSpec::default()
    };
    CrawlPlan::resolve(&spec, "crawler/0.1", 0x5eed).expect("a fixed plan is valid")
}

/// A fixed URL.
pub(crate) fn url(text: &str) -> CrawlUrl {
    CrawlUrl::parse(text).expect("a fixed URL is valid")
}

/// The report of a page, with its links.
pub(crate) fn report(page: Page) -> PageReport {
    let page_url = url(page.url);
    let via = Some("https://docs.example.org/".into());
    let links =
        crawler_engine::find_links(page.body, Some(CONTENT_TYPE), &page_url, &plan(page.url));
    let task = Task {
        attempt: 1,
        ..Task::new(page_url, Discovery::Link, 1, via)
    };
    let mut report = PageReport::new(task, Outcome::Fetched { html: true });
    report.links = links;
    report.status = Some(200);
    report.content_type = Some(CONTENT_TYPE.into());
    report.wire_bytes = page.body.len() as u64;
    report.body_bytes = page.body.len() as u64;
    report
}
