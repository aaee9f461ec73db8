//! Preflight: a site's robots.txt and sitemaps, fetched like pages but read by machines.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use fetch::{Body, Fetch, FetchRequest, Fetched, Want};
use frontier::{Errand, ErrandFound, ErrandReport, RobotsAnswer, SitemapAnswer};
use futures_util::FutureExt;
use model::{CrawlPlan, FailKind, Failure, LinkFacts, LinkList};
use sitefiles::{Robots, SitemapItem, SitemapLimits, read_sitemap, robots_token};
use weburl::{CrawlUrl, Resolved, Resolver};

use crate::link_harvest::take_in;
use crate::page::redirect_target;

const MOST_SITEMAP_BYTES: u64 = 50 << 20;

/// Runs an errand; a panic becomes a failure like any other.
pub(crate) async fn run<T: Fetch>(errand: Errand, fetch: &T, plan: &CrawlPlan) -> ErrandReport {
    let begun = Instant::now();
    let spare = errand.clone();
    let attempt = AssertUnwindSafe(attempt(errand, fetch, plan)).catch_unwind();
    let mut report = attempt.await.unwrap_or_else(|_| {
        let failure = Failure::new(FailKind::Internal, "internal error while reading it");
        report(match spare {
            Errand::Robots(errand) => {
                ErrandFound::Robots(errand, RobotsAnswer::Unavailable(failure))
            }
            Errand::Sitemap(errand) => ErrandFound::Sitemap(errand, SitemapAnswer::Failed(failure)),
        })
    });
    report.elapsed = begun.elapsed();
    report
}

fn report(found: ErrandFound) -> ErrandReport {
    ErrandReport {
        found,
        status: None,
        retry_after: None,
        elapsed: Duration::ZERO,
        wire_bytes: 0,
        text: None,
    }
}

async fn attempt<T: Fetch>(errand: Errand, fetch: &T, plan: &CrawlPlan) -> ErrandReport {
    let max_bytes = match &errand {
        Errand::Robots(_) => Robots::MAX_BYTES as u64 + 1,
        Errand::Sitemap(_) => MOST_SITEMAP_BYTES,
    };
    let want = Want::File { max_bytes };
    let url = errand.url().clone();
    let answer = fetch.fetch(FetchRequest::new(&url, want)).await;
    let (status, retry_after, wire_bytes) = match &answer {
        Ok(fetched) => (
            Some(fetched.status),
            fetched.retry_after,
            fetched.wire_bytes,
        ),
        Err(_) => (None, None, 0),
    };
    let mut text = None;
    let found = match errand {
        Errand::Robots(errand) => {
            text = answer.as_ref().ok().and_then(file_text);
            let answer = read_robots(&url, answer, &plan.fetch.user_agent);
            ErrandFound::Robots(errand, answer)
        }
        Errand::Sitemap(errand) => {
            let answer = read_sitemap_answer(&url, answer, plan);
            ErrandFound::Sitemap(errand, answer)
        }
    };
    ErrandReport {
        status,
        retry_after,
        wire_bytes,
        text,
        ..report(found)
    }
}

/// The file's text, if there is a file.
fn file_text(fetched: &Fetched) -> Option<String> {
    match (fetched.status, &fetched.body) {
        (200..=299, Body::File(body) | Body::Html(body)) => {
            Some(String::from_utf8_lossy(body).into_owned())
        }
        _ => None,
    }
}

/// RFC 9309: 4xx is "no rules", 5xx and no answer are for the frontier to judge.
pub(crate) fn read_robots(
    url: &CrawlUrl,
    answer: Result<Fetched, Failure>,
    agent: &str,
) -> RobotsAnswer {
    let fetched = match answer {
        Ok(fetched) => fetched,
        Err(failure) => return RobotsAnswer::Unreachable(failure),
    };
    match (fetched.status, &fetched.body) {
        (200..=299, Body::File(body) | Body::Html(body)) => {
            RobotsAnswer::Rules(Robots::parse(body, robots_token(agent)))
        }
        (301 | 302 | 303 | 307 | 308, _) => redirect_target(url, &fetched).map_or_else(
            |_| RobotsAnswer::Rules(Robots::allow_all()),
            RobotsAnswer::Moved,
        ),
        (500..=599, _) => RobotsAnswer::Unavailable(Failure::of_status(fetched.status)),
        _ => RobotsAnswer::Rules(Robots::allow_all()),
    }
}

fn read_sitemap_answer(
    url: &CrawlUrl,
    answer: Result<Fetched, Failure>,
    plan: &CrawlPlan,
) -> SitemapAnswer {
    let fetched = match answer {
        Ok(fetched) => fetched,
        Err(failure) => return SitemapAnswer::Failed(failure),
    };
    match (fetched.status, &fetched.body) {
        (200..=299, Body::File(body) | Body::Html(body)) => {
            read(body, url, fetched.truncated, plan)
        }
        (200..=299, Body::Unread) => read(&[], url, false, plan),
        (301 | 302 | 303 | 307 | 308, _) => {
            redirect_target(url, &fetched).map_or_else(SitemapAnswer::Failed, SitemapAnswer::Moved)
        }
        (status, _) => SitemapAnswer::Failed(Failure::of_status(status)),
    }
}

fn read(body: &[u8], url: &CrawlUrl, truncated: bool, plan: &CrawlPlan) -> SitemapAnswer {
    let resolver = Resolver::new(url);
    let mut pages = LinkList::default();
    let mut sitemaps = Vec::new();
    let limits = SitemapLimits::default();
    let summary = read_sitemap(body, limits, |item| match item {
        SitemapItem::Page(text) => {
            take_in(&mut pages, &resolver, text, LinkFacts::default(), plan);
        }
        SitemapItem::Sitemap(text) => {
            let mut target = String::new();
            if let Resolved::Web(target) = resolver.resolve(text, &mut target) {
                sitemaps.extend(CrawlUrl::from_normalised(target.as_str()));
            }
        }
    });
    match summary {
        Ok(summary) => {
            let problem = if truncated || summary.cut {
                Some(format!(
                    "longer than we read; {} entries were taken",
                    summary.items
                ))
            } else if summary.malformed {
                Some(format!(
                    "not well-formed; {} entries were taken",
                    summary.items
                ))
            } else {
                None
            };
            SitemapAnswer::Read {
                pages,
                sitemaps,
                problem,
            }
        }
        Err(error) => SitemapAnswer::Failed(Failure::new(FailKind::Decode, error.to_string())),
    }
}
