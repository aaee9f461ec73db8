//! What a worker returns: exactly one per task.

use std::sync::Arc;
use std::time::Duration;

use weburl::CrawlUrl;

use crate::{Found, LinkList, Outcome, PageDocument, Rendering, Task};

/// What became of one URL, with everything that is known about it.
#[derive(Clone, Debug)]
pub struct PageReport {
    /// The URL as first met: what is printed.
    pub url: CrawlUrl,
    /// Where it was fetched, when a redirect to the same page (a merged slash, an ignored query) was
    /// followed in place.
    pub landed: Option<CrawlUrl>,
    /// Hops from the seed.
    pub depth: u32,
    /// Redirects walked to get here.
    pub hops: u32,
    /// The page it was found on.
    pub via: Option<Arc<str>>,
    /// How it was found.
    pub found: Found,
    /// Attempts made, this one included; 0 when no request was made.
    pub attempt: u32,
    /// What became of it.
    pub outcome: Outcome,
    /// Its links.
    pub links: LinkList,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The content type as sent.
    pub content_type: Option<String>,
    /// Bytes of body as they came over the wire.
    pub wire_bytes: u64,
    /// Bytes of body after decoding.
    pub body_bytes: u64,
    /// The body was longer than we read.
    pub truncated: bool,
    /// Whether a browser had part in it, and why, where that was a question.
    pub rendering: Option<Rendering>,
    /// How long the request took.
    pub elapsed: Duration,
    /// The host asked not to be asked again for this long.
    pub retry_after: Option<Duration>,
    /// Its content, where the plan asks for it.
    pub document: Option<Box<PageDocument>>,
    /// The task's number.
    pub ticket: u64,
}

impl PageReport {
    /// A report for a task with nothing known but its outcome.
    pub fn new(task: Task, outcome: Outcome) -> Self {
        let (url, landed) = match task.first_met {
            Some(first_met) => (first_met, Some(task.url)),
            None => (task.url, None),
        };
        Self {
            url,
            landed,
            depth: task.depth,
            hops: task.hops,
            via: task.via,
            found: task.found,
            attempt: task.attempt,
            outcome,
            links: LinkList::default(),
            status: None,
            content_type: None,
            wire_bytes: 0,
            body_bytes: 0,
            truncated: false,
            rendering: None,
            elapsed: Duration::ZERO,
            retry_after: None,
            document: None,
            ticket: task.ticket,
        }
    }

    /// The task this report answers, to be tried again.
    pub fn task(&self) -> Task {
        let (url, first_met) = match &self.landed {
            Some(landed) => (landed.clone(), Some(self.url.clone())),
            None => (self.url.clone(), None),
        };
        Task {
            url,
            first_met,
            depth: self.depth,
            hops: self.hops,
            via: self.via.clone(),
            found: self.found,
            attempt: self.attempt,
            ticket: self.ticket,
        }
    }

    /// Whether the page uses up one of `--max-pages`: everything that was asked for does.
    pub fn counts_as_page(&self) -> bool {
        !matches!(self.outcome, Outcome::Skipped(_))
    }

    /// The error text of machine formats: `fetch failed: server error (500)`.
    pub fn error_text(&self) -> Option<String> {
        self.outcome
            .failure()
            .map(|failure| format!("fetch failed: {failure}"))
    }
}
