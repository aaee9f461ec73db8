//! A URL for a worker to fetch.

use std::sync::Arc;

use crawler_weburl::CrawlUrl;

/// How a URL was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discovery {
    /// The user gave it.
    Seed,
    /// A link on a page.
    Link,
    /// The target of a redirect.
    Redirect,
    /// A URL in a sitemap.
    Sitemap,
}

impl Discovery {
    /// Returns the stable name used in machine-readable formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Link => "link",
            Self::Redirect => "redirect",
            Self::Sitemap => "sitemap",
        }
    }

    /// Parses the stable name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Seed, Self::Link, Self::Redirect, Self::Sitemap]
            .into_iter()
            .find(|found| found.as_str() == name)
    }
}

/// One URL to fetch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The URL to fetch.
    pub url: CrawlUrl,
    /// The URL it is reported under, if a redirect to the same page is followed in place.
    pub reported_url: Option<CrawlUrl>,
    /// Number of links followed from the seed.
    pub depth: u32,
    /// Number of redirects followed to reach it.
    pub hops: u32,
    /// The page (or sitemap) it was found on; `None` for the seed.
    pub via: Option<Arc<str>>,
    /// How it was found.
    pub found: Discovery,
    /// Number of attempts started.
    pub attempt: u32,
    /// Whether the report needs a sketch of the page's text.
    pub wants_text: bool,
    /// The frontier's id for it, returned in the report; 0 if the URL is enough.
    pub ticket: u64,
}

impl Task {
    /// Creates a task that has not been started.
    pub fn new(url: CrawlUrl, found: Discovery, depth: u32, via: Option<Arc<str>>) -> Self {
        Self {
            url,
            reported_url: None,
            depth,
            hops: 0,
            via,
            found,
            attempt: 0,
            wants_text: false,
            ticket: 0,
        }
    }
}
