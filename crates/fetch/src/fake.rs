//! A [`Fetch`] without a network, for tests of other crates.

use std::collections::HashMap;
use std::time::Duration;

use crawler_model::{FailKind, Failure};

use crate::{Body, Fetch, FetchRequest, Fetched};

/// Returns responses from a table, and 404 for all other URLs.
#[derive(Clone, Default, Debug)]
pub struct FakeFetch {
    /// Response or failure by URL.
    pub responses: HashMap<String, Result<Fetched, Failure>>,
}

impl FakeFetch {
    /// Adds an HTML page.
    #[must_use]
    pub fn page(mut self, url: &str, html: &str) -> Self {
        let mut response = status(200);
        response.content_type = Some("text/html".into());
        response.body = Body::Html(html.to_owned().into());
        response.wire_bytes = html.len() as u64;
        self.responses.insert(url.into(), Ok(response));
        self
    }

    /// Adds a file, such as robots.txt.
    #[must_use]
    pub fn file(mut self, url: &str, text: &str) -> Self {
        let mut response = status(200);
        response.content_type = Some("text/plain".into());
        response.body = Body::File(text.to_owned().into());
        response.wire_bytes = text.len() as u64;
        self.responses.insert(url.into(), Ok(response));
        self
    }

    /// Adds a redirect.
    #[must_use]
    pub fn redirect(mut self, url: &str, location: &str) -> Self {
        let mut response = status(301);
        response.location = Some(location.into());
        self.responses.insert(url.into(), Ok(response));
        self
    }

    /// Adds a failure.
    #[must_use]
    pub fn failure(mut self, url: &str, kind: FailKind, message: &str) -> Self {
        let failure = Failure::new(kind, message);
        self.responses.insert(url.into(), Err(failure));
        self
    }
}

impl Fetch for FakeFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let response = self.responses.get(request.url.as_str()).cloned();
        response.unwrap_or_else(|| Ok(status(404)))
    }
}

/// Returns a response with only a status.
pub fn status(status: u16) -> Fetched {
    Fetched {
        status,
        content_type: None,
        location: None,
        retry_after: None,
        body: Body::Unread,
        wire_bytes: 0,
        truncated: false,
        moved_by_script: false,
        rendering: None,
        elapsed: Duration::ZERO,
    }
}
