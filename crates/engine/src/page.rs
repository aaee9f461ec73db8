//! The page worker: takes one task and always returns exactly one report.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched, TabMeter};
use crawler_model::site_rules::PageStatus;
use crawler_model::{
    CrawlRules, DocumentRules, FailKind, Failure, JsPolicy, LinkFacts, LinkList, Outcome,
    PageReport, Task,
};
use crawler_weburl::{CrawlUrl, Resolved, Resolver, ScopeVerdict};
use futures_util::FutureExt;

use crate::find_links::find_links;

/// A longer page is extracted on a blocking thread.
const LONG_PAGE: usize = 16 << 10;
/// A longer page is searched for links on a blocking thread: its links may have 16 MB of text.
const LONG_PAGE_OF_LINKS: usize = 128 << 10;

/// Fetches a page, finds its links and, if the plan says so, extracts its content. A panic is reported as a failure.
pub(crate) async fn report_on<T: Fetch>(
    task: Task,
    fetch: &T,
    plan: &Arc<CrawlRules>,
) -> PageReport {
    let started_at = Instant::now();
    let task_copy = task.clone();
    let tabs = (plan.js != JsPolicy::Never).then(TabTime::start);
    let meter = tabs.as_ref().map(|tabs| &tabs.meter);
    let attempt = attempt(task, fetch, plan, meter);
    let mut report = match AssertUnwindSafe(attempt).catch_unwind().await {
        Ok(report) => report,
        Err(panic) => {
            let message = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "unknown".to_owned());
            let failure = Failure::new(FailKind::Internal, format!("internal error: {message}"));
            let mut report = PageReport::new(task_copy, Outcome::Failed(failure));
            report.elapsed = started_at.elapsed();
            report
        }
    };
    report.browser_time = tabs.map_or(Duration::ZERO, |tabs| tabs.held());
    report
}

/// The time for which browser tabs were held for one page.
struct TabTime {
    millis: Arc<AtomicU64>,
    meter: TabMeter,
}

impl TabTime {
    fn start() -> Self {
        let millis = Arc::<AtomicU64>::default();
        let sum = Arc::clone(&millis);
        let meter = TabMeter::new(move |held| {
            let held = u64::try_from(held.as_millis()).unwrap_or(u64::MAX);
            sum.fetch_add(held, Ordering::Relaxed);
        });
        Self { millis, meter }
    }

    fn held(&self) -> Duration {
        Duration::from_millis(self.millis.load(Ordering::Relaxed))
    }
}

async fn attempt<T: Fetch>(
    task: Task,
    fetch: &T,
    plan: &Arc<CrawlRules>,
    tab_meter: Option<&TabMeter>,
) -> PageReport {
    let started_at = Instant::now();
    let url = task.url.clone();
    let accept = if plan.documents.is_some() {
        Accept::Document
    } else {
        Accept::Page
    };
    let request = FetchRequest {
        js: plan.js,
        visit: plan.visit,
        tab_owner: plan.tab_owner,
        tab_meter,
        ..FetchRequest::new(&url, accept)
    };
    let response = fetch.fetch(request).await;
    let mut report = match response {
        Err(failure) => PageReport::new(task, Outcome::Failed(failure)),
        Ok(fetched) if is_long(&fetched, plan) => {
            let plan = Arc::clone(plan);
            let reading = move || read_response(task, &url, fetched, &plan);
            match tokio::task::spawn_blocking(reading).await {
                Ok(report) => report,
                // The task is never canceled, so it panicked; `report_on` reports that.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        }
        Ok(fetched) => read_response(task, &url, fetched, plan),
    };
    report.elapsed = started_at.elapsed();
    report
}

fn read_response(task: Task, url: &CrawlUrl, fetched: Fetched, plan: &CrawlRules) -> PageReport {
    let (outcome, links) = outcome_of(url, &fetched, plan);
    let wants_text = task.wants_text;
    let mut report = PageReport::new(task, outcome);
    if let (true, Outcome::Fetched { html: true }, Body::Html(body)) =
        (wants_text, &report.outcome, &fetched.body)
    {
        report.text = Some(Box::new(crawler_html::text_sketch(body, url.as_str())));
    }
    report.truncated = fetched.truncated || links.is_incomplete();
    report.links = links;
    report.status = Some(fetched.status);
    report.body_bytes = body_len(&fetched) as u64;
    report.wire_bytes = fetched.wire_bytes;
    report.retry_after = fetched.retry_after;
    report.rendering = fetched.rendering;
    match plan.documents {
        Some(rules) if has_document(&fetched, rules) => {
            report.content_type.clone_from(&fetched.content_type);
            read_content(&mut report, url, fetched);
        }
        _ => report.content_type = fetched.content_type,
    }
    report
}

pub(crate) fn body_len(fetched: &Fetched) -> usize {
    match &fetched.body {
        Body::Html(body) | Body::File(body) => body.len(),
        Body::Unread => 0,
    }
}

/// Whether a page takes too long for a thread that other tasks need.
fn is_long(fetched: &Fetched, plan: &CrawlRules) -> bool {
    let threshold = match plan.documents {
        Some(_) => LONG_PAGE,
        None => LONG_PAGE_OF_LINKS,
    };
    // Each link is matched against the patterns.
    body_len(fetched) > threshold / plan.scope.passes().max(1)
}

fn has_document(fetched: &Fetched, rules: DocumentRules) -> bool {
    match fetched.page_status() {
        PageStatus::Success => true,
        PageStatus::ErrorPage(_) => rules.error_pages,
        PageStatus::Redirect | PageStatus::Unusable(_) => false,
    }
}

/// Extracts the document, if the page has one.
#[cfg(feature = "content")]
fn read_content(report: &mut PageReport, url: &CrawlUrl, fetched: Fetched) {
    use crate::scrape::{Document, Part, ScrapeResponse};

    let response = ScrapeResponse {
        requested: report.url.clone(),
        url: url.clone(),
        hops: report.hops,
        fetched_at: std::time::SystemTime::now(),
        fetched,
    };
    report.document = Document::read(response, Part::Main)
        .ok()
        .map(|document| Box::new(document.page_document()));
}

/// A build without the feature `content` reads no documents.
#[cfg(not(feature = "content"))]
fn read_content(_report: &mut PageReport, _url: &CrawlUrl, _fetched: Fetched) {}

fn outcome_of(url: &CrawlUrl, fetched: &Fetched, plan: &CrawlRules) -> (Outcome, LinkList) {
    match fetched.page_status() {
        PageStatus::Success => match &fetched.body {
            Body::Html(body) => {
                let links = find_links(body, fetched.content_type.as_deref(), url, plan);
                (Outcome::Fetched { html: true }, links)
            }
            _ => (Outcome::Fetched { html: false }, LinkList::default()),
        },
        PageStatus::Redirect => redirected(url, fetched, plan),
        PageStatus::ErrorPage(_) | PageStatus::Unusable(_) => (
            Outcome::Failed(Failure::of_status(fetched.status)),
            LinkList::default(),
        ),
    }
}

fn redirected(url: &CrawlUrl, fetched: &Fetched, plan: &CrawlRules) -> (Outcome, LinkList) {
    match redirect_target(url, fetched) {
        Ok(to) => {
            let links = one_link(&to, plan);
            (Outcome::Redirected { to }, links)
        }
        Err(failure) => (Outcome::Failed(failure), LinkList::default()),
    }
}

/// Returns the target of a redirect as an absolute web URL.
pub(crate) fn redirect_target(url: &CrawlUrl, fetched: &Fetched) -> Result<CrawlUrl, Failure> {
    let bad_redirect = |message: String| Failure::new(FailKind::BadRedirect, message);
    let status = fetched.status;
    let Some(location) = fetched
        .location
        .as_deref()
        .filter(|text| !text.trim().is_empty())
    else {
        return Err(bad_redirect(format!(
            "redirect without a target ({status})"
        )));
    };
    let mut target = String::new();
    match Resolver::new(url).resolve(location, &mut target) {
        Resolved::Web(target) => CrawlUrl::from_normalized(target.as_str())
            .ok_or_else(|| bad_redirect(format!("redirect to an invalid URL ({status})"))),
        Resolved::Other => {
            let scheme = target.split(':').next().unwrap_or_default();
            Err(bad_redirect(format!(
                "redirect to a {scheme}: URL ({status})"
            )))
        }
        Resolved::Invalid => Err(bad_redirect(format!(
            "redirect to an invalid URL ({status})"
        ))),
    }
}

/// Returns the link list of a redirect, whose only link is its target.
fn one_link(to: &CrawlUrl, plan: &CrawlRules) -> LinkList {
    let in_scope = plan.scope.verdict(to.parts()) == ScopeVerdict::In;
    let facts = LinkFacts {
        web: true,
        in_scope,
        ..LinkFacts::default()
    };
    let mut links = LinkList::default();
    links.push(
        to.as_str(),
        to.as_str().len(),
        plan.keys.key(to.parts()),
        facts,
    );
    links
}
