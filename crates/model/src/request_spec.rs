//! How a user wants pages to be requested, before validation.

use std::time::Duration;

use crate::{Backoff, CrawlDelay, RobotsErrors, RobotsPolicy};

/// The User-Agent header if a user gives none.
pub const DEFAULT_USER_AGENT: &str = concat!("crawler/", env!("CARGO_PKG_VERSION"));

/// How a user wants pages to be requested: part of a [`CrawlSpec`](crate::CrawlSpec), and all there is to say about a
/// scrape. `None` is the default of the crawl's profile, or of a scrape.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RequestSpec {
    /// Timeout of one request.
    pub timeout: Option<Duration>,
    /// Maximum number of attempts, including the first.
    pub max_attempts: Option<u32>,
    /// Pauses between attempts.
    pub backoff: Backoff,
    /// Maximum number of redirects for one URL.
    pub max_redirects: Option<u32>,
    /// Maximum length of a decoded body.
    pub max_body_bytes: Option<u64>,
    /// Whether robots.txt is obeyed.
    pub robots: RobotsPolicy,
    /// What a robots.txt that cannot be fetched means.
    pub robots_errors: RobotsErrors,
    /// How long a robots.txt is used before it is fetched again; `None`: 24 hours.
    pub robots_lifetime: Option<Duration>,
    /// Whether the `Crawl-delay` of robots.txt is obeyed.
    pub crawl_delay: CrawlDelay,
    /// The User-Agent header.
    pub user_agent: Option<String>,
    /// Extra headers, name and value; sent to the origins of the given URLs only.
    pub headers: Vec<(String, String)>,
    /// Proxies, used in turn.
    pub proxies: Vec<String>,
}
