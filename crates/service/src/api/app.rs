//! State shared by all requests: the store, the configuration, the scraper and the API keys.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use crawler_engine::{Scraper, Stop};
use crawler_fetch::{EgressTarget, FetchSetupError, Guard, HttpFetch, LookupFn};
use crawler_model::{DEFAULT_USER_AGENT, Notice, ScrapePlan};
use crawler_store::Store;
use tokio::sync::watch;

use super::auth::Authenticator;
use super::bounded_fetch::BoundedFetch;
use super::event_feed::EventFeeds;
use super::key_checks::KeyChecks;
use super::owner_limits::OwnerLimits;
use super::request_work::RequestWork;
use super::scrape_turn::ScrapeQueue;
use super::store_host_gate::StoreHostGate;
use super::usage_meter::UsageMeter;
use crate::SharedBrowser;
use crate::address_limits::{AddressLimits, slot_lease};
use crate::cached_check::CachedCheck;
use crate::config::{Config, UnusableSetting};
use crate::job_params::JobDefaults;

/// Maximum number of concurrent page requests made for `POST /v1/scrape`.
const MAX_SCRAPES: usize = 64;

/// Why the API cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The configuration is not usable.
    #[error(transparent)]
    Plan(#[from] UnusableSetting),
    /// The HTTP client cannot be created.
    #[error("cannot set up the HTTP client: {0}")]
    Fetch(#[from] FetchSetupError),
}

/// State shared by the handlers. Cheap to clone.
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

/// Fetches single pages; the store limits requests per host.
pub(super) type ApiScraper<S> = Scraper<BoundedFetch, StoreHostGate<S>>;

#[derive(Debug)]
struct Inner<S> {
    store: S,
    config: Config,
    guard: Guard,
    defaults: JobDefaults,
    scraper: ApiScraper<S>,
    keys: Authenticator,
    key_checks: KeyChecks,
    limits: Arc<OwnerLimits>,
    meter: Arc<UsageMeter<S>>,
    scrape_queue: Arc<ScrapeQueue>,
    feeds: Arc<EventFeeds>,
    readiness: CachedCheck,
    request_work: RequestWork,
    browser: SharedBrowser,
    stopping: watch::Sender<bool>,
}

/// Limits for reading a request body.
pub(super) trait BodyLimits: Send + Sync {
    fn request_timeout(&self) -> Duration;

    fn limits(&self) -> &Arc<OwnerLimits>;

    fn max_body_bytes(&self) -> u64;

    fn body_timeout(&self) -> Duration;

    fn request_work(&self) -> &RequestWork;
}

impl<S: Store> BodyLimits for App<S> {
    fn request_timeout(&self) -> Duration {
        self.inner.config.server.request_timeout
    }

    fn limits(&self) -> &Arc<OwnerLimits> {
        &self.inner.limits
    }

    fn max_body_bytes(&self) -> u64 {
        self.inner.config.server.max_body_bytes
    }

    fn body_timeout(&self) -> Duration {
        self.inner.config.server.body_timeout
    }

    fn request_work(&self) -> &RequestWork {
        &self.inner.request_work
    }
}

impl<S: Store> App<S> {
    /// Creates the API on top of a store.
    pub fn new(store: S, config: Config, browser: SharedBrowser) -> Result<Self, SetupError> {
        let plan = scrape_plan(&config)?;
        let (guard, sniff) = (guard(&config), crawler_html::looks_like_html);
        let fetch = HttpFetch::new(&plan.fetch, max_scrapes(&config), guard, sniff)?
            .with_name_resolution(config.http.resolver.into());
        Ok(Self::build(store, config, browser, plan, fetch))
    }

    /// Like [`App::new`], but resolves the host names of scraped pages with `look_up` only.
    #[doc(hidden)]
    pub fn resolving(store: S, config: Config, look_up: LookupFn) -> Result<Self, SetupError> {
        let browser = SharedBrowser::resolving(&config, Arc::clone(&look_up))?;
        let plan = scrape_plan(&config)?;
        let (guard, sniff) = (guard(&config), crawler_html::looks_like_html);
        let fetch = HttpFetch::resolving(&plan.fetch, max_scrapes(&config), guard, sniff, look_up)?;
        Ok(Self::build(store, config, browser, plan, fetch))
    }

    fn build(
        store: S,
        config: Config,
        browser: SharedBrowser,
        plan: ScrapePlan,
        fetch: HttpFetch,
    ) -> Self {
        let rng_seed = RandomState::new().hash_one("api");
        // Long enough for any request; the slot of a process that died is freed after it.
        let lease = slot_lease(&config);
        let guard = guard(&config);
        let http = Arc::new(fetch);
        let addresses = AddressLimits::new(store.clone(), &config, Arc::clone(&http));
        let gate = StoreHostGate::new(store.clone(), guard.clone(), addresses, lease, rng_seed);
        let fetch = Arc::new(BoundedFetch::new(
            &browser,
            http,
            guard.clone(),
            max_scrapes(&config),
        ));
        let limits = Arc::<OwnerLimits>::default();
        let on_notice = |notice: Notice| tracing::info!(event = notice.as_str(), "{notice}");
        Self {
            inner: Arc::new(Inner {
                defaults: JobDefaults::from(&config),
                // A request that waits is ended by its own timeout.
                scraper: Scraper::with_gate(fetch, plan, gate, rng_seed, Stop::new(), on_notice),
                keys: Authenticator::new(&config.server),
                request_work: RequestWork::new(Arc::clone(&limits)),
                limits,
                key_checks: KeyChecks::default(),
                meter: Arc::new(UsageMeter::new(store.clone())),
                scrape_queue: Arc::new(ScrapeQueue::new(&config.server)),
                feeds: Arc::default(),
                readiness: CachedCheck::default(),
                stopping: watch::Sender::new(false),
                browser,
                store,
                config,
                guard,
            }),
        }
    }

    pub(super) fn store(&self) -> &S {
        &self.inner.store
    }

    pub(super) fn config(&self) -> &Config {
        &self.inner.config
    }

    pub(super) fn guard(&self) -> &Guard {
        &self.inner.guard
    }

    pub(super) fn defaults(&self) -> &JobDefaults {
        &self.inner.defaults
    }

    pub(super) fn scraper(&self) -> &ApiScraper<S> {
        &self.inner.scraper
    }

    pub(super) fn browser(&self) -> &SharedBrowser {
        &self.inner.browser
    }

    pub(super) fn readiness(&self) -> &CachedCheck {
        &self.inner.readiness
    }

    pub(super) fn limits(&self) -> &Arc<OwnerLimits> {
        &self.inner.limits
    }

    pub(super) fn meter(&self) -> &Arc<UsageMeter<S>> {
        &self.inner.meter
    }

    pub(super) fn scrape_queue(&self) -> &Arc<ScrapeQueue> {
        &self.inner.scrape_queue
    }

    pub(super) fn feeds(&self) -> &Arc<EventFeeds> {
        &self.inner.feeds
    }

    pub(super) fn key_checks(&self) -> &KeyChecks {
        &self.inner.key_checks
    }

    pub(super) fn keys(&self) -> &Authenticator {
        &self.inner.keys
    }

    /// Ends event streams, which would otherwise continue until their job finishes.
    pub(super) fn stop(&self) {
        self.inner.stopping.send_replace(true);
    }

    /// Waits for this long, or until the service stops; returns whether it is still running.
    pub(super) async fn pause(&self, pause: Duration) -> bool {
        let mut stopping = self.inner.stopping.subscribe();
        let stopped = stopping.wait_for(|stopping| *stopping);
        tokio::time::timeout(pause, stopped).await.is_err()
    }
}

/// Maximum number of concurrent page requests, at least the limit per host.
fn max_scrapes(config: &Config) -> usize {
    let per_host = usize::try_from(config.worker.per_host_concurrency).unwrap_or(usize::MAX);
    MAX_SCRAPES.max(per_host)
}

/// Returns the address guard for a configuration, used by the API and the workers.
pub fn guard(config: &Config) -> Guard {
    let parse = |list: &[String]| -> Vec<EgressTarget> {
        let entries = list.iter();
        entries
            .filter_map(|entry| EgressTarget::parse(entry))
            .collect()
    };
    let egress = &config.egress;
    Guard::new(egress.allow_private, parse(&egress.allow)).for_service(parse(&egress.deny))
}

/// Returns the plan for fetching single pages.
pub(crate) fn scrape_plan(config: &Config) -> Result<ScrapePlan, UnusableSetting> {
    let spec = JobDefaults::from(config).request;
    Ok(ScrapePlan::resolve(&spec, DEFAULT_USER_AGENT)?)
}
