//! A user's request for a crawl, before validation.

use std::time::Duration;

use crawler_weburl::{PatternLimits, ScopeKind, SlashPolicy};

use crate::{DepthLimit, DocumentRules, JsPolicy, LinkFilter, Profile, RequestSpec, SitemapPolicy};

/// A user's request for a crawl. `None` is the profile's default.
#[derive(Clone, Debug, Default)]
pub struct CrawlSpec {
    /// The seed as typed.
    pub seed: String,
    /// How pages are requested.
    pub request: RequestSpec,
    /// Preset of limits and politeness.
    pub profile: Profile,
    /// Number of pages in flight at once.
    pub workers: Option<usize>,
    /// Maximum number of pages rendered at once. If every page is rendered, more workers would only wait for a tab.
    pub browser_tabs: Option<usize>,
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
    /// Whether sitemaps are read.
    pub sitemaps: SitemapPolicy,
    /// Kind of scope.
    pub scope: Option<ScopeKind>,
    /// Include patterns.
    pub include: Vec<String>,
    /// Exclude patterns.
    pub exclude: Vec<String>,
    /// Limits of the patterns.
    pub pattern_limits: PatternLimits,
    /// Whether URLs that differ in a trailing slash are different pages.
    pub slash: Option<SlashPolicy>,
    /// Treat URLs that differ only in their query as one page.
    pub strip_query: bool,
    /// Which links are printed, and how.
    pub links: LinkFilter,
    /// Extra delays: path prefix and delay.
    pub path_delays: Vec<(String, Duration)>,
    /// Whether crawler traps (endless URL spaces) are refused.
    pub traps: Option<bool>,
    /// Whether pages are rendered in a browser.
    pub js: JsPolicy,
    /// Extract documents from pages; `None`: only find links.
    pub documents: Option<DocumentRules>,
    /// Extensions of links that are not followed: lower case, without the dot.
    pub blocked_extensions: Vec<String>,
    /// Do not follow links with `rel=nofollow`.
    pub obey_nofollow: bool,
    /// Pages with different visits share no browser state.
    pub visit: u64,
}
