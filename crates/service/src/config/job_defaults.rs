//! What jobs get of the configuration.

use model::{Backoff, JsPolicy};

use super::{Config, UseJs};
use crate::job_params::JobDefaults;

impl From<&Config> for JobDefaults {
    fn from(config: &Config) -> Self {
        let endings = &config.crawl.block_binary_extensions;
        Self {
            user_agent: config.http.user_agent.clone(),
            timeout: config.http.timeout,
            max_redirects: config.http.max_redirects,
            max_body_bytes: config.http.max_body_bytes,
            max_attempts: config.worker.max_attempts,
            backoff: Backoff {
                first: config.worker.backoff_base,
                longest: config.worker.backoff_max,
            },
            // What is not asked for may not be more than what may be.
            max_depth: config.jobs.max_depth.min(Self::default().max_depth),
            max_tasks: Some(u64::from(config.jobs.max_tasks)),
            max_duration: Some(config.jobs.max_duration),
            max_bytes: Some(config.jobs.max_bytes),
            respect_robots: config.crawl.respect_robots,
            robots_errors: config.crawl.robots_fetch_error,
            strip_query: config.crawl.strip_query,
            obey_nofollow: config.crawl.obey_nofollow,
            blocked_extensions: endings.iter().map(|one| one.to_ascii_lowercase()).collect(),
            keep_fragments: !config.crawl.strip_fragments,
            js: config.browser.use_js_default.into(),
            force_js: config.browser.force,
        }
    }
}

impl From<UseJs> for JsPolicy {
    fn from(use_js: UseJs) -> Self {
        match use_js {
            UseJs::Never => Self::Never,
            UseJs::Auto => Self::Auto,
            UseJs::Always => Self::Always,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use store::JobKind;

    use super::*;
    use crate::job_params::JobParams;

    #[test]
    fn pages_are_rendered_as_asked_else_as_configured_and_always_where_that_is_forced() {
        use crate::job_params::{AutoWord, UseJs as Asked};
        let mut config = Config::default();
        let policy = |config: &Config, use_js| {
            let params = JobParams {
                use_js,
                ..JobParams::site("https://example.org/")
            };
            let plan = params.plan(JobKind::Crawl, &JobDefaults::from(config));
            plan.unwrap().js
        };
        let auto = Some(Asked::Auto(AutoWord::Auto));
        assert_eq!(policy(&config, None), JsPolicy::Never);
        assert_eq!(policy(&config, auto), JsPolicy::Auto);
        assert_eq!(policy(&config, Some(Asked::Fixed(true))), JsPolicy::Always);
        config.browser.use_js_default = UseJs::Auto;
        assert_eq!(policy(&config, None), JsPolicy::Auto);
        assert_eq!(policy(&config, Some(Asked::Fixed(false))), JsPolicy::Never);
        config.browser.force = true;
        for asked in [None, auto, Some(Asked::Fixed(false))] {
            assert_eq!(policy(&config, asked), JsPolicy::Always, "{asked:?}");
        }
    }

    #[test]
    fn jobs_get_the_limits_of_the_configuration_unless_they_ask_for_less() {
        let mut config = Config::default();
        config.jobs.max_depth = 1;
        config.jobs.max_tasks = 7;
        config.jobs.max_duration = Duration::from_secs(8);
        config.jobs.max_bytes = 9_000;
        let defaults = JobDefaults::from(&config);
        let params = JobParams::site("https://example.org/");
        let limits = |params: &JobParams, kind| params.new_job(kind, &defaults).unwrap().job.limits;
        let usual = limits(&params, JobKind::Crawl);
        assert_eq!(usual.max_depth, Some(1));
        assert_eq!(usual.max_tasks, Some(7));
        assert_eq!(usual.max_duration, Some(Duration::from_secs(8)));
        assert_eq!(usual.max_bytes, Some(9_000));
        let less = JobParams {
            max_depth: Some(0),
            max_pages: Some(3),
            max_duration: Some(2),
            max_bytes: Some(1),
            ..params
        };
        let less = limits(&less, JobKind::Map);
        assert_eq!((less.max_depth, less.max_tasks), (Some(0), Some(3)));
        assert_eq!(less.max_duration, Some(Duration::from_secs(2)));
        assert_eq!(less.max_bytes, Some(1));
    }
}
