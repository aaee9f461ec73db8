//! How pages are requested: the part that the plans of a crawl and of a scrape have in common.

use std::time::Duration;

use crawler_weburl::{CrawlUrl, Userinfo};

use crate::plan_checks::{check_header_value, duration_in_range, headers, in_range, proxies};
use crate::site_rules::ROBOTS_FRESH;
use crate::{
    Backoff, CrawlDelay, Deadlines, FetchRules, PlanError, PlanField, RequestSpec, RobotsErrors,
    RobotsPolicy,
};

/// How pages are requested: validated and complete.
#[derive(Clone, Debug)]
pub struct RequestPlan {
    /// How one request is made.
    pub fetch: FetchRules,
    /// Whether robots.txt is obeyed.
    pub robots: RobotsPolicy,
    /// What a robots.txt that cannot be fetched means.
    pub robots_errors: RobotsErrors,
    /// How long a robots.txt is used before it is fetched again.
    pub robots_lifetime: Duration,
    /// Whether the `Crawl-delay` of robots.txt is obeyed.
    pub crawl_delay: CrawlDelay,
    /// Maximum number of attempts, including the first.
    pub max_attempts: u32,
    /// Pauses between attempts.
    pub backoff: Backoff,
    /// Maximum number of redirects for one URL.
    pub max_redirects: u32,
}

/// Defaults in which crawls and scrapes differ.
pub(crate) struct RequestDefaults<'a> {
    pub(crate) timeout: Duration,
    pub(crate) max_attempts: u32,
    pub(crate) max_body_bytes: u64,
    pub(crate) user_agent: &'a str,
}

const MAX_TIMEOUT: Duration = Duration::from_hours(1);
const MAX_ATTEMPTS: u32 = 100;
const DEFAULT_MAX_REDIRECTS: u32 = 10;
const MAX_REDIRECTS: u32 = 100;
/// Maximum value of the body limit.
const MAX_BODY: u64 = 1 << 30;

impl RequestPlan {
    /// Validates a spec and fills in defaults.
    pub(crate) fn resolve(
        spec: &RequestSpec,
        defaults: &RequestDefaults<'_>,
    ) -> Result<Self, PlanError> {
        let timeout = spec.timeout.unwrap_or(defaults.timeout);
        let shortest = Duration::from_millis(1);
        duration_in_range(PlanField::Timeout, timeout, shortest, MAX_TIMEOUT)?;
        let max_attempts = spec.max_attempts.unwrap_or(defaults.max_attempts);
        in_range(PlanField::MaxAttempts, max_attempts, 1, MAX_ATTEMPTS)?;
        let max_redirects = spec.max_redirects.unwrap_or(DEFAULT_MAX_REDIRECTS);
        in_range(PlanField::MaxRedirects, max_redirects, 0, MAX_REDIRECTS)?;
        let max_body = spec.max_body_bytes.unwrap_or(defaults.max_body_bytes);
        in_range(PlanField::MaxBodyBytes, max_body, 1, MAX_BODY)?;
        let user_agent = spec.user_agent.as_deref().unwrap_or(defaults.user_agent);
        check_header_value(PlanField::UserAgent, user_agent)?;
        Ok(Self {
            fetch: FetchRules {
                deadlines: Deadlines::within(timeout),
                max_body,
                user_agent: user_agent.to_owned(),
                headers: headers(&spec.headers)?,
                userinfo: None,
                proxies: proxies(&spec.proxies)?,
                seed: None,
            },
            robots: spec.robots,
            robots_errors: spec.robots_errors,
            robots_lifetime: spec.robots_lifetime.unwrap_or(ROBOTS_FRESH),
            crawl_delay: spec.crawl_delay,
            max_attempts,
            backoff: spec.backoff,
            max_redirects,
        })
    }

    /// Sends headers, and the credentials in the URL as typed, to the origin of this seed only.
    pub(crate) fn for_seed(mut self, seed: &CrawlUrl, typed: &str) -> Self {
        self.fetch.userinfo = Userinfo::of(typed);
        self.fetch.seed = Some(seed.clone());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CrawlPlan, CrawlSpec, ScrapePlan};

    /// The errors of a crawl and of a scrape whose requests are specified alike.
    fn errors(change: fn(&mut RequestSpec)) -> [PlanError; 2] {
        let mut request = RequestSpec::default();
        change(&mut request);
        let crawl = CrawlSpec {
            seed: "https://example.org/".into(),
            request: request.clone(),
            ..CrawlSpec::default()
        };
        [
            CrawlPlan::resolve(&crawl, "crawler/0", 1).unwrap_err(),
            ScrapePlan::resolve(&request, "crawler/0").unwrap_err(),
        ]
    }

    fn header(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.to_owned(), value.to_owned())]
    }

    #[test]
    fn a_crawl_and_a_scrape_are_checked_alike_and_errors_name_the_remedy() {
        type Change = fn(&mut RequestSpec);
        let cases: [(Change, PlanField, &str); 13] = [
            (
                |request| request.timeout = Some(Duration::ZERO),
                PlanField::Timeout,
                "0s is out of range; use 1ms to 1h",
            ),
            (
                |request| request.timeout = Some(Duration::from_hours(2)),
                PlanField::Timeout,
                "2h is out of range; use 1ms to 1h",
            ),
            (
                |request| request.max_attempts = Some(0),
                PlanField::MaxAttempts,
                "0 is out of range; use 1 to 100",
            ),
            (
                |request| request.max_redirects = Some(101),
                PlanField::MaxRedirects,
                "use 0 to 100",
            ),
            (
                |request| request.max_body_bytes = Some(0),
                PlanField::MaxBodyBytes,
                "0 is out of range",
            ),
            (
                |request| request.max_body_bytes = Some(u64::MAX),
                PlanField::MaxBodyBytes,
                "out of range",
            ),
            (
                |request| request.headers = header("no name", "x"),
                PlanField::Header,
                "\"no name\" is not a header name",
            ),
            (
                |request| request.headers = header("A", "b\r\nC: d"),
                PlanField::Header,
                "control",
            ),
            (
                |request| request.headers = header("Host", "x"),
                PlanField::Header,
                "set by the crawler",
            ),
            (
                |request| request.proxies = vec!["socks5://a".into()],
                PlanField::Proxy,
                "http://127.0.0.1:3128",
            ),
            (
                |request| request.proxies = vec!["https://a".into()],
                PlanField::Proxy,
                "http://127.0.0.1:3128",
            ),
            (
                |request| request.user_agent = Some("a\nb".into()),
                PlanField::UserAgent,
                "control",
            ),
            (
                |request| request.user_agent = Some(String::new()),
                PlanField::UserAgent,
                "mybot/1.0",
            ),
        ];
        for (change, field, message) in cases {
            let [crawl, scrape] = errors(change);
            assert_eq!(crawl, scrape);
            assert_eq!(crawl.field, field);
            assert!(crawl.message.contains(message), "{crawl}");
            assert!(!crawl.to_string().contains('\n'), "{crawl}");
        }
    }
}
