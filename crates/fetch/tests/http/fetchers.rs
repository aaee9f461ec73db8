//! Fetchers and requests used by the tests.

use std::time::Duration;

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched, Guard, HttpFetch};
use crawler_model::{Deadlines, Failure, FetchRules};
use crawler_weburl::CrawlUrl;

/// Rules for a crawl that starts at `seed`, with deadlines far longer than any test needs.
pub(crate) fn rules(seed: &str) -> FetchRules {
    FetchRules {
        deadlines: Deadlines::within(Duration::from_secs(20)),
        max_body: 1_000_000,
        user_agent: "testbot/1.0".into(),
        headers: Vec::new(),
        userinfo: None,
        proxies: Vec::new(),
        seed: Some(CrawlUrl::parse(seed).unwrap()),
    }
}

pub(crate) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(b"<html")
}

/// Creates a fetcher with these rules.
pub(crate) fn fetcher(rules: &FetchRules) -> HttpFetch {
    HttpFetch::new(rules, 16, Guard::anywhere(), sniff).unwrap()
}

/// Fetches a page.
pub(crate) async fn page(fetcher: &HttpFetch, url: &str) -> Result<Fetched, Failure> {
    let url = CrawlUrl::parse(url).unwrap();
    let accept = Accept::Page;
    fetcher.fetch(FetchRequest::new(&url, accept)).await
}

/// Fetches a file.
pub(crate) async fn file(fetcher: &HttpFetch, url: &str, max: u64) -> Result<Fetched, Failure> {
    let url = CrawlUrl::parse(url).unwrap();
    let accept = Accept::File { max_bytes: max };
    fetcher.fetch(FetchRequest::new(&url, accept)).await
}

/// Returns the bytes of an HTML body.
pub(crate) fn html(got: &Fetched) -> &[u8] {
    match &got.body {
        Body::Html(bytes) => bytes,
        other => panic!("not HTML: {other:?}"),
    }
}
