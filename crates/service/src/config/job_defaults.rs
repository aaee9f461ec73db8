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
