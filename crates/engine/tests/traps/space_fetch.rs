//! Fetches the pages of a generated site from memory, and measures what was requested.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched};
use crawler_model::Failure;
use testsite::url_spaces::UrlSpace;

use crate::each_kind::Bar;

pub(crate) const ORIGIN: &str = "http://site.example";

/// Longest time that a page takes, on the test's clock.
const MAX_LATENCY: u64 = 60;

pub(crate) struct SpaceFetch {
    pub(crate) site: UrlSpace,
    /// Whether pages take different times, so that workers overtake each other.
    pub(crate) has_latency: bool,
    log: Mutex<Requests>,
}

/// What was requested.
#[derive(Clone, Default, Debug)]
pub(crate) struct Requests {
    pub(crate) total: usize,
    /// Requests that showed nothing that is wanted, or nothing new.
    pub(crate) in_traps: usize,
    shown: HashSet<String>,
    /// The first requests in the trap, for the message of a test that fails.
    examples: Vec<String>,
}

impl SpaceFetch {
    pub(crate) fn new(site: UrlSpace, has_latency: bool) -> Self {
        Self {
            site,
            has_latency,
            log: Mutex::default(),
        }
    }

    pub(crate) fn requests(&self) -> Requests {
        self.log.lock().unwrap().clone()
    }

    fn body(&self, target: &str, location: Option<&str>) -> Option<String> {
        if location.is_some_and(|location| self.site.is_wanted(location)) {
            // The way to a wanted page, or to one that was fetched: an honest site may have many.
            self.log.lock().unwrap().total += 1;
            return None;
        }
        if target == "/sitemap.xml" {
            return self.site.has_sitemap().then(|| self.site.sitemap(ORIGIN));
        }
        let page = self.site.page(target).filter(|_| location.is_none());
        let mut log = self.log.lock().unwrap();
        log.total += 1;
        let is_wanted = match page.as_ref().and_then(|page| page.shows.clone()) {
            Some(shown) => log.shown.insert(shown),
            None => false,
        };
        if !is_wanted {
            log.in_traps += 1;
            if log.examples.len() < 40 {
                log.examples.push(target.to_owned());
            }
        }
        page.map(|page| page.html)
    }
}

impl Fetch for SpaceFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let target = &request.url.as_str()[ORIGIN.len()..];
        if self.has_latency {
            // On a paused clock, so nothing waits.
            let sum: u64 = target.bytes().map(u64::from).sum();
            let latency = Duration::from_millis(1 + sum * 7_919 % MAX_LATENCY);
            tokio::time::sleep(latency).await;
        }
        let location = self.site.redirect(target);
        let body = self.body(target, location.as_deref());
        let status = match (&location, &body) {
            (Some(_), _) => 302,
            (None, Some(_)) => 200,
            (None, None) => 404,
        };
        let body = body.unwrap_or_default();
        Ok(Fetched {
            status,
            content_type: Some("text/html".into()),
            location,
            retry_after: None,
            wire_bytes: body.len() as u64,
            body: match request.accept {
                Accept::File { .. } => Body::File(body.into()),
                Accept::Page | Accept::Document => Body::Html(body.into()),
            },
            truncated: false,
            moved_by_script: false,
            rendering: None,
            elapsed: Duration::ZERO,
        })
    }
}

/// The share of wanted pages that were fetched, and of requests that were spent in traps.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) wanted: usize,
    pub(crate) missing: Vec<String>,
    pub(crate) requests: Requests,
}

impl Measured {
    pub(crate) fn of(fetch: &SpaceFetch) -> Self {
        let requests = fetch.requests();
        let missing = |target: &&str| !requests.shown.contains(*target);
        Self {
            wanted: fetch.site.honest().count(),
            missing: fetch
                .site
                .honest()
                .filter(missing)
                .map(str::to_owned)
                .collect(),
            requests,
        }
    }

    /// Prints the result, and returns what is not good enough.
    #[expect(
        clippy::print_stdout,
        reason = "the figures are the result of the test"
    )]
    pub(crate) fn failures(&self, name: &str, bar: Bar) -> Vec<String> {
        let Self {
            wanted, requests, ..
        } = self;
        let kept = wanted - self.missing.len();
        println!(
            "{name}: {kept} of {wanted} wanted pages ({:.1} %), {} of {} requests in traps ({:.1} %)",
            100.0 * kept as f64 / *wanted as f64,
            requests.in_traps,
            requests.total,
            100.0 * requests.in_traps as f64 / requests.total as f64,
        );
        let mut failures = Vec::new();
        if kept * 100 < wanted * bar.kept {
            failures.push(format!(
                "{name}: {kept} of {wanted} wanted pages were fetched; missing: {:?}",
                &self.missing[..self.missing.len().min(20)]
            ));
        }
        if requests.in_traps * 100 > requests.total * bar.in_traps {
            failures.push(format!(
                "{name}: {} of {} requests were spent in traps: {:?}",
                requests.in_traps, requests.total, requests.examples
            ));
        }
        failures
    }
}
