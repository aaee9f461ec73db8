//! Each origin's robots.txt, asked for once and remembered for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fetch::{Asked, Fetch, Want};
use frontier::RobotsAnswer;
use model::{Failure, JsPolicy, Notice, RobotsErrors, SkipReason};
use sitefiles::{Robots, RobotsVerdict};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use weburl::{CrawlUrl, Origin};

use super::{LONGEST_WAIT, NoAnswer, ScrapeProblem, Scraper, Way};
use crate::site_file::read_robots;

/// Redirects followed for a robots.txt, as RFC 9309 asks.
const MOST_HOPS: u32 = 5;
/// Attempts at one file.
const ATTEMPTS: u32 = 2;
/// How long rules are good for, as RFC 9309 asks.
const FRESH: Duration = Duration::from_hours(24);
/// How long a failure is believed.
const FRESH_FAILURE: Duration = Duration::from_mins(1);
/// Origins remembered before old ones are forgotten.
const MOST_ORIGINS: usize = 4_096;

/// What is known of every origin's robots.txt.
#[derive(Debug, Default)]
pub(super) struct RobotsDesk {
    origins: Mutex<HashMap<Origin, Entry>>,
}

type Entry = Arc<OnceCell<Known>>;

#[derive(Debug)]
struct Known {
    found: Found,
    until: Instant,
}

#[derive(Debug)]
enum Found {
    Rules(Robots),
    Unavailable(Failure),
    Unreachable(Failure),
}

impl RobotsDesk {
    /// Whether a URL may be fetched; asks for its origin's robots.txt first if it has to.
    pub(super) async fn permit<T: Fetch>(
        &self,
        url: &CrawlUrl,
        asked: &Asked,
        scraper: &Scraper<T>,
    ) -> Result<(), ScrapeProblem> {
        let entry = self.entry(&url.origin());
        let known = entry
            .get_or_try_init(async || {
                let found = find(url, asked, scraper).await?;
                let fresh = match found {
                    Found::Rules(_) => FRESH,
                    _ => FRESH_FAILURE,
                };
                let until = Instant::now() + fresh;
                Ok(Known { found, until })
            })
            .await
            .map_err(|why: NoAnswer| why.about(url))?;
        let lenient = scraper.plan.robots_errors == RobotsErrors::Allow;
        let blocked = |reason| {
            let url = url.clone();
            Err(ScrapeProblem::Robots { url, reason })
        };
        match &known.found {
            Found::Rules(rules) if rules.crawl_delay() > Some(LONGEST_WAIT) => {
                let (url, pause) = (url.clone(), rules.crawl_delay().unwrap_or_default());
                Err(ScrapeProblem::Parked { url, pause })
            }
            Found::Rules(rules) => match rules.verdict(url.parts().path_and_query()) {
                RobotsVerdict::DisallowedBy(rule) => blocked(SkipReason::Robots {
                    rule: rule.to_owned(),
                }),
                _ => Ok(()),
            },
            Found::Unavailable(_) | Found::Unreachable(_) if lenient => Ok(()),
            Found::Unavailable(failure) => blocked(SkipReason::RobotsUnavailable {
                words: failure.words.clone(),
            }),
            // No answer for robots.txt either is a network failure, not a refusal.
            Found::Unreachable(failure) => Err(ScrapeProblem::failed(url, failure.clone())),
        }
    }

    fn entry(&self, origin: &Origin) -> Entry {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_old = |entry: &Entry| entry.get().is_some_and(|known| known.until <= now);
        if origins.len() >= MOST_ORIGINS && !origins.contains_key(origin) {
            origins.retain(|_, entry| !is_old(entry));
            if origins.len() >= MOST_ORIGINS {
                // Asked again when they come up again: that costs a request, not a rule.
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

/// Asks for the robots.txt of a URL's origin.
async fn find<T: Fetch>(
    url: &CrawlUrl,
    asked: &Asked,
    scraper: &Scraper<T>,
) -> Result<Found, NoAnswer> {
    let mut place = url.at_path("/robots.txt");
    let way = Way {
        want: Want::File {
            max_bytes: Robots::MAX_BYTES as u64 + 1,
        },
        max_attempts: ATTEMPTS,
        js: JsPolicy::Never,
        visit: 0,
    };
    for _ in 0..=MOST_HOPS {
        let answer = match scraper.ask(&place, asked, way).await {
            Ok(fetched) => Ok(fetched),
            Err(NoAnswer::Failed(failure)) => Err(failure),
            Err(why) => return Err(why),
        };
        match read_robots(&place, answer, &scraper.plan.fetch.user_agent) {
            RobotsAnswer::Rules(rules) => {
                let pause = rules
                    .crawl_delay()
                    .filter(|pause| !pause.is_zero() && *pause <= LONGEST_WAIT);
                if let Some(pause) = pause {
                    scraper.hosts.slow_to(url, pause);
                    let origin = url.origin().to_string();
                    (scraper.tell)(Notice::CrawlDelay { origin, pause });
                }
                return Ok(Found::Rules(rules));
            }
            RobotsAnswer::Unavailable(failure) => return Ok(Found::Unavailable(failure)),
            RobotsAnswer::Unreachable(failure) => return Ok(Found::Unreachable(failure)),
            RobotsAnswer::Moved(to) => place = to,
        }
    }
    // More redirects may be taken as "no rules".
    Ok(Found::Rules(Robots::allow_all()))
}
