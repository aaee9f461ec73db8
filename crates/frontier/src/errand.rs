//! Fetching a site's own files on behalf of its pages.
//!
//! Errands obey the same gates as pages (rate, host pauses), one request each: a redirect is another errand.
//! They are not pages: not counted, not reported; they end in rules or in more URLs.

use std::time::Duration;

use model::{Failure, LinkList};
use sitefiles::Robots;
use weburl::{CrawlUrl, Origin};

/// A site's file to fetch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Errand {
    /// An origin's robots.txt.
    Robots(RobotsErrand),
    /// A sitemap.
    Sitemap(SitemapErrand),
}

impl Errand {
    /// Where the file is.
    pub fn url(&self) -> &CrawlUrl {
        match self {
            Self::Robots(errand) => &errand.url,
            Self::Sitemap(errand) => &errand.url,
        }
    }
}

/// Fetch an origin's robots.txt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RobotsErrand {
    /// Whose.
    pub origin: Origin,
    /// Where.
    pub url: CrawlUrl,
    /// Redirects walked to get here.
    pub hops: u32,
    /// Attempts begun, this one included.
    pub attempt: u32,
}

/// Fetch a sitemap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SitemapErrand {
    /// Where.
    pub url: CrawlUrl,
    /// 1 for the first, 2 for one named by an index, …
    pub level: u32,
    /// Somebody named it: a missing one is worth telling.
    pub named: bool,
    /// Redirects walked to get here.
    pub hops: u32,
    /// Attempts begun, this one included.
    pub attempt: u32,
    /// The number of the task on whose behalf it is read; 0 where there is one crawl.
    pub ticket: u64,
}

/// What a worker brings back from an errand.
#[derive(Debug)]
pub struct ErrandReport {
    /// The errand and what was found.
    pub found: ErrandFound,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The host asked not to be asked again for this long.
    pub retry_after: Option<Duration>,
    /// How long it took.
    pub elapsed: Duration,
    /// Body bytes over the wire.
    pub wire_bytes: u64,
    /// A robots.txt as it was read, for those who keep it.
    pub text: Option<String>,
}

/// What an errand found.
#[derive(Debug)]
pub enum ErrandFound {
    /// From a robots.txt.
    Robots(RobotsErrand, RobotsAnswer),
    /// From a sitemap.
    Sitemap(SitemapErrand, SitemapAnswer),
}

impl ErrandFound {
    /// Where the file was asked for.
    pub fn url(&self) -> &CrawlUrl {
        match self {
            Self::Robots(errand, _) => &errand.url,
            Self::Sitemap(errand, _) => &errand.url,
        }
    }
}

/// What became of a robots.txt.
#[derive(Debug)]
pub enum RobotsAnswer {
    /// Rules to obey; no file means a file without rules.
    Rules(Robots),
    /// A server error: counts as "disallow everything" if it stays so.
    Unavailable(Failure),
    /// No answer at all: the origin cannot be reached.
    Unreachable(Failure),
    /// It is elsewhere.
    Moved(CrawlUrl),
}

/// What became of a sitemap.
#[derive(Debug)]
pub enum SitemapAnswer {
    /// It was read, perhaps in part.
    Read {
        /// Pages it names.
        pages: LinkList,
        /// Further sitemaps it names.
        sitemaps: Vec<CrawlUrl>,
        /// What was wrong with it, if it was read only in part.
        problem: Option<String>,
    },
    /// It could not be had.
    Failed(Failure),
    /// It is elsewhere.
    Moved(CrawlUrl),
}
