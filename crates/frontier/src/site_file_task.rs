//! Fetching a site's own files on behalf of its pages.
//!
//! Site-file tasks wait for the same gates as pages (rate, host pauses). Each is one request: a redirect is another task.
//! They are not counted or reported as pages; their results are rules or more URLs.

use std::time::Duration;

use crawler_model::{Failure, LinkList};
use crawler_sitefiles::Robots;
use crawler_weburl::{CrawlUrl, Origin};

/// A site's file to fetch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SiteFileTask {
    /// An origin's robots.txt.
    Robots(RobotsTask),
    /// A sitemap.
    Sitemap(SitemapTask),
}

impl SiteFileTask {
    /// Where the file is.
    pub fn url(&self) -> &CrawlUrl {
        match self {
            Self::Robots(site_file) => &site_file.url,
            Self::Sitemap(site_file) => &site_file.url,
        }
    }
}

/// Fetch an origin's robots.txt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RobotsTask {
    /// The origin.
    pub origin: Origin,
    /// Where to fetch it.
    pub url: CrawlUrl,
    /// Redirects followed to get here.
    pub hops: u32,
    /// Attempts started, including this one.
    pub attempt: u32,
}

/// Fetch a sitemap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SitemapTask {
    /// Where to fetch it.
    pub url: CrawlUrl,
    /// 1 for a top-level sitemap, 2 for one named by an index, …
    pub level: u32,
    /// Whether a robots.txt or an index names it: then it is reported if it is missing.
    pub named: bool,
    /// Redirects followed to get here.
    pub hops: u32,
    /// Attempts started, including this one.
    pub attempt: u32,
    /// The number of the task on whose behalf it is read; 0 where there is one crawl.
    pub ticket: u64,
}

/// A worker's report about a site-file task.
#[derive(Debug)]
pub struct SiteFileReport {
    /// The site-file task and what was found.
    pub found: SiteFileResult,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The pause that the host asked for (`Retry-After`).
    pub retry_after: Option<Duration>,
    /// How long it took.
    pub elapsed: Duration,
    /// Body bytes over the wire.
    pub wire_bytes: u64,
    /// The text of a robots.txt, for callers that store it.
    pub text: Option<String>,
}

/// What a site-file task found.
#[derive(Debug)]
pub enum SiteFileResult {
    /// From a robots.txt.
    Robots(RobotsTask, RobotsFetchResult),
    /// From a sitemap.
    Sitemap(SitemapTask, SitemapFetchResult),
}

impl SiteFileResult {
    /// The URL that was requested.
    pub fn url(&self) -> &CrawlUrl {
        match self {
            Self::Robots(site_file, _) => &site_file.url,
            Self::Sitemap(site_file, _) => &site_file.url,
        }
    }
}

/// The result of fetching a robots.txt.
#[derive(Debug)]
pub enum RobotsFetchResult {
    /// Rules; a missing file is one without rules.
    Rules(Robots),
    /// The server asks to come back later (408, 429): no rules if it was never read.
    Throttled(Failure),
    /// A server error: counts as "disallow everything" if retries fail too.
    Unavailable(Failure),
    /// No response: the origin cannot be reached.
    Unreachable(Failure),
    /// It redirects.
    Moved(CrawlUrl),
}

/// The result of fetching a sitemap.
#[derive(Debug)]
pub enum SitemapFetchResult {
    /// It was read, perhaps in part.
    Read {
        /// Pages it names.
        pages: LinkList,
        /// Further sitemaps it names.
        sitemaps: Vec<CrawlUrl>,
        /// What was wrong with it, if it was read only in part.
        problem: Option<String>,
    },
    /// It could not be fetched.
    Failed(Failure),
    /// It redirects.
    Moved(CrawlUrl),
}
