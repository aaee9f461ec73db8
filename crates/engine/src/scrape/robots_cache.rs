//! Each origin's robots.txt, fetched once and kept for a while.

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

use super::{HostGate, NoAnswer, ScrapeProblem, Scraper, Way};
use crate::site_file::read_robots;

/// Origins kept before old ones are dropped.
const MAX_ORIGINS: usize = 4_096;

/// The robots.txt of every origin.
#[derive(Debug, Default)]
pub(super) struct RobotsCache {
    origins: Mutex<HashMap<Origin, Entry>>,
}

type Entry = Arc<OnceCell<Known>>;

#[derive(Debug)]
struct Known {
    file: RobotsFile,
    until: Instant,
}

impl RobotsCache {
    /// Checks whether a URL may be fetched; fetches its origin's robots.txt first if necessary.
    pub(super) async fn permit<T: Fetch, G: HostGate>(
        &self,
        url: &CrawlUrl,
        asked: &RequestedUrl,
        scraper: &Scraper<T, G>,
    ) -> Result<(), ScrapeProblem> {
        let entry = self.entry(&url.origin());
        let known = entry
            .get_or_try_init(async || {
                let file = find(url, asked, scraper).await?;
                let until = Instant::now() + file.fresh_for();
                Ok(Known { file, until })
            })
            .await
            .map_err(|why: NoAnswer| why.about(url))?;
        if let Some(pause) = known.file.crawl_delay().filter(|delay| *delay > MAX_WAIT) {
            let url = url.clone();
            return Err(ScrapeProblem::Parked { url, pause });
        }
        let path = url.parts().path_and_query();
        match known.file.permission(path, scraper.plan.robots_errors) {
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
        let is_old = |entry: &Entry| entry.get().is_some_and(|known| known.until <= now);
        if origins.len() >= MAX_ORIGINS && !origins.contains_key(origin) {
            origins.retain(|_, entry| !is_old(entry));
            if origins.len() >= MAX_ORIGINS {
                // They are fetched again when needed: that costs a request, not a rule.
                origins.retain(|_, entry| Arc::strong_count(entry) > 1);
            }
        }
        let entry = origins.entry(origin.clone()).or_default();
        if is_old(entry) {
            *entry = Entry::default();
        }
        Arc::clone(entry)
    }
}

/// Fetches the robots.txt of a URL's origin.
async fn find<T: Fetch, G: HostGate>(
    url: &CrawlUrl,
    asked: &RequestedUrl,
    scraper: &Scraper<T, G>,
) -> Result<RobotsFile, NoAnswer> {
    let mut place = url.at_path("/robots.txt");
    let way = Way {
        accept: Accept::File {
            max_bytes: Robots::MAX_BYTES as u64 + 1,
        },
        max_attempts: SITE_FILE_ATTEMPTS,
        js: JsPolicy::Never,
        visit: 0,
    };
    for _ in 0..=MAX_SITE_FILE_REDIRECTS {
        let answer = match scraper.request(&place, asked, way).await {
            Ok(fetched) => Ok(fetched),
            Err(NoAnswer::Failed(failure)) => Err(failure),
            Err(why) => return Err(why),
        };
        let file = match read_robots(&place, answer, &scraper.plan.fetch.user_agent) {
            RobotsAnswer::Rules(rules) => RobotsFile::Rules(rules),
            RobotsAnswer::Unavailable(failure) => RobotsFile::Unavailable(failure),
            RobotsAnswer::Unreachable(failure) => RobotsFile::Unreachable(failure),
            RobotsAnswer::Moved(to) => {
                place = to;
                continue;
            }
        };
        if let Some(pause) = file.crawl_delay().filter(|delay| *delay <= MAX_WAIT) {
            scraper.gate.slow_to(url, pause).await;
            let origin = url.origin().to_string();
            (scraper.tell)(Notice::CrawlDelay { origin, pause });
        }
        return Ok(file);
    }
    Ok(RobotsFile::without_rules())
}
