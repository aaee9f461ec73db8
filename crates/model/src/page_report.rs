//! What a worker returns: exactly one per task.

use std::sync::Arc;
use std::time::Duration;

use crawler_weburl::CrawlUrl;

use crate::{Discovery, LinkList, Outcome, PageDocument, Rendering, Task};

/// What became of one URL, with everything that is known about it.
#[derive(Clone, Debug)]
pub struct PageReport {
    /// The URL as first found: the one that is printed.
    pub url: CrawlUrl,
    /// Where it was fetched, when a redirect to the same page (a merged slash, an ignored query) was
    /// followed in place.
    pub landed: Option<CrawlUrl>,
    /// Links followed from the seed.
    pub depth: u32,
    /// Redirects followed to get here.
    pub hops: u32,
    /// The page it was found on.
    pub via: Option<Arc<str>>,
    /// How it was found.
    pub found: Discovery,
    /// Attempts made, this one included; 0 when no request was made.
    pub attempt: u32,
    /// What became of it.
    pub outcome: Outcome,
    /// Its links.
    pub links: LinkList,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The content type as sent.
    pub content_type: Option<String>,
    /// Bytes of body as they came over the wire.
    pub wire_bytes: u64,
    /// Bytes of body after decoding.
    pub body_bytes: u64,
    /// Whether the body was longer than we read.
    pub truncated: bool,
    /// Whether a browser rendered it and why, where that was considered.
    pub rendering: Option<Rendering>,
    /// Time from the request to its report, waiting for a free tab included; users see [`PageReport::took`].
    pub elapsed: Duration,
    /// The pause that the host asked for (`Retry-After`).
    pub retry_after: Option<Duration>,
    /// Its content, where the plan asks for it.
    pub document: Option<Box<PageDocument>>,
    /// The task's ticket.
    pub ticket: u64,
}

impl PageReport {
    /// A report with nothing but an outcome.
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

    /// The task of this report, to be tried again.
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

    /// How long the page took, without waiting for a free tab.
    pub fn took(&self) -> Duration {
        let waited = self.rendering.map(|rendering| rendering.waited);
        self.elapsed.saturating_sub(waited.unwrap_or_default())
    }

    /// Whether the page uses up one of `--max-pages`: everything that was requested does.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RenderReason;

    #[test]
    fn a_wait_for_a_tab_is_not_the_pages_own_time() {
        let task = Task {
            url: CrawlUrl::parse("https://e.x/").unwrap(),
            first_met: None,
            depth: 0,
            hops: 0,
            via: None,
            found: Discovery::Seed,
            attempt: 1,
            ticket: 0,
        };
        let mut report = PageReport::new(task, Outcome::Fetched { html: true });
        report.elapsed = Duration::from_secs(7);
        assert_eq!(report.took(), Duration::from_secs(7));
        for (waited, took) in [(0, 7), (5, 2), (9, 0)] {
            let rendering = Rendering::because(RenderReason::Asked);
            report.rendering = Some(rendering.after(Duration::from_secs(waited)));
            assert_eq!(report.took(), Duration::from_secs(took));
        }
    }
}
