//! What a worker gets.

use std::sync::Arc;

use weburl::CrawlUrl;

/// How a URL was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The user gave it.
    Seed,
    /// A link on a page.
    Link,
    /// A redirect's target.
    Redirect,
    /// A sitemap names it.
    Sitemap,
}

impl Found {
    /// The stable spelling of machine formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Link => "link",
            Self::Redirect => "redirect",
            Self::Sitemap => "sitemap",
        }
    }
}

/// One URL to fetch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// What to fetch.
    pub url: CrawlUrl,
    /// The URL it is reported as, when a redirect to the same page is being followed in place.
    pub first_met: Option<CrawlUrl>,
    /// Hops from the seed.
    pub depth: u32,
    /// Redirects walked to get here.
    pub hops: u32,
    /// The page (or sitemap) it was found on; `None` for the seed.
    pub via: Option<Arc<str>>,
    /// How it was found.
    pub found: Found,
    /// Attempts begun, this one included once a worker has it.
    pub attempt: u32,
}

impl Task {
    /// A task that nobody has begun.
    pub fn new(url: CrawlUrl, found: Found, depth: u32, via: Option<Arc<str>>) -> Self {
        Self {
            url,
            first_met: None,
            depth,
            hops: 0,
            via,
            found,
            attempt: 0,
        }
    }
}
