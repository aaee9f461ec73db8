//! A user's request for a crawl, before anything is checked or filled in.

use std::time::Duration;

use crawler_weburl::{ScopeKind, SlashPolicy};

use crate::{
    Backoff, DocumentRules, JsPolicy, LinkFilter, Profile, RobotsErrors, RobotsPolicy,
    SitemapPolicy,
};

/// A user's request for a crawl. `None` means "as the profile says".
#[derive(Clone, Debug, Default)]
pub struct CrawlSpec {
    /// The seed as typed.
    pub seed: String,
    /// Preset of limits and politeness.
    pub profile: Profile,
    /// Pages in flight at once.
    pub workers: Option<usize>,
    /// Limit on pages; 0 is no limit.
    pub max_pages: Option<u64>,
    /// Limit on the links followed from the seed; 0 is no limit.
    pub max_depth: Option<u32>,
    /// Wall-clock limit.
    pub max_duration: Option<Duration>,
    /// Limit on body bytes over the wire.
    pub max_bytes: Option<u64>,
    /// Minimum time between two request starts.
    pub rate: Duration,
    /// Timeout of one request.
    pub timeout: Option<Duration>,
    /// Attempts, the first included.
    pub max_attempts: Option<u32>,
    /// Redirects followed for one URL.
    pub max_redirects: Option<u32>,
    /// Body bytes read of one page.
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
    /// Whether a trailing slash makes another page.
    pub slash: Option<SlashPolicy>,
    /// URLs that differ only in their query are one page.
    pub strip_query: bool,
    /// Which links are printed, and how.
    pub links: LinkFilter,
    /// Extra delays: path prefix and delay.
    pub path_delays: Vec<(String, Duration)>,
    /// The User-Agent header.
    pub user_agent: Option<String>,
    /// Extra headers as typed: `Name: value`.
    pub headers: Vec<String>,
    /// Proxies, used in turn.
    pub proxies: Vec<String>,
    /// Whether endless URL spaces are refused.
    pub traps: Option<bool>,
    /// Rendering in a browser.
    pub js: JsPolicy,
    /// The seed alone is fetched: no link is followed, whatever `max_depth` says.
    pub seed_only: bool,
    /// Pauses between attempts.
    pub backoff: Backoff,
    /// Pages are read into documents; `None`: only their links are read.
    pub documents: Option<DocumentRules>,
    /// Links with one of these extensions are not followed: lower case, without the dot.
    pub blocked_extensions: Vec<String>,
    /// Links with `rel=nofollow` are not followed.
    pub obey_nofollow: bool,
    /// Pages of different visits share nothing in a browser.
    pub visit: u64,
}
