//! A fetched response.

use std::time::Duration;

use bytes::Bytes;
use crawler_model::Rendering;
use crawler_model::site_rules::PageStatus;

/// A response: its status, the headers a crawler acts on, and its body as far as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// The first `Content-Type` header, as sent.
    pub content_type: Option<String>,
    /// The `Location` header as sent: UTF-8, or else Latin-1.
    pub location: Option<String>,
    /// Delay requested by `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Body,
    /// Bytes of the body received, before decoding.
    pub wire_bytes: u64,
    /// Whether the body is incomplete: longer than the cap, or its content coding ended early.
    pub truncated: bool,
    /// A script navigated to `location`; there is no body.
    pub moved_by_script: bool,
    /// Whether a browser rendered the page, and why; `None` if that was not considered.
    pub rendering: Option<Rendering>,
    /// Time from the request to the last byte read.
    pub elapsed: Duration,
}

impl Fetched {
    /// Classifies the status; a navigation by a script is a redirect too.
    #[inline]
    pub fn page_status(&self) -> PageStatus {
        if self.moved_by_script {
            return PageStatus::Redirect;
        }
        PageStatus::of(self.status, self.location.is_some())
    }

    /// Whether this is a redirect, by its status or by a script.
    #[inline]
    pub fn is_redirect(&self) -> bool {
        self.page_status() == PageStatus::Redirect
    }
}

/// A body, as far as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// HTML, by its content type or, without one, by its first bytes.
    Html(Bytes),
    /// The bytes of a file of any type.
    File(Bytes),
    /// Not needed, and not read.
    Unread,
}
