//! One finished page of a crawl.

use std::time::Duration;

use crawler_model::{Failure, Outcome, PageDocument, PageReport};

/// A URL the crawl is done with: fetched, redirected, skipped or failed.
#[derive(Clone, Debug)]
pub struct Page(PageReport);

impl Page {
    pub(crate) fn new(report: PageReport) -> Self {
        Self(report)
    }

    /// The URL, in normal form.
    pub fn url(&self) -> &str {
        self.0.url.as_str()
    }

    /// The HTTP status; `None` if there was no response.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Number of links between the seed and this page.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The page on which the URL was first found; `None` for the seed.
    pub fn found_on(&self) -> Option<&str> {
        self.0.via.as_deref()
    }

    /// The links on the page, absolute, in document order. A redirect has one link, its target.
    pub fn links(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.links.iter().map(|link| link.full)
    }

    /// What became of the URL.
    pub fn outcome(&self) -> &Outcome {
        &self.0.outcome
    }

    /// Why the page could not be fetched, if so.
    pub fn error(&self) -> Option<&Failure> {
        self.0.outcome.failure()
    }

    /// The Content-Type header.
    pub fn content_type(&self) -> Option<&str> {
        self.0.content_type.as_deref()
    }

    /// Length of the body in bytes, after decompression.
    pub fn body_bytes(&self) -> u64 {
        self.0.body_bytes
    }

    /// Time from the request to the end of the response.
    pub fn elapsed(&self) -> Duration {
        self.0.took()
    }

    /// Whether a browser rendered the page.
    pub fn is_rendered(&self) -> bool {
        self.0.rendering.is_some_and(|rendering| rendering.rendered)
    }

    /// The content of the page, if [`Crawl::documents`](crate::Crawl::documents) asked for it and the page has any.
    pub fn document(&self) -> Option<&PageDocument> {
        self.0.document.as_deref()
    }
}
