//! What single pages are asked for with: the desk of `scrape`, as [`CrawlPlan`](crate::CrawlPlan) is that of a crawl.

use std::time::Duration;

use crate::plan_checks::{check_header_value, headers, in_range, proxies};
use crate::plan_error::PlanError;
use crate::{Backoff, Deadlines, FetchRules, Profile, RobotsErrors, RobotsPolicy};

/// What was asked. `None` means "the usual".
#[derive(Clone, Debug, Default)]
pub struct ScrapeSpec {
    /// Per request.
    pub timeout: Option<Duration>,
    /// robots.txt.
    pub robots: RobotsPolicy,
    /// A robots.txt that cannot be read.
    pub robots_errors: RobotsErrors,
    /// The agent string.
    pub user_agent: Option<String>,
    /// Extra headers as typed, sent to the origins of the given URLs only.
    pub headers: Vec<String>,
    /// Proxies as typed, taking turns.
    pub proxies: Vec<String>,
}

/// Everything there is to know before the first URL: validated, complete.
#[derive(Clone, Debug)]
pub struct ScrapePlan {
    /// How pages are asked for.
    pub fetch: FetchRules,
    /// robots.txt.
    pub robots: RobotsPolicy,
    /// A robots.txt that cannot be read.
    pub robots_errors: RobotsErrors,
    /// Attempts, the first included.
    pub max_attempts: u32,
    /// Pauses between them.
    pub backoff: Backoff,
    /// Redirects walked for one URL.
    pub max_redirects: u32,
}

/// One page is wanted whole: more than a crawl reads of each of thousands.
const MAX_BODY: u64 = 10_000_000;
const MAX_REDIRECTS: u32 = 10;

impl ScrapePlan {
    /// Checks a spec and fills in what it leaves open; `agent` is the agent string when none was asked for.
    pub fn resolve(spec: &ScrapeSpec, agent: &str) -> Result<Self, PlanError> {
        let usual = Profile::default();
        let timeout = spec.timeout.unwrap_or(usual.timeout());
        in_range(
            "--timeout (in milliseconds)",
            timeout.as_millis(),
            1,
            3_600_000,
        )?;
        let user_agent = spec.user_agent.clone().unwrap_or_else(|| agent.to_owned());
        check_header_value("--user-agent", &user_agent)?;
        Ok(Self {
            fetch: FetchRules {
                deadlines: Deadlines::within(timeout),
                max_body: MAX_BODY,
                user_agent,
                headers: headers(&spec.headers)?,
                userinfo: None,
                proxies: proxies(&spec.proxies)?,
                seed: None,
            },
            robots: spec.robots,
            robots_errors: spec.robots_errors,
            max_attempts: usual.max_attempts(),
            backoff: Backoff::default(),
            max_redirects: MAX_REDIRECTS,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_checks_as_a_crawl() {
        for (spec, flag) in [
            (
                ScrapeSpec {
                    timeout: Some(Duration::ZERO),
                    ..ScrapeSpec::default()
                },
                "--timeout",
            ),
            (
                ScrapeSpec {
                    headers: vec!["no colon".into()],
                    ..ScrapeSpec::default()
                },
                "--header",
            ),
            (
                ScrapeSpec {
                    proxies: vec!["socks5://a".into()],
                    ..ScrapeSpec::default()
                },
                "--proxy",
            ),
            (
                ScrapeSpec {
                    user_agent: Some("a\nb".into()),
                    ..ScrapeSpec::default()
                },
                "--user-agent",
            ),
        ] {
            let error = ScrapePlan::resolve(&spec, "crawler/0").unwrap_err();
            assert!(error.flag.starts_with(flag), "{error}");
        }
        let plan = ScrapePlan::resolve(&ScrapeSpec::default(), "crawler/0").unwrap();
        assert_eq!(plan.fetch.user_agent, "crawler/0");
        assert_eq!(plan.max_attempts, 3);
    }
}
