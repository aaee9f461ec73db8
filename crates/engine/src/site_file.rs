//! Preflight: a site's robots.txt and sitemaps, fetched like pages but read by machines.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use fetch::{Body, Fetch, FetchRequest, Fetched, Want};
use frontier::{Errand, ErrandReport, RobotsAnswer, RobotsErrand, SitemapAnswer, SitemapErrand};
use futures_util::FutureExt;
use model::{CrawlPlan, FailKind, Failure, LinkFacts, LinkList};
use sitefiles::{Robots, SitemapItem, SitemapLimits, read_sitemap, robots_token};
use weburl::{CrawlUrl, Resolved, Resolver};

use crate::link_harvest::take_in;
use crate::page::redirect_target;

/// Redirects followed for a site's own file, as RFC 9309 asks.
const MOST_HOPS: u32 = 5;
const MOST_SITEMAP_BYTES: u64 = 50 << 20;

/// Runs an errand; a panic becomes a failure like any other.
pub(crate) async fn run<T: Fetch>(errand: Errand, fetch: &T, plan: &CrawlPlan) -> ErrandReport {
    let spare = errand.clone();
    let attempt = async {
        match errand {
            Errand::Robots(errand) => robots(errand, fetch, plan).await,
            Errand::Sitemap(errand) => sitemap(errand, fetch, plan).await,
        }
    };
    AssertUnwindSafe(attempt)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| {
            let failure = Failure::new(FailKind::Internal, "internal error while reading it");
            match spare {
                Errand::Robots(errand) => ErrandReport::Robots {
                    errand,
                    answer: RobotsAnswer::Unavailable(failure),
                    retry_after: None,
                },
                Errand::Sitemap(errand) => ErrandReport::Sitemap {
                    errand,
                    answer: SitemapAnswer::Failed(failure),
                    wire_bytes: 0,
                },
            }
        })
}

/// Fetches a file through its redirects. `None`: more of them than we follow.
async fn fetch_file<T: Fetch>(
    url: &CrawlUrl,
    max_bytes: u64,
    fetch: &T,
) -> Result<Option<(CrawlUrl, Fetched)>, Failure> {
    let mut url = url.clone();
    for _ in 0..=MOST_HOPS {
        let want = Want::File { max_bytes };
        let fetched = fetch.fetch(FetchRequest { url: &url, want }).await?;
        match fetched.status {
            301 | 302 | 303 | 307 | 308 => match redirect_target(&url, &fetched) {
                Ok(to) => url = to,
                Err(_) => return Ok(None),
            },
            _ => return Ok(Some((url, fetched))),
        }
    }
    Ok(None)
}

async fn robots<T: Fetch>(errand: RobotsErrand, fetch: &T, plan: &CrawlPlan) -> ErrandReport {
    let mut retry_after: Option<Duration> = None;
    let most = Robots::MAX_BYTES as u64 + 1;
    let answer = match fetch_file(&errand.url, most, fetch).await {
        Err(failure) => RobotsAnswer::Unreachable(failure),
        // RFC 9309: more redirects than five may be taken as "no rules".
        Ok(None) => RobotsAnswer::Rules(Robots::allow_all()),
        Ok(Some((_, fetched))) => {
            retry_after = fetched.retry_after;
            match (fetched.status, &fetched.body) {
                (200..=299, Body::File(body) | Body::Html(body)) => {
                    RobotsAnswer::Rules(Robots::parse(body, robots_token(&plan.fetch.user_agent)))
                }
                (500..=599, _) => RobotsAnswer::Unavailable(Failure::of_status(fetched.status)),
                _ => RobotsAnswer::Rules(Robots::allow_all()),
            }
        }
    };
    ErrandReport::Robots {
        errand,
        answer,
        retry_after,
    }
}

async fn sitemap<T: Fetch>(errand: SitemapErrand, fetch: &T, plan: &CrawlPlan) -> ErrandReport {
    let mut wire_bytes = 0;
    let answer = match fetch_file(&errand.url, MOST_SITEMAP_BYTES, fetch).await {
        Err(failure) => SitemapAnswer::Failed(failure),
        Ok(None) => SitemapAnswer::Failed(Failure::new(
            FailKind::TooManyRedirects,
            format!("too many redirects ({MOST_HOPS})"),
        )),
        Ok(Some((url, fetched))) => {
            wire_bytes = fetched.wire_bytes;
            match (fetched.status, &fetched.body) {
                (200..=299, Body::File(body) | Body::Html(body)) => {
                    read(body, &url, fetched.truncated, plan)
                }
                (200..=299, Body::Unread) => read(&[], &url, false, plan),
                (status, _) => SitemapAnswer::Failed(Failure::of_status(status)),
            }
        }
    };
    ErrandReport::Sitemap {
        errand,
        answer,
        wire_bytes,
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
            if let Resolved::Web { page_len } = resolver.resolve(text, &mut target) {
                sitemaps.extend(CrawlUrl::from_normalised(&target[..page_len]));
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
