//! What was asked, before anything is checked or filled in.

use std::time::Duration;

use weburl::{ScopeKind, SlashPolicy};

use crate::{JsPolicy, LinkFilter, Profile, RobotsErrors, RobotsPolicy, SitemapPolicy};

/// What was asked. `None` means "as the profile says".
#[derive(Clone, Debug, Default)]
pub struct CrawlSpec {
    /// The seed as typed.
    pub seed: String,
    /// The preset.
    pub profile: Profile,
    /// Pages in flight at once.
    pub workers: Option<usize>,
    /// 0 is no limit.
    pub max_pages: Option<u64>,
    /// 0 is no limit.
    pub max_depth: Option<u32>,
    /// Wall-clock limit.
    pub max_duration: Option<Duration>,
    /// Limit on body bytes over the wire.
    pub max_bytes: Option<u64>,
    /// Least time between two request starts.
    pub rate: Duration,
    /// Per request.
    pub timeout: Option<Duration>,
    /// Attempts, the first included.
    pub max_attempts: Option<u32>,
    /// Redirects walked for one URL.
    pub max_redirects: Option<u32>,
    /// Body bytes read of one page.
    pub max_body_bytes: Option<u64>,
    /// robots.txt.
    pub robots: RobotsPolicy,
    /// A robots.txt that cannot be read.
    pub robots_errors: RobotsErrors,
    /// Sitemaps.
    pub sitemaps: SitemapPolicy,
    /// Outline of the scope.
    pub scope: Option<ScopeKind>,
    /// Include patterns.
    pub include: Vec<String>,
    /// Exclude patterns.
    pub exclude: Vec<String>,
    /// Trailing slashes.
    pub slash: Option<SlashPolicy>,
    /// Query ignored for dedupe.
    pub strip_query: bool,
    /// Which links are printed, and how.
    pub links: LinkFilter,
    /// `PREFIX=D`, parsed.
    pub path_delays: Vec<(String, Duration)>,
    /// The agent string.
    pub user_agent: Option<String>,
    /// `K: V` as typed.
    pub headers: Vec<String>,
    /// Proxies, taking turns.
    pub proxies: Vec<String>,
    /// Endless URL spaces refused.
    pub traps: Option<bool>,
    /// Rendering in a browser.
    pub js: JsPolicy,
}
