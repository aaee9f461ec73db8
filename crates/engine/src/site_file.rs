//! The site-file worker: fetches and parses robots.txt and sitemaps.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched};
use crawler_frontier::{
    RobotsFetchResult, SiteFileReport, SiteFileResult, SiteFileTask, SitemapFetchResult,
};
use crawler_model::site_rules::{PageStatus, RobotsStatus};
use crawler_model::{CrawlRules, FailKind, Failure, LinkFacts, LinkList, counted};
use crawler_sitefiles::{Robots, SitemapLimits, SitemapLocation, read_sitemap, robots_token};
use crawler_weburl::{CrawlUrl, Resolved, Resolver};
use futures_util::FutureExt;

use crate::find_links::add_link;
use crate::page::{body_len, redirect_target};

const MAX_SITEMAP_BYTES: u64 = 50 << 20;
/// A longer sitemap is parsed on a blocking thread.
const LONG_SITEMAP: usize = 128 << 10;

/// Runs a site-file task. A panic is reported as a failure.
pub(crate) async fn run<T: Fetch>(
    site_file: SiteFileTask,
    fetch: &T,
    plan: &Arc<CrawlRules>,
) -> SiteFileReport {
    let started_at = Instant::now();
    let task_copy = site_file.clone();
    let attempt = AssertUnwindSafe(attempt(site_file, fetch, plan)).catch_unwind();
    let mut report = attempt.await.unwrap_or_else(|_| {
        let failure = Failure::new(FailKind::Internal, "internal error while reading it");
        report(match task_copy {
            SiteFileTask::Robots(site_file) => {
                SiteFileResult::Robots(site_file, RobotsFetchResult::Unavailable(failure))
            }
            SiteFileTask::Sitemap(site_file) => {
                SiteFileResult::Sitemap(site_file, SitemapFetchResult::Failed(failure))
            }
        })
    });
    report.elapsed = started_at.elapsed();
    report
}

fn report(found: SiteFileResult) -> SiteFileReport {
    SiteFileReport {
        found,
        status: None,
        retry_after: None,
        elapsed: Duration::ZERO,
        wire_bytes: 0,
        text: None,
    }
}

async fn attempt<T: Fetch>(
    site_file: SiteFileTask,
    fetch: &T,
    plan: &Arc<CrawlRules>,
) -> SiteFileReport {
    let max_bytes = match &site_file {
        SiteFileTask::Robots(_) => Robots::MAX_BYTES as u64 + 1,
        SiteFileTask::Sitemap(_) => MAX_SITEMAP_BYTES,
    };
    let accept = Accept::File { max_bytes };
    let url = site_file.url().clone();
    let response = fetch.fetch(FetchRequest::new(&url, accept)).await;
    let (status, retry_after, wire_bytes) = match &response {
        Ok(fetched) => (
            Some(fetched.status),
            fetched.retry_after,
            fetched.wire_bytes,
        ),
        Err(_) => (None, None, 0),
    };
    let mut text = None;
    let found = match site_file {
        SiteFileTask::Robots(site_file) => {
            text = response.as_ref().ok().and_then(file_text);
            let answer = read_robots(&url, response, &plan.fetch.user_agent);
            SiteFileResult::Robots(site_file, answer)
        }
        SiteFileTask::Sitemap(site_file) => {
            let answer = match response {
                Ok(fetched) if body_len(&fetched) > LONG_SITEMAP => {
                    let plan = Arc::clone(plan);
                    let reading = move || read_sitemap_response(&url, Ok(fetched), &plan);
                    match tokio::task::spawn_blocking(reading).await {
                        Ok(answer) => answer,
                        // The task is never canceled, so it panicked; `run` reports that.
                        Err(error) => std::panic::resume_unwind(error.into_panic()),
                    }
                }
                response => read_sitemap_response(&url, response, plan),
            };
            SiteFileResult::Sitemap(site_file, answer)
        }
    };
    SiteFileReport {
        status,
        retry_after,
        wire_bytes,
        text,
        ..report(found)
    }
}

/// Returns the text of the file, if there is one.
pub(crate) fn file_text(fetched: &Fetched) -> Option<String> {
    match (fetched.page_status(), &fetched.body) {
        (PageStatus::Success, Body::File(body) | Body::Html(body)) => {
            Some(String::from_utf8_lossy(body).into_owned())
        }
        _ => None,
    }
}

/// Interprets the response to a request for robots.txt. What a file that could not be fetched permits is decided by
/// [`KnownRobots`](crawler_sitefiles::KnownRobots).
pub(crate) fn read_robots(
    url: &CrawlUrl,
    response: Result<Fetched, Failure>,
    agent: &str,
) -> RobotsFetchResult {
    let fetched = match response {
        Ok(fetched) => fetched,
        Err(failure) => return RobotsFetchResult::Unreachable(failure),
    };
    let status = RobotsStatus::of(fetched.status, fetched.location.is_some());
    match (status, &fetched.body) {
        (RobotsStatus::File, Body::File(body) | Body::Html(body)) => {
            RobotsFetchResult::Rules(Robots::parse(body, robots_token(agent)))
        }
        (RobotsStatus::Redirect, _) => redirect_target(url, &fetched).map_or_else(
            |_| RobotsFetchResult::Rules(Robots::allow_all()),
            RobotsFetchResult::Moved,
        ),
        (RobotsStatus::Unavailable, _) => {
            RobotsFetchResult::Unavailable(Failure::of_status(fetched.status))
        }
        (RobotsStatus::Throttled, _) => {
            RobotsFetchResult::Throttled(Failure::of_status(fetched.status))
        }
        (RobotsStatus::Absent, _) | (RobotsStatus::File, Body::Unread) => {
            RobotsFetchResult::Rules(Robots::allow_all())
        }
    }
}

fn read_sitemap_response(
    url: &CrawlUrl,
    response: Result<Fetched, Failure>,
    plan: &CrawlRules,
) -> SitemapFetchResult {
    let fetched = match response {
        Ok(fetched) => fetched,
        Err(failure) => return SitemapFetchResult::Failed(failure),
    };
    match (fetched.page_status(), &fetched.body) {
        (PageStatus::Success, Body::File(body) | Body::Html(body)) => {
            read(body, url, fetched.truncated, plan)
        }
        (PageStatus::Success, Body::Unread) => read(&[], url, false, plan),
        (PageStatus::Redirect, _) => redirect_target(url, &fetched)
            .map_or_else(SitemapFetchResult::Failed, SitemapFetchResult::Moved),
        (PageStatus::ErrorPage(_) | PageStatus::Unusable(_), _) => {
            SitemapFetchResult::Failed(Failure::of_status(fetched.status))
        }
    }
}

fn read(body: &[u8], url: &CrawlUrl, truncated: bool, plan: &CrawlRules) -> SitemapFetchResult {
    let resolver = Resolver::new(url);
    let mut pages = LinkList::default();
    let mut sitemaps = Vec::new();
    let limits = SitemapLimits::default();
    let summary = read_sitemap(body, limits, |item| match item {
        SitemapLocation::Page(text) => {
            add_link(&mut pages, &resolver, text, LinkFacts::default(), plan);
        }
        SitemapLocation::Sitemap(text) => {
            let mut target = String::new();
            if let Resolved::Web(target) = resolver.resolve(text, &mut target) {
                sitemaps.extend(CrawlUrl::from_normalized(target.as_str()));
            }
        }
    });
    match summary {
        Ok(summary) => {
            let problem = if truncated || summary.cut {
                Some(format!(
                    "too long; read the first {}",
                    counted(summary.locations, "entry")
                ))
            } else if summary.malformed {
                Some(format!(
                    "not well-formed; read {}",
                    counted(summary.locations, "entry")
                ))
            } else {
                None
            };
            SitemapFetchResult::Read {
                pages,
                sitemaps,
                problem,
            }
        }
        Err(error) => SitemapFetchResult::Failed(Failure::new(FailKind::Decode, error.to_string())),
    }
}
