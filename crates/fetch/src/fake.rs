//! A fetcher without a network, for the tests of other rooms.

use std::collections::HashMap;
use std::time::Duration;

use model::{FailKind, Failure};

use crate::{Body, Fetch, FetchRequest, Fetched};

/// Answers from a table; what is not in it is a 404.
#[derive(Clone, Default, Debug)]
pub struct FakeFetch {
    /// URL → what to answer.
    pub answers: HashMap<String, Result<Fetched, Failure>>,
}

impl FakeFetch {
    /// The same fetcher with one more page of HTML.
    #[must_use]
    pub fn page(mut self, url: &str, html: &str) -> Self {
        let mut answer = status(200);
        answer.content_type = Some("text/html".into());
        answer.body = Body::Html(html.to_owned().into());
        answer.wire_bytes = html.len() as u64;
        self.answers.insert(url.into(), Ok(answer));
        self
    }

    /// The same fetcher with one more file, such as robots.txt.
    #[must_use]
    pub fn file(mut self, url: &str, text: &str) -> Self {
        let mut answer = status(200);
        answer.content_type = Some("text/plain".into());
        answer.body = Body::File(text.to_owned().into());
        answer.wire_bytes = text.len() as u64;
        self.answers.insert(url.into(), Ok(answer));
        self
    }

    /// The same fetcher with one more redirect.
    #[must_use]
    pub fn redirect(mut self, url: &str, location: &str) -> Self {
        let mut answer = status(301);
        answer.location = Some(location.into());
        self.answers.insert(url.into(), Ok(answer));
        self
    }

    /// The same fetcher with one more failure.
    #[must_use]
    pub fn failure(mut self, url: &str, kind: FailKind, words: &str) -> Self {
        let failure = Failure::new(kind, words);
        self.answers.insert(url.into(), Err(failure));
        self
    }
}

impl Fetch for FakeFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let known = self.answers.get(request.url.as_str()).cloned();
        known.unwrap_or_else(|| Ok(status(404)))
    }
}

/// An answer with nothing but a status.
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
