//! The plan for scraping single pages, the counterpart of [`CrawlPlan`](crate::CrawlPlan).

use std::time::Duration;

use crate::plan_checks::{check_header_value, headers, in_range, proxies};
use crate::plan_error::{PlanError, PlanField};
use crate::{Backoff, Deadlines, FetchRules, Profile, RobotsErrors, RobotsPolicy};

/// A user's request for single pages. `None` is the default.
#[derive(Clone, Debug, Default)]
pub struct ScrapeSpec {
    /// Timeout of one request.
    pub timeout: Option<Duration>,
    /// Whether robots.txt is obeyed.
    pub robots: RobotsPolicy,
    /// What a robots.txt that cannot be fetched means.
    pub robots_errors: RobotsErrors,
    /// The User-Agent header.
    pub user_agent: Option<String>,
    /// Extra headers, sent to the origins of the given URLs only: name and value.
    pub headers: Vec<(String, String)>,
    /// Proxies as typed, used in turn.
    pub proxies: Vec<String>,
    /// Maximum number of concurrent requests to one host.
    pub per_host_concurrency: Option<usize>,
    /// Maximum number of attempts, including the first.
    pub max_attempts: Option<u32>,
    /// Pauses between attempts.
    pub backoff: Backoff,
    /// Maximum number of redirects for one URL.
    pub max_redirects: Option<u32>,
    /// Maximum length of a decoded body.
    pub max_body_bytes: Option<u64>,
}

/// The plan for single pages: validated and complete.
#[derive(Clone, Debug)]
pub struct ScrapePlan {
    /// How pages are requested.
    pub fetch: FetchRules,
    /// Whether robots.txt is obeyed.
    pub robots: RobotsPolicy,
    /// What a robots.txt that cannot be fetched means.
    pub robots_errors: RobotsErrors,
    /// Maximum number of attempts, including the first.
    pub max_attempts: u32,
    /// Pauses between attempts.
    pub backoff: Backoff,
    /// Maximum number of redirects for one URL.
    pub max_redirects: u32,
    /// Maximum number of concurrent requests to one host, if the process itself limits them.
    pub per_host_concurrency: usize,
}

/// Larger than in a crawl, because there is only one page.
const MAX_BODY: u64 = 10_000_000;
const MAX_REDIRECTS: u32 = 10;
const PER_HOST_CONCURRENCY: usize = 2;

impl ScrapePlan {
    /// Validates a spec and fills in defaults; `agent` is the User-Agent header if the spec has none.
    pub fn resolve(spec: &ScrapeSpec, agent: &str) -> Result<Self, PlanError> {
        let profile = Profile::default();
        let timeout = spec.timeout.unwrap_or(profile.timeout());
        in_range(PlanField::Timeout, timeout.as_millis(), 1, 3_600_000)?;
        let user_agent = spec.user_agent.clone().unwrap_or_else(|| agent.to_owned());
        check_header_value(PlanField::UserAgent, &user_agent)?;
        Ok(Self {
            fetch: FetchRules {
                deadlines: Deadlines::within(timeout),
                max_body: spec.max_body_bytes.unwrap_or(MAX_BODY),
                user_agent,
                headers: headers(&spec.headers)?,
                userinfo: None,
                proxies: proxies(&spec.proxies)?,
                seed: None,
            },
            robots: spec.robots,
            robots_errors: spec.robots_errors,
            max_attempts: spec.max_attempts.unwrap_or(profile.max_attempts()),
            backoff: spec.backoff,
            max_redirects: spec.max_redirects.unwrap_or(MAX_REDIRECTS),
            per_host_concurrency: spec.per_host_concurrency.unwrap_or(PER_HOST_CONCURRENCY),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_as_for_a_crawl() {
        for (spec, field) in [
            (
                ScrapeSpec {
                    timeout: Some(Duration::ZERO),
                    ..ScrapeSpec::default()
                },
                PlanField::Timeout,
            ),
            (
                ScrapeSpec {
                    headers: vec![("no token".into(), String::new())],
                    ..ScrapeSpec::default()
                },
                PlanField::Header,
            ),
            (
                ScrapeSpec {
                    proxies: vec!["socks5://a".into()],
                    ..ScrapeSpec::default()
                },
                PlanField::Proxy,
            ),
            (
                ScrapeSpec {
                    user_agent: Some("a\nb".into()),
                    ..ScrapeSpec::default()
                },
                PlanField::UserAgent,
            ),
        ] {
            let error = ScrapePlan::resolve(&spec, "crawler/0").unwrap_err();
            assert_eq!(error.field, field, "{error}");
        }
        let plan = ScrapePlan::resolve(&ScrapeSpec::default(), "crawler/0").unwrap();
        assert_eq!(plan.fetch.user_agent, "crawler/0");
        assert_eq!(plan.max_attempts, 3);
    }
}
