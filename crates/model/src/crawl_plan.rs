//! The resolved plan: the last place a user's error can appear.
//!
//! Regexes are compiled, numbers checked, defaults and the profile filled in. After this no room asks
//! "was it set?".

use std::time::Duration;

use weburl::{CrawlUrl, KeyPolicy, QueryPolicy, Scope, ScopeKind, Userinfo};

use crate::plan_checks::{
    check_header_value, check_patterns, headers, in_range, nonzero, path_delays, proxies,
};
use crate::plan_error::PlanError;
use crate::{Backoff, CrawlSpec, DocumentRules, JsPolicy};

/// What to do about robots.txt.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RobotsPolicy {
    /// Obey it.
    #[default]
    Respect,
    /// Do not ask for it.
    Ignore,
}

/// What a robots.txt that answers with a server error means for its origin.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RobotsErrors {
    /// Nothing there is fetched, as RFC 9309 asks.
    #[default]
    Disallow,
    /// As if there were none.
    Allow,
}

/// What to do about sitemaps.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SitemapPolicy {
    /// Do not ask for them.
    #[default]
    Skip,
    /// Their URLs are visited like links of the seed.
    Include,
    /// Only their URLs are visited; links are not followed.
    Only,
}

/// Which of a page's links are printed, and how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkFilter {
    /// Only links in scope.
    pub in_scope_only: bool,
    /// Links of other schemes too.
    pub all_schemes: bool,
    /// Fragments are printed.
    pub keep_fragments: bool,
}

/// Budgets. `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Reported URLs.
    pub pages: Option<u64>,
    /// Hops from the seed.
    pub depth: Option<u32>,
    /// Wall clock.
    pub duration: Option<Duration>,
    /// Body bytes over the wire.
    pub bytes: Option<u64>,
}

/// Deadlines of one request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadlines {
    /// Name, TCP and TLS together.
    pub connect: Duration,
    /// From the request to the answer's head.
    pub head: Duration,
    /// Between two pieces of body.
    pub idle: Duration,
    /// All of it.
    pub total: Duration,
}

impl Deadlines {
    /// The deadlines that a per-request timeout stands for. The total is the timeout itself, so that no
    /// page can take longer; a connection or a pause that takes half of it will not come to anything.
    pub fn within(timeout: Duration) -> Self {
        Self {
            connect: timeout / 2,
            head: timeout,
            idle: timeout / 2,
            total: timeout,
        }
    }
}

/// How a page is asked for.
#[derive(Clone, Debug)]
pub struct FetchRules {
    /// Deadlines of one request.
    pub deadlines: Deadlines,
    /// Decoded body bytes read of one page; the rest is cut.
    pub max_body: u64,
    /// The agent string.
    pub user_agent: String,
    /// The caller's headers, sent to the seed's origin only.
    pub headers: Vec<(String, String)>,
    /// The seed's own credentials, sent to the seed's origin only.
    pub userinfo: Option<Userinfo>,
    /// Proxies, taking turns; none: direct.
    pub proxies: Vec<String>,
    /// The seed, whose origin may have headers and credentials; `None` where each request says on whose
    /// behalf it is made.
    pub seed: Option<CrawlUrl>,
}

/// An extra delay below a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathDelay {
    /// The path's beginning.
    pub prefix: String,
    /// At least this long between two requests below it.
    pub delay: Duration,
}

/// The plan of a crawl: validated, complete.
#[derive(Clone, Debug)]
pub struct CrawlPlan {
    /// Where it begins.
    pub seed: CrawlUrl,
    /// What belongs.
    pub scope: Scope,
    /// The outline's name, for showing.
    pub scope_kind: ScopeKind,
    /// The include patterns as typed, for showing.
    pub include: Vec<String>,
    /// The exclude patterns as typed, for showing.
    pub exclude: Vec<String>,
    /// Identity of URLs.
    pub keys: KeyPolicy,
    /// Budgets.
    pub limits: Limits,
    /// Pages in flight at once.
    pub workers: usize,
    /// Least time between two request starts.
    pub rate: Duration,
    /// Attempts, the first included.
    pub max_attempts: u32,
    /// Pauses between them.
    pub backoff: Backoff,
    /// Redirects walked for one URL.
    pub max_redirects: u32,
    /// robots.txt.
    pub robots: RobotsPolicy,
    /// A robots.txt that cannot be read.
    pub robots_errors: RobotsErrors,
    /// Sitemaps.
    pub sitemaps: SitemapPolicy,
    /// Endless URL spaces refused.
    pub traps: bool,
    /// Extra delays.
    pub path_delays: Vec<PathDelay>,
    /// How pages are asked for.
    pub fetch: FetchRules,
    /// Which links are printed.
    pub links: LinkFilter,
    /// Pages are read into documents; `None`: their links are enough.
    pub documents: Option<DocumentRules>,
    /// Links that end so are not followed: in lower case, without the dot.
    pub blocked_extensions: Vec<String>,
    /// Links with `rel=nofollow` are not followed.
    pub obey_nofollow: bool,
    /// Rendering in a browser.
    pub js: JsPolicy,
    /// Whose pages these are: a browser keeps nothing of one visit for another.
    pub visit: u64,
}

/// Most pages in flight at once.
const MAX_WORKERS: usize = 1_000;
/// Longest body of one page.
const MAX_BODY: u64 = 1 << 30;
const DEFAULT_MAX_BODY: u64 = 2_000_000;
const DEFAULT_MAX_REDIRECTS: u32 = 10;

impl CrawlPlan {
    /// Checks a spec and fills in what it leaves open. `key_seed` is this crawl's random number;
    /// `agent` the agent string when none was asked for.
    pub fn resolve(spec: &CrawlSpec, agent: &str, key_seed: u64) -> Result<Self, PlanError> {
        let profile = spec.profile;
        let seed = CrawlUrl::parse(&spec.seed).map_err(|error| PlanError {
            flag: "<URL>",
            words: error.to_string(),
        })?;
        let scope_kind = spec.scope.unwrap_or(ScopeKind::Host);
        check_patterns("--include", &spec.include, &seed)?;
        check_patterns("--exclude", &spec.exclude, &seed)?;
        let scope =
            Scope::new(scope_kind, &seed, &spec.include, &spec.exclude).map_err(|error| {
                PlanError {
                    flag: "--include",
                    words: error.to_string(),
                }
            })?;
        let workers = spec.workers.unwrap_or(profile.workers());
        in_range("--workers", workers, 1, MAX_WORKERS)?;
        let timeout = spec.timeout.unwrap_or(profile.timeout());
        in_range(
            "--timeout (in milliseconds)",
            timeout.as_millis(),
            1,
            3_600_000,
        )?;
        in_range("--rate-ms", spec.rate.as_millis(), 0, 86_400_000)?;
        let max_attempts = spec.max_attempts.unwrap_or(profile.max_attempts());
        in_range("--max-attempts", max_attempts, 1, 100)?;
        let max_redirects = spec.max_redirects.unwrap_or(DEFAULT_MAX_REDIRECTS);
        in_range("--max-redirects", max_redirects, 0, 100)?;
        let max_body = spec.max_body_bytes.unwrap_or(DEFAULT_MAX_BODY);
        in_range("--max-body-bytes", max_body, 1, MAX_BODY)?;
        let user_agent = spec.user_agent.clone().unwrap_or_else(|| agent.to_owned());
        check_header_value("--user-agent", &user_agent)?;
        Ok(Self {
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
                depth: nonzero(spec.max_depth.unwrap_or(profile.max_depth())),
                duration: spec.max_duration.filter(|duration| !duration.is_zero()),
                bytes: spec.max_bytes.and_then(nonzero),
            },
            workers,
            rate: spec.rate,
            max_attempts,
            backoff: Backoff::default(),
            max_redirects,
            robots: spec.robots,
            robots_errors: spec.robots_errors,
            sitemaps: spec.sitemaps,
            traps: spec.traps.unwrap_or(profile.traps()),
            path_delays: path_delays(&spec.path_delays)?,
            fetch: FetchRules {
                deadlines: Deadlines::within(timeout),
                max_body,
                user_agent,
                headers: headers(&spec.headers)?,
                userinfo: Userinfo::of(&spec.seed),
                proxies: proxies(&spec.proxies)?,
                seed: Some(seed.clone()),
            },
            links: spec.links,
            documents: None,
            blocked_extensions: Vec::new(),
            obey_nofollow: false,
            js: spec.js,
            visit: 0,
            seed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn plan(change: impl FnOnce(&mut CrawlSpec)) -> Result<CrawlPlan, PlanError> {
        let mut spec = CrawlSpec {
            seed: "https://example.org/".into(),
            ..CrawlSpec::default()
        };
        change(&mut spec);
        CrawlPlan::resolve(&spec, "crawler/0", 1)
    }

    #[test]
    fn the_profile_fills_in_and_a_flag_wins() {
        let balanced = plan(|_| ()).unwrap();
        assert_eq!(balanced.limits.pages, Some(2_000));
        assert_eq!((balanced.workers, balanced.max_attempts), (25, 3));
        let exhaustive = plan(|spec| spec.profile = Profile::Exhaustive).unwrap();
        assert_eq!(exhaustive.limits, Limits::default());
        assert!(!exhaustive.traps);
        let both = plan(|spec| {
            spec.profile = Profile::Exhaustive;
            spec.max_pages = Some(7);
        });
        assert_eq!(both.unwrap().limits.pages, Some(7));
        assert_eq!(
            plan(|spec| spec.max_depth = Some(0)).unwrap().limits.depth,
            None
        );
    }

    #[test]
    fn bad_values_name_flag_value_and_remedy() {
        type Change = fn(&mut CrawlSpec);
        let cases: [(Change, &str, &str); 10] = [
            (|s| s.workers = Some(0), "--workers", "0 is out of range"),
            (|s| s.max_attempts = Some(0), "--max-attempts", "1 to 100"),
            (|s| s.include = vec!["(".into()], "--include", "\"(\""),
            (
                |s| s.exclude = vec!["[".into()],
                "--exclude",
                "regular expression",
            ),
            (|s| s.headers = vec!["nocolon".into()], "--header", "colon"),
            (
                |s| s.headers = vec!["A: b\r\nC: d".into()],
                "--header",
                "control",
            ),
            (
                |s| s.headers = vec!["Host: x".into()],
                "--header",
                "set by the crawler",
            ),
            (
                |s| s.proxies = vec!["socks5://x".into()],
                "--proxy",
                "http://127.0.0.1:3128",
            ),
            (
                |s| s.path_delays = vec![("x".into(), Duration::ZERO)],
                "--path-delay",
                "slash",
            ),
            (
                |s| s.seed = "example.org".into(),
                "<URL>",
                "https://example.org",
            ),
        ];
        for (change, flag, words) in cases {
            let error = plan(change).unwrap_err();
            assert_eq!(error.flag, flag);
            assert!(error.words.contains(words), "{error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
