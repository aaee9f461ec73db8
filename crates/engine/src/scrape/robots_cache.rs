//! Caches the robots.txt of each origin.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crawler_fetch::{Accept, Fetch, RequestedUrl};
use crawler_frontier::RobotsAnswer;
use crawler_model::site_rules::{MAX_SITE_FILE_REDIRECTS, MAX_WAIT, SITE_FILE_ATTEMPTS};
use crawler_model::{JsPolicy, Notice};
use crawler_sitefiles::{Robots, RobotsFile, RobotsPermission};
use crawler_weburl::{CrawlUrl, Origin};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::{HostGate, RequestError, RequestOptions, ScrapeProblem, Scraper};
use crate::site_file::read_robots;

/// Number of origins at which unused entries are removed.
const MAX_ORIGINS: usize = 4_096;

/// The robots.txt of every origin.
#[derive(Debug, Default)]
pub(super) struct RobotsCache {
    origins: Mutex<HashMap<Origin, Entry>>,
}

type Entry = Arc<OnceCell<CachedRobots>>;

#[derive(Debug)]
struct CachedRobots {
    file: RobotsFile,
    expires_at: Instant,
}

impl RobotsCache {
    /// Checks whether a URL may be fetched; fetches its origin's robots.txt first if necessary.
    pub(super) async fn permit<T: Fetch, G: HostGate>(
        &self,
        url: &CrawlUrl,
        requested: &RequestedUrl,
        scraper: &Scraper<T, G>,
    ) -> Result<(), ScrapeProblem> {
        let entry = self.entry(&url.origin());
        let cached = entry
            .get_or_try_init(async || {
                let file = fetch_robots(url, requested, scraper).await?;
                let expires_at = Instant::now() + file.fresh_for();
                Ok(CachedRobots { file, expires_at })
            })
            .await
            .map_err(|error: RequestError| error.into_problem(url))?;
        if let Some(pause) = cached.file.crawl_delay().filter(|delay| *delay > MAX_WAIT) {
            let url = url.clone();
            return Err(ScrapeProblem::Parked { url, pause });
        }
        let path = url.parts().path_and_query();
        match cached.file.permission(path, scraper.plan.robots_errors) {
            RobotsPermission::Allowed => Ok(()),
            RobotsPermission::Skip(reason) => {
                let url = url.clone();
                Err(ScrapeProblem::Robots { url, reason })
            }
            RobotsPermission::Fail(failure) => Err(ScrapeProblem::failed(url, failure)),
        }
    }

    fn entry(&self, origin: &Origin) -> Entry {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_expired = |entry: &Entry| entry.get().is_some_and(|cached| cached.expires_at <= now);
        if origins.len() >= MAX_ORIGINS && !origins.contains_key(origin) {
            origins.retain(|_, entry| !is_expired(entry));
            if origins.len() >= MAX_ORIGINS {
                // Removed files are fetched again when needed.
                origins.retain(|_, entry| Arc::strong_count(entry) > 1);
            }
        }
        let entry = origins.entry(origin.clone()).or_default();
        if is_expired(entry) {
            *entry = Entry::default();
        }
        Arc::clone(entry)
    }
}

/// Fetches the robots.txt of a URL's origin.
async fn fetch_robots<T: Fetch, G: HostGate>(
    url: &CrawlUrl,
    requested: &RequestedUrl,
    scraper: &Scraper<T, G>,
) -> Result<RobotsFile, RequestError> {
    let mut robots_url = url.at_path("/robots.txt");
    let options = RequestOptions {
        accept: Accept::File {
            max_bytes: Robots::MAX_BYTES as u64 + 1,
        },
        max_attempts: SITE_FILE_ATTEMPTS,
        js: JsPolicy::Never,
        visit: 0,
    };
    for _ in 0..=MAX_SITE_FILE_REDIRECTS {
        let response = match scraper.request(&robots_url, requested, options).await {
            Ok(fetched) => Ok(fetched),
            Err(RequestError::Failed(failure)) => Err(failure),
            Err(error) => return Err(error),
        };
        let file = match read_robots(&robots_url, response, &scraper.plan.fetch.user_agent) {
            RobotsAnswer::Rules(rules) => RobotsFile::Rules(rules),
            RobotsAnswer::Unavailable(failure) => RobotsFile::Unavailable(failure),
            RobotsAnswer::Unreachable(failure) => RobotsFile::Unreachable(failure),
            RobotsAnswer::Moved(to) => {
                robots_url = to;
                continue;
            }
        };
        if let Some(pause) = file.crawl_delay().filter(|delay| *delay <= MAX_WAIT) {
            scraper.gate.slow_to(url, pause).await;
            let origin = url.origin().to_string();
            (scraper.on_notice)(Notice::CrawlDelay { origin, pause });
        }
        return Ok(file);
    }
    Ok(RobotsFile::without_rules())
}
