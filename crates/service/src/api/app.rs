//! What outlives a request: the store, the configuration, the fetcher of single pages, the keys.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use engine::{Scraper, Stop};
use fetch::{Allowed, FetchSetupError, Guard, HttpFetch, LookUp};
use model::{Backoff, Notice, PlanError, RobotsPolicy, ScrapePlan, ScrapeSpec};
use store::Store;
use tokio::sync::watch;
use weburl::CrawlUrl;

use super::keys::Keys;
use super::polite_fetch::PoliteFetch;
use super::readiness::Readiness;
use crate::BrowserDesk;
use crate::config::Config;
use crate::job_params::JobDefaults;

/// Single pages fetched at once for callers; more wait their turn.
const SCRAPES_AT_ONCE: usize = 64;
/// How much longer than a request may take a host's slot is kept for it.
const TURN_SPARE: Duration = Duration::from_mins(1);

/// Why the API cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The configuration makes no plan.
    #[error("the configuration cannot be used: {0}")]
    Plan(#[from] PlanError),
    /// There can be no fetcher.
    #[error("cannot set up fetching: {0}")]
    Fetch(#[from] FetchSetupError),
}

/// What handlers share. Cheap to clone.
#[derive(Debug)]
pub struct App<S> {
    inner: Arc<Inner<S>>,
}

impl<S> Clone for App<S> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

#[derive(Debug)]
struct Inner<S> {
    store: S,
    config: Config,
    defaults: JobDefaults,
    scraper: Scraper<PoliteFetch<S>>,
    keys: Keys,
    readiness: Readiness,
    browser: BrowserDesk,
    stopping: watch::Sender<bool>,
}

/// What reading a body has to know.
pub(super) trait Limits: Send + Sync {
    fn max_body_bytes(&self) -> u64;

    fn body_timeout(&self) -> Duration;
}

impl<S: Store> Limits for App<S> {
    fn max_body_bytes(&self) -> u64 {
        self.inner.config.server.max_body_bytes
    }

    fn body_timeout(&self) -> Duration {
        self.inner.config.server.body_timeout
    }
}

impl<S: Store> App<S> {
    /// An API over this store.
    pub fn new(store: S, config: Config, browser: BrowserDesk) -> Result<Self, SetupError> {
        let plan = scrape_plan(&config)?;
        let (guard, sniff) = (guard(&config), html::looks_like_html);
        let fetch = HttpFetch::new(&plan.fetch, SCRAPES_AT_ONCE, guard, sniff)?;
        Ok(Self::build(store, config, browser, plan, fetch))
    }

    /// The same, asking nobody but `look_up` for the addresses of scraped pages.
    #[doc(hidden)]
    pub fn resolving(store: S, config: Config, look_up: LookUp) -> Result<Self, SetupError> {
        let browser = BrowserDesk::resolving(&config, Arc::clone(&look_up))?;
        let plan = scrape_plan(&config)?;
        let (guard, sniff) = (guard(&config), html::looks_like_html);
        let fetch = HttpFetch::resolving(&plan.fetch, SCRAPES_AT_ONCE, guard, sniff, look_up)?;
        Ok(Self::build(store, config, browser, plan, fetch))
    }

    fn build(
        store: S,
        config: Config,
        browser: BrowserDesk,
        plan: ScrapePlan,
        fetch: HttpFetch,
    ) -> Self {
        let chance = RandomState::new().hash_one("api");
        // A turn is kept until the request is over, or its process is.
        let lease = config.http.timeout + config.browser.nav_timeout + TURN_SPARE;
        let guard = guard(&config);
        let fetch = browser.fetch(Arc::new(fetch));
        let fetch = PoliteFetch::new(store.clone(), fetch, guard, SCRAPES_AT_ONCE, lease);
        let tell = tell(store.clone());
        Self {
            inner: Arc::new(Inner {
                store,
                defaults: JobDefaults::from(&config),
                // A request that waits is ended by its own time limit.
                scraper: Scraper::new(Arc::new(fetch), plan, chance, Stop::new(), tell),
                keys: Keys::new(&config.server.api_keys),
                readiness: Readiness::default(),
                stopping: watch::Sender::new(false),
                browser,
                config,
            }),
        }
    }

    pub(super) fn store(&self) -> &S {
        &self.inner.store
    }

    pub(super) fn config(&self) -> &Config {
        &self.inner.config
    }

    pub(super) fn defaults(&self) -> &JobDefaults {
        &self.inner.defaults
    }

    pub(super) fn scraper(&self) -> &Scraper<PoliteFetch<S>> {
        &self.inner.scraper
    }

    pub(super) fn browser(&self) -> &BrowserDesk {
        &self.inner.browser
    }

    pub(super) fn readiness(&self) -> &Readiness {
        &self.inner.readiness
    }

    pub(super) fn keys(&self) -> &Keys {
        &self.inner.keys
    }

    /// Ends what would go on for ever: live events.
    pub(super) fn stop(&self) {
        self.inner.stopping.send_replace(true);
    }

    /// Waits a while, or less if the service stops; whether it goes on.
    pub(super) async fn pause(&self, pause: Duration) -> bool {
        let mut stopping = self.inner.stopping.subscribe();
        let stopped = stopping.wait_for(|stopping| *stopping);
        tokio::time::timeout(pause, stopped).await.is_err()
    }
}

/// What a scraped page's host asks for is told, and holds for workers too.
fn tell<S: Store>(store: S) -> impl Fn(Notice) + Send + Sync {
    move |notice| {
        tracing::info!(event = notice.as_str(), "{notice}");
        let Notice::CrawlDelay { origin, pause } = notice else {
            return;
        };
        let Some(site) = CrawlUrl::from_normalised(&format!("{origin}/")) else {
            return;
        };
        let store = store.clone();
        tokio::spawn(async move {
            let told = store.slow_host(&site.host_key(), pause).await;
            if let Err(error) = told {
                tracing::warn!(%error, %origin, "a crawl-delay could not be kept");
            }
        });
    }
}

/// The guard that a configuration asks for: one for the API and the workers.
pub fn guard(config: &Config) -> Guard {
    let list = config.egress.allow.iter();
    let allowed = list.filter_map(|entry| Allowed::parse(entry)).collect();
    Guard::new(config.egress.allow_private, allowed)
}

/// How single pages are asked for.
pub(crate) fn scrape_plan(config: &Config) -> Result<ScrapePlan, PlanError> {
    let spec = ScrapeSpec {
        timeout: Some(config.http.timeout),
        robots: if config.crawl.respect_robots {
            RobotsPolicy::Respect
        } else {
            RobotsPolicy::Ignore
        },
        robots_errors: config.crawl.robots_fetch_error,
        ..ScrapeSpec::default()
    };
    let mut plan = ScrapePlan::resolve(&spec, &config.http.user_agent)?;
    plan.fetch.max_body = config.http.max_body_bytes;
    plan.max_redirects = config.http.max_redirects;
    plan.max_attempts = config.worker.max_attempts;
    plan.backoff = Backoff {
        first: config.worker.backoff_base,
        longest: config.worker.backoff_max,
    };
    Ok(plan)
}
