//! Fetchers and requests for tests.

use std::time::Duration;

use fetch::{Body, Fetch, FetchRequest, Fetched, Guard, HttpFetch, Want};
use model::{Deadlines, Failure, FetchRules};
use weburl::CrawlUrl;

/// Rules for a crawl that begins at `seed`, with deadlines no healthy test comes near.
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

/// A fetcher with those rules.
pub(crate) fn fetcher(rules: &FetchRules) -> HttpFetch {
    HttpFetch::new(rules, 16, Guard::anywhere(), sniff).unwrap()
}

/// A page, by a fetcher.
pub(crate) async fn page(fetcher: &HttpFetch, url: &str) -> Result<Fetched, Failure> {
    let url = CrawlUrl::parse(url).unwrap();
    let want = Want::Page;
    fetcher.fetch(FetchRequest::new(&url, want)).await
}

/// A file, by a fetcher.
pub(crate) async fn file(fetcher: &HttpFetch, url: &str, max: u64) -> Result<Fetched, Failure> {
    let url = CrawlUrl::parse(url).unwrap();
    let want = Want::File { max_bytes: max };
    fetcher.fetch(FetchRequest::new(&url, want)).await
}

/// The bytes of an HTML body.
pub(crate) fn html(got: &Fetched) -> &[u8] {
    match &got.body {
        Body::Html(bytes) => bytes,
        other => panic!("no html: {other:?}"),
    }
}
