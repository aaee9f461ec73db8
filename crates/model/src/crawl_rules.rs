//! How pages are fetched and which links are followed: a plan without its seed.
//!
//! Regexes are compiled, numbers are checked, and the defaults of the profile are filled in.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crawler_weburl::{CrawlUrl, KeyPolicy, QueryPolicy, Scope, ScopeKind, Userinfo};

use crate::plan_checks::{compile, duration_in_range, in_range, nonzero, path_delays};
use crate::plan_error::{PlanError, PlanField};
use crate::request_plan::RequestDefaults;
use crate::{CrawlSpec, DocumentRules, JsPolicy, RequestPlan};

/// Whether robots.txt is obeyed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RobotsPolicy {
    /// Obey it.
    #[default]
    Respect,
    /// Do not fetch it.
    Ignore,
}

/// What a robots.txt that cannot be fetched means for its origin.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RobotsErrors {
    /// Nothing is fetched from the origin, as RFC 9309 requires.
    #[default]
    Disallow,
    /// Everything is allowed, as if there were no robots.txt.
    Allow,
}

/// Whether the `Crawl-delay` of robots.txt is obeyed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CrawlDelay {
    /// Obey it.
    #[default]
    Obey,
    /// Ignore it: the operator has set a delay of their own.
    Own,
}

/// How sitemaps are used.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SitemapPolicy {
    /// Do not fetch them.
    #[default]
    Skip,
    /// Their URLs are followed like links on the seed.
    Include,
    /// Only their URLs are fetched; links are not followed.
    Only,
}

/// Which of a page's links are printed, and how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkFilter {
    /// Only links in scope.
    pub in_scope_only: bool,
    /// Include links with schemes other than `http` and `https`.
    pub all_schemes: bool,
    /// Include fragments.
    pub keep_fragments: bool,
}

/// Limits of a crawl. `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Number of pages.
    pub pages: Option<u64>,
    /// Depth: number of links followed from the seed.
    pub depth: Option<u32>,
    /// Wall-clock time.
    pub duration: Option<Duration>,
    /// Body bytes over the wire.
    pub bytes: Option<u64>,
}

/// Deadlines of one request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadlines {
    /// For name resolution, TCP and TLS together.
    pub connect: Duration,
    /// From the request to the response head.
    pub head: Duration,
    /// Between two chunks of the body.
    pub idle: Duration,
    /// For the whole request.
    pub total: Duration,
}

impl Deadlines {
    /// Returns the deadlines for a per-request timeout. The total is the timeout; connecting, or a gap in the body, may
    /// take half of it.
    pub fn within(timeout: Duration) -> Self {
        Self {
            connect: timeout / 2,
            head: timeout,
            idle: timeout / 2,
            total: timeout,
        }
    }
}

/// How one request is made.
#[derive(Clone, Debug)]
pub struct FetchRules {
    /// Deadlines of one request.
    pub deadlines: Deadlines,
    /// Maximum length of a decoded body; the rest is cut off.
    pub max_body: u64,
    /// The User-Agent header.
    pub user_agent: String,
    /// The caller's headers, sent to the seed's origin only.
    pub headers: Vec<(String, String)>,
    /// Credentials in the seed, sent to its origin only.
    pub userinfo: Option<Userinfo>,
    /// Proxies, used in turn; empty: direct connections.
    pub proxies: Vec<String>,
    /// The seed, whose origin receives headers and credentials; `None` if each request names its own URL.
    pub seed: Option<CrawlUrl>,
}

/// An extra delay for URLs below a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathDelay {
    /// Path prefix.
    pub prefix: String,
    /// Minimum time between two requests below the prefix.
    pub delay: Duration,
}

/// Everything in a [`CrawlPlan`](crate::CrawlPlan) except the seed. Cannot be modified: it is only handed out behind an
/// `Arc`, and cannot be cloned or constructed.
///
/// ```compile_fail
/// # use crawler_model::{CrawlRules, CrawlSpec};
/// let rules = CrawlRules::without_seed(&CrawlSpec::default(), "crawler/0", 1).unwrap();
/// let changed = CrawlRules { workers: 3, ..(*rules).clone() };
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct CrawlRules {
    /// How pages are requested.
    pub request: RequestPlan,
    /// Which URLs are in scope.
    pub scope: Scope,
    /// The kind of scope, for display.
    pub scope_kind: ScopeKind,
    /// The include patterns as typed, for display.
    pub include: Vec<String>,
    /// The exclude patterns as typed, for display.
    pub exclude: Vec<String>,
    /// Which URLs count as the same page.
    pub keys: KeyPolicy,
    /// Limits.
    pub limits: Limits,
    /// Number of pages in flight at once.
    pub workers: usize,
    /// Minimum time between the starts of two requests.
    pub min_interval: Duration,
    /// Whether sitemaps are read.
    pub sitemaps: SitemapPolicy,
    /// Whether crawler traps (endless URL spaces) are refused.
    pub traps: bool,
    /// Extra delays for URLs below a path.
    pub path_delays: Vec<PathDelay>,
    /// Which links are printed.
    pub links: LinkFilter,
    /// Extract documents from pages; `None`: only find links.
    pub documents: Option<DocumentRules>,
    /// Extensions of links that are not followed: lower case, without the dot.
    pub blocked_extensions: Vec<String>,
    /// Do not follow links with `rel=nofollow`.
    pub obey_nofollow: bool,
    /// Whether pages are rendered in a browser.
    pub js: JsPolicy,
    /// Pages with different visits share no browser state.
    pub visit: u64,
    /// Owners take turns at the tabs of a browser.
    pub tab_owner: u64,
}

/// Maximum number of workers.
const MAX_WORKERS: usize = 1_000;
const DEFAULT_MAX_BODY: u64 = 2_000_000;

impl CrawlRules {
    /// Maximum time between the starts of two requests.
    pub const MAX_MIN_INTERVAL: Duration = Duration::from_hours(24);

    /// Validates a spec for pages and site files whose URLs come from elsewhere. The seed and scope of the spec are
    /// ignored; any host is in scope. The arguments are those of [`CrawlPlan::resolve`](crate::CrawlPlan::resolve).
    pub fn without_seed(
        spec: &CrawlSpec,
        agent: &str,
        key_seed: u64,
    ) -> Result<Arc<Self>, PlanError> {
        Self::resolve(spec, None, agent, key_seed).map(Arc::new)
    }

    /// Validates a spec and fills in defaults.
    pub(crate) fn resolve(
        spec: &CrawlSpec,
        seed: Option<&CrawlUrl>,
        agent: &str,
        key_seed: u64,
    ) -> Result<Self, PlanError> {
        let profile = spec.profile;
        let scope_kind = match seed {
            Some(_) => spec.scope.unwrap_or(ScopeKind::Host),
            None => ScopeKind::Any,
        };
        let limits = spec.pattern_limits;
        let include = compile(PlanField::Include, &spec.include, limits)?;
        let exclude = compile(PlanField::Exclude, &spec.exclude, limits)?;
        let scope = match seed {
            Some(seed) => Scope::new(scope_kind, seed),
            None => Scope::any(),
        }
        .with_patterns(include, exclude);
        let workers = spec.workers.unwrap_or(profile.workers());
        in_range(PlanField::Workers, workers, 1, MAX_WORKERS)?;
        let workers = match (spec.js, spec.browser_tabs) {
            (JsPolicy::Always, Some(tabs)) => workers.min(tabs.max(1)),
            _ => workers,
        };
        let interval = spec.min_interval;
        duration_in_range(
            PlanField::MinInterval,
            interval,
            Duration::ZERO,
            Self::MAX_MIN_INTERVAL,
        )?;
        let defaults = RequestDefaults {
            timeout: profile.timeout(),
            max_attempts: profile.max_attempts(),
            max_body_bytes: DEFAULT_MAX_BODY,
            user_agent: agent,
        };
        let mut request = RequestPlan::resolve(&spec.request, &defaults)?;
        if let Some(seed) = seed {
            request = request.for_seed(seed, &spec.seed);
        }
        Ok(Self {
            request,
            scope,
            scope_kind,
            include: spec.include.clone(),
            exclude: spec.exclude.clone(),
            keys: KeyPolicy {
                slash: spec.slash.unwrap_or(profile.slash()),
                query: if spec.strip_query {
                    QueryPolicy::Strip
                } else {
                    QueryPolicy::Keep
                },
                seed: key_seed,
            },
            limits: Limits {
                pages: nonzero(spec.max_pages.unwrap_or(profile.max_pages())),
                depth: match spec.max_depth {
                    Some(limit) => limit.max_depth(),
                    None => nonzero(profile.max_depth()),
                },
                duration: spec.max_duration.filter(|duration| !duration.is_zero()),
                bytes: spec.max_bytes.and_then(nonzero),
            },
            workers,
            min_interval: spec.min_interval,
            sitemaps: spec.sitemaps,
            traps: spec.traps.unwrap_or(profile.traps()),
            path_delays: path_delays(&spec.path_delays)?,
            links: spec.links,
            documents: spec.documents,
            blocked_extensions: spec.blocked_extensions.clone(),
            obey_nofollow: spec.obey_nofollow,
            js: spec.js,
            visit: spec.visit,
            tab_owner: 0,
        })
    }
}

impl Deref for CrawlRules {
    type Target = RequestPlan;

    fn deref(&self) -> &RequestPlan {
        &self.request
    }
}
