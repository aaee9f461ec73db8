//! One finished page of a crawl.

use std::time::Duration;

use crawler_model::{Failure, PageDocument, PageReport};

use crate::PageOutcome;

/// A finished URL of a crawl: fetched, redirected, skipped or failed.
#[derive(Clone, Debug)]
pub struct Page(Box<PageReport>);

impl Page {
    pub(crate) fn new(report: Box<PageReport>) -> Self {
        Self(report)
    }

    /// Returns the normalized URL.
    pub fn url(&self) -> &str {
        self.0.url.as_str()
    }

    /// Returns the HTTP status; `None` if there was no response.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Returns the number of links between the seed and this page.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Returns the page on which the URL was first found; `None` for the seed.
    pub fn found_on(&self) -> Option<&str> {
        self.0.via.as_deref()
    }

    /// Returns the links on the page: absolute, in document order. A redirect has one link, its target.
    pub fn links(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.links.iter().map(|link| link.full)
    }

    /// Returns what happened to the URL.
    pub fn outcome(&self) -> PageOutcome<'_> {
        (&self.0.outcome).into()
    }

    /// Returns why the page could not be fetched; `None` if it did not fail.
    pub fn error(&self) -> Option<&Failure> {
        self.0.outcome.failure()
    }

    /// Returns the Content-Type header.
    pub fn content_type(&self) -> Option<&str> {
        self.0.content_type.as_deref()
    }

    /// Returns the number of attempts; 0 if it was not requested.
    pub fn attempts(&self) -> u32 {
        self.0.attempt
    }

    /// Whether the body was longer than the limit and was truncated.
    pub fn is_truncated(&self) -> bool {
        self.0.truncated
    }

    /// Returns the length of the body in bytes, after decompression.
    pub fn body_bytes(&self) -> u64 {
        self.0.body_bytes
    }

    /// Returns the time from the request to the end of the response.
    pub fn elapsed(&self) -> Duration {
        self.0.took()
    }

    /// Whether a browser rendered the page.
    pub fn is_rendered(&self) -> bool {
        self.0.rendering.is_some_and(|rendering| rendering.rendered)
    }

    /// Returns the content of the page, if [`Crawl::documents`](crate::Crawl::documents) was set and the page has any.
    pub fn document(&self) -> Option<&PageDocument> {
        self.0.document.as_deref()
    }
}
