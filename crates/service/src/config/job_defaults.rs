//! The defaults of jobs, taken from the configuration.

use crawler_model::{Backoff, RequestSpec, RobotsPolicy};

use super::Config;
use crate::job_params::JobDefaults;

/// Maximum depth of a job that does not set one.
const DEFAULT_MAX_DEPTH: u32 = 2;

impl Default for JobDefaults {
    fn default() -> Self {
        Self::from(&Config::default())
    }
}

impl From<&Config> for JobDefaults {
    fn from(config: &Config) -> Self {
        let extensions = &config.crawl.block_binary_extensions;
        Self {
            request: RequestSpec {
                timeout: Some(config.http.timeout),
                max_attempts: Some(config.worker.max_attempts),
                backoff: Backoff {
                    first: config.worker.backoff_base,
                    longest: config.worker.backoff_max,
                },
                max_redirects: Some(config.http.max_redirects),
                max_body_bytes: Some(config.http.max_body_bytes),
                robots: if config.crawl.respect_robots {
                    RobotsPolicy::Respect
                } else {
                    RobotsPolicy::Ignore
                },
                robots_errors: config.crawl.robots_fetch_error,
                robots_lifetime: Some(config.crawl.robots_lifetime),
                crawl_delay: config.crawl.delay_policy(),
                user_agent: Some(config.http.user_agent.clone()),
                ..RequestSpec::default()
            },
            // The default must not exceed the configured limit.
            max_depth: config.jobs.max_depth.min(DEFAULT_MAX_DEPTH),
            max_tasks: Some(u64::from(config.jobs.max_tasks)),
            max_hosts: Some(u64::from(config.jobs.max_hosts)),
            max_duration: Some(config.jobs.max_duration),
            max_bytes: Some(config.jobs.max_bytes),
            strip_query: config.crawl.strip_query,
            obey_nofollow: config.crawl.obey_nofollow,
            blocked_extensions: extensions
                .iter()
                .map(|one| one.to_ascii_lowercase())
                .collect(),
            keep_fragments: !config.crawl.strip_fragments,
            js: config.browser.use_js_default,
            force_js: config.browser.force,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crawler_model::{JsPolicy, Limits};
    use crawler_store::{JobKind, Owner};

    use super::*;
    use crate::job_params::JobParams;

    #[test]
    fn use_js_of_a_request_overrides_the_default_and_browser_force_overrides_both() {
        use crate::job_params::{AutoMode, UseJs};
        let mut config = Config::default();
        let policy = |config: &Config, use_js| {
            let params = JobParams {
                use_js,
                ..JobParams::for_url("https://example.org/")
            };
            let plan = params.plan(JobKind::Crawl, &JobDefaults::from(config), 0, 0);
            plan.unwrap().js
        };
        let auto = Some(UseJs::Auto(AutoMode::Auto));
        assert_eq!(policy(&config, None), JsPolicy::Never);
        assert_eq!(policy(&config, auto), JsPolicy::Auto);
        assert_eq!(policy(&config, Some(UseJs::Fixed(true))), JsPolicy::Always);
        config.browser.use_js_default = JsPolicy::Auto;
        assert_eq!(policy(&config, None), JsPolicy::Auto);
        assert_eq!(policy(&config, Some(UseJs::Fixed(false))), JsPolicy::Never);
        config.browser.force = true;
        for use_js in [None, auto, Some(UseJs::Fixed(false))] {
            assert_eq!(policy(&config, use_js), JsPolicy::Always, "{use_js:?}");
        }
    }

    #[test]
    fn jobs_use_the_configured_limits_unless_they_set_lower_ones() {
        let mut config = Config::default();
        config.jobs.max_depth = 1;
        config.jobs.max_tasks = 7;
        config.jobs.max_duration = Duration::from_secs(8);
        config.jobs.max_bytes = 9_000;
        let defaults = JobDefaults::from(&config);
        let params = JobParams::for_url("https://example.org/");
        let limits = |params: &JobParams, kind| {
            params
                .new_job(kind, Owner::local(), &defaults)
                .unwrap()
                .job
                .limits
        };
        let defaults_used = limits(&params, JobKind::Crawl);
        assert_eq!(defaults_used.max_depth, Some(1));
        assert_eq!(defaults_used.max_tasks, Some(7));
        assert_eq!(defaults_used.max_duration, Some(Duration::from_secs(8)));
        assert_eq!(defaults_used.max_bytes, Some(9_000));
        let lower = JobParams {
            max_depth: Some(0),
            max_pages: Some(3),
            max_duration: Some(2),
            max_bytes: Some(1),
            ..params
        };
        let lower = limits(&lower, JobKind::Map);
        assert_eq!((lower.max_depth, lower.max_tasks), (Some(0), Some(3)));
        assert_eq!(lower.max_duration, Some(Duration::from_secs(2)));
        assert_eq!(lower.max_bytes, Some(1));
    }

    #[test]
    fn the_plan_of_a_job_has_the_limits_of_the_job() {
        let mut defaults = JobDefaults {
            max_tasks: Some(7),
            max_duration: Some(Duration::from_secs(8)),
            max_bytes: Some(9_000),
            ..JobDefaults::default()
        };
        let limits = |params: &JobParams, kind, defaults: &JobDefaults| {
            params.plan(kind, defaults, 0, 0).unwrap().limits
        };
        let page = JobParams::for_url("https://example.org/");
        let pages = JobParams::batch(["https://example.org/"]);
        for (kind, params, depth, count) in [
            (JobKind::Crawl, &page, DEFAULT_MAX_DEPTH, Some(7)),
            (JobKind::Map, &page, DEFAULT_MAX_DEPTH, Some(7)),
            (JobKind::Scrape, &page, 0, None),
            (JobKind::BatchScrape, &pages, 0, None),
        ] {
            let expected = Limits {
                pages: count,
                depth: Some(depth),
                duration: Some(Duration::from_secs(8)),
                bytes: Some(9_000),
            };
            assert_eq!(limits(params, kind, &defaults), expected, "{kind:?}");
            let job = params.new_job(kind, Owner::local(), &defaults).unwrap().job;
            assert_eq!(job.limits.max_tasks, count, "{kind:?}");
            assert_eq!(job.limits.max_depth.is_some(), count.is_some(), "{kind:?}");
        }
        defaults.max_tasks = None;
        let unlimited = limits(&page, JobKind::Crawl, &defaults);
        assert_eq!(unlimited.pages, None, "not the limit of a profile");
    }
}
