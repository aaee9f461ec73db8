//! The report of a worker, exactly one per task.

use std::sync::Arc;
use std::time::Duration;

use crawler_weburl::CrawlUrl;

use crate::{Discovery, LinkList, Outcome, PageDocument, Rendering, Task, TextSketch};

/// The outcome of one URL, with its details.
#[derive(Clone, Debug)]
pub struct PageReport {
    /// The URL as first found, which is the one printed.
    pub url: CrawlUrl,
    /// The URL it was fetched from, if a redirect to the same page (a merged slash, an ignored query) was followed in
    /// place.
    pub fetched_url: Option<CrawlUrl>,
    /// Number of links followed from the seed.
    pub depth: u32,
    /// Number of redirects followed to reach it.
    pub hops: u32,
    /// The page it was found on.
    pub via: Option<Arc<str>>,
    /// How it was found.
    pub found: Discovery,
    /// Number of attempts, including this one; 0 if no request was made.
    pub attempt: u32,
    /// The outcome.
    pub outcome: Outcome,
    /// Its links.
    pub links: LinkList,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The content type as sent.
    pub content_type: Option<String>,
    /// Bytes of the body received, before decoding.
    pub wire_bytes: u64,
    /// Length of the decoded body.
    pub body_bytes: u64,
    /// Whether the body was truncated, or could not be read completely: links may be missing.
    pub truncated: bool,
    /// Whether a browser rendered it, and why; `None` if rendering was off.
    pub rendering: Option<Rendering>,
    /// How long browser tabs were held for it, also if that failed. Not part of what is stored of a report.
    pub browser_time: Duration,
    /// Time from the request to the report, including the wait for a free tab; users see [`PageReport::took`].
    pub elapsed: Duration,
    /// Pause requested by the host (`Retry-After`).
    pub retry_after: Option<Duration>,
    /// Its content, if the plan asks for documents.
    pub document: Option<Box<PageDocument>>,
    /// A sketch of its text, if the task asked for one and it is an HTML page.
    pub text: Option<Box<TextSketch>>,
    /// The task's ticket.
    pub ticket: u64,
}

impl PageReport {
    /// Creates a report with only an outcome.
    pub fn new(task: Task, outcome: Outcome) -> Self {
        let (url, fetched_url) = match task.reported_url {
            Some(reported_url) => (reported_url, Some(task.url)),
            None => (task.url, None),
        };
        Self {
            url,
            fetched_url,
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
            browser_time: Duration::ZERO,
            elapsed: Duration::ZERO,
            retry_after: None,
            document: None,
            text: None,
            ticket: task.ticket,
        }
    }

    /// Returns the task of this report, for another attempt.
    pub fn task(&self) -> Task {
        let (url, reported_url) = match &self.fetched_url {
            Some(fetched_url) => (fetched_url.clone(), Some(self.url.clone())),
            None => (self.url.clone(), None),
        };
        Task {
            url,
            reported_url,
            depth: self.depth,
            hops: self.hops,
            via: self.via.clone(),
            found: self.found,
            attempt: self.attempt,
            wants_text: false,
            ticket: self.ticket,
        }
    }

    /// Returns the time the page took, without the wait for a free tab.
    pub fn took(&self) -> Duration {
        let waited = self.rendering.map(|rendering| rendering.waited);
        self.elapsed.saturating_sub(waited.unwrap_or_default())
    }

    /// Whether it counts toward the maximum number of pages: everything that was requested does.
    pub fn counts_as_page(&self) -> bool {
        !matches!(self.outcome, Outcome::Skipped(_))
    }

    /// Returns the error text used in machine-readable formats: `fetch failed: server error (500)`.
    pub fn error_text(&self) -> Option<String> {
        self.outcome
            .failure()
            .map(|failure| format!("fetch failed: {failure}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RenderReason;

    #[test]
    fn the_wait_for_a_tab_is_subtracted_from_the_pages_time() {
        let task = Task {
            url: CrawlUrl::parse("https://e.x/").unwrap(),
            reported_url: None,
            depth: 0,
            hops: 0,
            via: None,
            found: Discovery::Seed,
            attempt: 1,
            wants_text: false,
            ticket: 0,
        };
        let mut report = PageReport::new(task, Outcome::Fetched { html: true });
        report.elapsed = Duration::from_secs(7);
        assert_eq!(report.took(), Duration::from_secs(7));
        for (waited, took) in [(0, 7), (5, 2), (9, 0)] {
            let rendering = Rendering::because(RenderReason::Requested);
            report.rendering = Some(rendering.after(Duration::from_secs(waited)));
            assert_eq!(report.took(), Duration::from_secs(took));
        }
    }
}
