//! What jobs get of the configuration.

use model::Backoff;

use super::Config;
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
