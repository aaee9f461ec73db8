//! Fetching a site's own files on behalf of its pages.
//!
//! Errands obey the same gates as pages (rate, host, robots.txt before anything else) but are not pages:
//! they are not counted, not reported, and end in rules or in more URLs.

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
    /// Attempts begun, this one included.
    pub attempt: u32,
}

/// What a worker brings back from an errand.
#[derive(Debug)]
pub enum ErrandReport {
    /// From a robots.txt.
    Robots {
        /// The errand.
        errand: RobotsErrand,
        /// What was found.
        answer: RobotsAnswer,
        /// The host asked for a pause.
        retry_after: Option<Duration>,
    },
    /// From a sitemap.
    Sitemap {
        /// The errand.
        errand: SitemapErrand,
        /// What was found.
        answer: SitemapAnswer,
        /// Body bytes over the wire.
        wire_bytes: u64,
    },
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
}
