//! A user's request for a crawl, before validation.

use std::time::Duration;

use crawler_weburl::{ScopeKind, SlashPolicy};

use crate::{
    Backoff, DepthLimit, DocumentRules, JsPolicy, LinkFilter, Profile, RobotsErrors, RobotsPolicy,
    SitemapPolicy,
};

/// A user's request for a crawl. `None` is the profile's default.
#[derive(Clone, Debug, Default)]
pub struct CrawlSpec {
    /// The seed as typed.
    pub seed: String,
    /// Preset of limits and politeness.
    pub profile: Profile,
    /// Number of pages in flight at once.
    pub workers: Option<usize>,
    /// Maximum number of pages; 0 is no limit.
    pub max_pages: Option<u64>,
    /// How far links are followed from the seed.
    pub max_depth: Option<DepthLimit>,
    /// Maximum wall-clock time.
    pub max_duration: Option<Duration>,
    /// Maximum number of body bytes received, before decoding.
    pub max_bytes: Option<u64>,
    /// Minimum time between the starts of two requests.
    pub min_interval: Duration,
    /// Timeout of one request.
    pub timeout: Option<Duration>,
    /// Maximum number of attempts, including the first.
    pub max_attempts: Option<u32>,
    /// Maximum number of redirects for one URL.
    pub max_redirects: Option<u32>,
    /// Maximum length of a decoded body.
    pub max_body_bytes: Option<u64>,
    /// Whether robots.txt is obeyed.
    pub robots: RobotsPolicy,
    /// What a robots.txt that cannot be fetched means.
    pub robots_errors: RobotsErrors,
    /// Whether sitemaps are read.
    pub sitemaps: SitemapPolicy,
    /// Kind of scope.
    pub scope: Option<ScopeKind>,
    /// Include patterns.
    pub include: Vec<String>,
    /// Exclude patterns.
    pub exclude: Vec<String>,
    /// Whether URLs that differ in a trailing slash are different pages.
    pub slash: Option<SlashPolicy>,
    /// Treat URLs that differ only in their query as one page.
    pub strip_query: bool,
    /// Which links are printed, and how.
    pub links: LinkFilter,
    /// Extra delays: path prefix and delay.
    pub path_delays: Vec<(String, Duration)>,
    /// The User-Agent header.
    pub user_agent: Option<String>,
    /// Extra headers: name and value.
    pub headers: Vec<(String, String)>,
    /// Proxies, used in turn.
    pub proxies: Vec<String>,
    /// Whether crawler traps (endless URL spaces) are refused.
    pub traps: Option<bool>,
    /// Whether pages are rendered in a browser.
    pub js: JsPolicy,
    /// Pauses between attempts.
    pub backoff: Backoff,
    /// Extract documents from pages; `None`: only find links.
    pub documents: Option<DocumentRules>,
    /// Extensions of links that are not followed: lower case, without the dot.
    pub blocked_extensions: Vec<String>,
    /// Do not follow links with `rel=nofollow`.
    pub obey_nofollow: bool,
    /// Pages with different visits share no browser state.
    pub visit: u64,
}
