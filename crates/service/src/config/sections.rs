//! The resolved configuration, by section. The table of settings describes each field and its allowed values.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crawler_fetch::NameResolution;
use crawler_model::site_rules::{BLOCKED_EXTENSIONS, ROBOTS_FRESH};
use crawler_model::{Backoff, CrawlDelay, DEFAULT_USER_AGENT, JsPolicy, RobotsErrors};
use crawler_render::{RenderSettings, ResourceKind};
use crawler_store::{DEFAULT_MAX_CRASHES, HostDefaults, Quota};
use crawler_store_frontier::StoreFrontierSettings;

use super::Secret;

/// Configuration of the service.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Config {
    /// Page requests.
    pub http: HttpSection,
    /// Concurrency, politeness, retries and leases.
    pub worker: WorkerSection,
    /// Robots rules and URL normalization.
    pub crawl: CrawlSection,
    /// Rendering.
    pub browser: BrowserSection,
    /// Limits of a job.
    pub jobs: JobsSection,
    /// What one owner may use.
    pub quotas: QuotasSection,
    /// The database.
    pub store: StoreSection,
    /// The HTTP API.
    pub server: ServerSection,
    /// Addresses to which requests are allowed.
    pub egress: EgressSection,
}

impl Config {
    /// Minimum delay between requests to one host: the longer one of `per_host_rps` and `crawl_delay`. Without a
    /// `crawl_delay`, the Crawl-delay in the host's robots.txt can make it longer.
    pub fn host_interval(&self) -> Duration {
        let delay = self.crawl.crawl_delay.unwrap_or_default();
        self.worker.host_interval().max(delay)
    }
}

impl CrawlSection {
    /// Whether the Crawl-delay in robots.txt is obeyed.
    pub fn delay_policy(&self) -> CrawlDelay {
        match self.crawl_delay {
            None => CrawlDelay::Obey,
            Some(_) => CrawlDelay::Own,
        }
    }
}

/// Page requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpSection {
    /// Timeout for one request.
    pub timeout: Duration,
    /// Maximum number of redirects followed for one URL.
    pub max_redirects: u32,
    /// Response bodies are truncated at this size.
    pub max_body_bytes: u64,
    /// User-Agent header.
    pub user_agent: String,
    /// How host names are resolved.
    pub resolver: ResolverChoice,
}

/// How host names are resolved.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ResolverChoice {
    /// By asking the system's name servers.
    #[default]
    Dns,
    /// By the system's resolver, which holds a thread for each lookup.
    System,
}

impl From<ResolverChoice> for NameResolution {
    fn from(choice: ResolverChoice) -> Self {
        match choice {
            ResolverChoice::Dns => Self::Servers,
            ResolverChoice::System => Self::System,
        }
    }
}

impl Default for HttpSection {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            max_redirects: 5,
            max_body_bytes: 5_000_000,
            user_agent: DEFAULT_USER_AGENT.to_owned(),
            resolver: ResolverChoice::default(),
        }
    }
}

/// Concurrency, politeness, retries and leases.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkerSection {
    /// Number of tasks in flight in this process.
    pub pool_size: usize,
    /// Concurrent requests to one host, across all workers that share the store.
    pub per_host_concurrency: u32,
    /// Requests per second to one host, across all workers that share the store; 0 means no limit.
    pub per_host_rps: f64,
    /// Delay before the first retry.
    pub backoff_base: Duration,
    /// Maximum delay before a retry.
    pub backoff_max: Duration,
    /// Attempts for one URL, including the first.
    pub max_attempts: u32,
    /// How long a worker holds a task without a heartbeat.
    pub lease: Duration,
    /// Interval at which leases are renewed.
    pub heartbeat: Duration,
    /// A task that crashes its worker this many times while it is the only one being fetched fails as poisoned.
    pub max_crashes: u32,
    /// Time limit for a graceful shutdown, in which tasks in flight are finished or returned to the queue.
    pub drain: Duration,
    /// Address of a worker's metrics; `None`: the metrics are served by the API only.
    pub metrics_addr: Option<SocketAddr>,
}

impl Default for WorkerSection {
    fn default() -> Self {
        let (frontier, backoff) = (StoreFrontierSettings::default(), Backoff::default());
        let hosts = HostDefaults::default();
        Self {
            pool_size: frontier.workers,
            per_host_concurrency: hosts.in_flight,
            per_host_rps: 1.0 / hosts.interval.as_secs_f64(),
            backoff_base: backoff.first,
            backoff_max: backoff.longest,
            max_attempts: 3,
            lease: frontier.lease,
            heartbeat: frontier.heartbeat,
            max_crashes: DEFAULT_MAX_CRASHES,
            drain: Duration::from_secs(25),
            metrics_addr: None,
        }
    }
}

impl WorkerSection {
    /// Minimum delay between requests to one host according to `per_host_rps`. It is 5% longer than computed, because
    /// latency varies and the host must not see more than `per_host_rps` requests in any second.
    pub fn host_interval(&self) -> Duration {
        if self.per_host_rps <= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(1.05 / self.per_host_rps).unwrap_or(Duration::MAX)
    }
}

/// Robots rules and URL normalization.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrawlSection {
    /// Obey robots.txt.
    pub respect_robots: bool,
    /// Whether a request may set `robots` to `ignore`.
    pub allow_ignore_robots: bool,
    /// What to do when robots.txt cannot be fetched and no rules are known.
    pub robots_fetch_error: RobotsErrors,
    /// How long a robots.txt is used before it is fetched again.
    pub robots_lifetime: Duration,
    /// Do not follow links with `rel=nofollow`.
    pub obey_nofollow: bool,
    /// Minimum delay between requests to one host, instead of the Crawl-delay in its robots.txt.
    pub crawl_delay: Option<Duration>,
    /// Treat URLs that differ only in their query as the same page.
    pub strip_query: bool,
    /// Store links without their fragment.
    pub strip_fragments: bool,
    /// File name extensions of links that are not followed.
    pub block_binary_extensions: Vec<String>,
}

impl Default for CrawlSection {
    fn default() -> Self {
        Self {
            respect_robots: true,
            allow_ignore_robots: false,
            robots_fetch_error: RobotsErrors::Allow,
            robots_lifetime: ROBOTS_FRESH,
            obey_nofollow: false,
            crawl_delay: None,
            strip_query: true,
            strip_fragments: true,
            block_binary_extensions: BLOCKED_EXTENSIONS.map(str::to_owned).to_vec(),
        }
    }
}

/// Size of the browser window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Viewport {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// Rendering.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrowserSection {
    /// Pages may be rendered; the browser is started for the first one.
    pub enabled: bool,
    /// Path of the browser; `None`: the first known name found in `PATH`.
    pub program: Option<PathBuf>,
    /// Use Chromium's sandbox.
    pub sandbox: bool,
    /// Render every page, whatever the request says.
    pub force: bool,
    /// Run the browser without a window.
    pub headless: bool,
    /// Number of pages rendered at once.
    pub pool_size: usize,
    /// Timeout for rendering one page.
    pub nav_timeout: Duration,
    /// A page is considered loaded when its network has been idle for this long.
    pub idle_timeout: Duration,
    /// Size of the window.
    pub viewport: Viewport,
    /// User-Agent header of the browser; `None`: that of a browser, followed by `http.user_agent`.
    pub user_agent: Option<String>,
    /// Resources that are not loaded.
    pub block_resources: Vec<ResourceKind>,
    /// Requests per page; 0 means no limit, here and in the following.
    pub max_requests: u32,
    /// Bytes per page, sent and received.
    pub max_bytes: u64,
    /// Distinct hosts per page.
    pub max_hosts: u32,
    /// CPU time per page.
    pub max_cpu: Duration,
    /// Socket of the render process; `None`: this process starts a browser of its own.
    pub socket: Option<PathBuf>,
    /// Value of `use_js` for requests that do not set it.
    pub use_js_default: JsPolicy,
}

impl Default for BrowserSection {
    fn default() -> Self {
        let renderer = RenderSettings::default();
        let (width, height) = renderer.viewport;
        Self {
            enabled: true,
            program: None,
            sandbox: renderer.sandbox,
            force: false,
            headless: renderer.headless,
            pool_size: renderer.tabs,
            nav_timeout: renderer.nav_timeout,
            idle_timeout: renderer.idle_timeout,
            viewport: Viewport { width, height },
            user_agent: renderer.user_agent,
            block_resources: renderer.blocked,
            max_requests: renderer.budgets.requests,
            max_bytes: renderer.budgets.bytes,
            max_hosts: renderer.budgets.hosts,
            max_cpu: renderer.budgets.cpu,
            socket: None,
            use_js_default: JsPolicy::Never,
        }
    }
}

/// Limits of a job; a request that exceeds them is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobsSection {
    /// Upper limit for `max_depth`.
    pub max_depth: u32,
    /// Maximum number of URLs per job.
    pub max_tasks: u32,
    /// Maximum number of hosts per batch.
    pub max_hosts: u32,
    /// Maximum duration of a job.
    pub max_duration: Duration,
    /// Maximum number of body bytes per job.
    pub max_bytes: u64,
    /// How long finished jobs are kept; `None`: forever.
    pub retention: Option<Duration>,
}

impl Default for JobsSection {
    fn default() -> Self {
        Self {
            max_depth: 20,
            max_tasks: 100_000,
            max_hosts: 10_000,
            max_duration: Duration::from_hours(24),
            max_bytes: 20_000_000_000,
            retention: Some(Duration::from_hours(24 * 30)),
        }
    }
}

/// What one owner, the user of an API key, may use; 0 is no limit.
///
/// There is a default where something would otherwise fill up for everybody: slots, connections, rows, disk. What only takes
/// time is shared by scheduling.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QuotasSection {
    /// Requests per second to `/v1/scrape`.
    pub requests_per_second: f64,
    /// Requests to `/v1/scrape` at the same time.
    pub requests_in_flight: u32,
    /// Jobs that have not ended.
    pub open_jobs: u32,
    /// Tasks that have not ended, of all jobs.
    pub queued_tasks: u32,
    /// Pages fetched per day.
    pub pages_per_day: u32,
    /// Bytes of stored results.
    pub stored_bytes: u64,
    /// Event streams and exports at the same time.
    pub event_streams: u32,
    /// Seconds of rendering per day.
    pub browser_seconds_per_day: u32,
}

impl Default for QuotasSection {
    fn default() -> Self {
        Self {
            requests_per_second: 0.0,
            // Three quarters of the requests that a process makes at once.
            requests_in_flight: 48,
            open_jobs: 1_000,
            queued_tasks: 10_000_000,
            pages_per_day: 0,
            stored_bytes: 100_000_000_000,
            event_streams: 256,
            browser_seconds_per_day: 0,
        }
    }
}

impl QuotasSection {
    /// The quota of owners whose keys do not set another.
    pub fn quota(&self) -> Quota {
        Quota {
            requests_per_second: Some(self.requests_per_second),
            requests_in_flight: Some(self.requests_in_flight.into()),
            open_jobs: Some(self.open_jobs.into()),
            queued_tasks: Some(self.queued_tasks.into()),
            pages_per_day: Some(self.pages_per_day.into()),
            stored_bytes: Some(self.stored_bytes),
            event_streams: Some(self.event_streams.into()),
            browser_seconds_per_day: Some(self.browser_seconds_per_day.into()),
            weight: None,
        }
    }
}

/// The database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreSection {
    /// Path of the SQLite database.
    pub path: PathBuf,
    /// Maximum number of connections per process.
    pub connections: u32,
    /// How long Postgres may take to accept a connection before requests fail.
    pub connect_timeout: Duration,
    /// URL of a Postgres database to use instead of SQLite.
    pub database_url: Option<Secret>,
}

impl Default for StoreSection {
    fn default() -> Self {
        Self {
            path: PathBuf::from("./crawler.db"),
            connections: 10,
            connect_timeout: Duration::from_millis(1_500),
            database_url: None,
        }
    }
}

/// The HTTP API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerSection {
    /// Address to listen on.
    pub addr: SocketAddr,
    /// API keys; without any, only loopback addresses are allowed.
    pub api_keys: Vec<Secret>,
    /// Maximum size of a request body.
    pub max_body_bytes: u64,
    /// Timeout for handling one request, including scrapes; streams are exempt.
    pub request_timeout: Duration,
    /// How long a request to `/v1/scrape` may wait for its turn before it is refused.
    pub scrape_wait: Duration,
    /// Maximum number of requests to `/v1/scrape` that wait for their turn; further ones are refused.
    pub max_waiting_scrapes: usize,
    /// Maximum number of open connections; further ones wait to be accepted.
    pub max_connections: usize,
    /// Timeout for reading the head of a request, and for idle connections.
    pub head_timeout: Duration,
    /// Timeout for reading a request body.
    pub body_timeout: Duration,
    /// A connection is closed when its client has not read any of the response for this long.
    pub stall_timeout: Duration,
    /// Serve `/metrics` without a key.
    pub open_metrics: bool,
    /// Origins whose web pages may call the API, besides its own.
    pub allowed_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` header names the client: networks and addresses.
    pub trusted_proxies: Vec<String>,
}

impl Default for ServerSection {
    fn default() -> Self {
        Self {
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            api_keys: Vec::new(),
            max_body_bytes: 2_000_000,
            request_timeout: Duration::from_mins(2),
            scrape_wait: Duration::from_secs(30),
            max_waiting_scrapes: 256,
            max_connections: 4_096,
            head_timeout: Duration::from_secs(20),
            body_timeout: Duration::from_secs(30),
            stall_timeout: Duration::from_mins(1),
            open_metrics: false,
            allowed_origins: Vec::new(),
            trusted_proxies: Vec::new(),
        }
    }
}

/// Addresses to which requests are allowed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EgressSection {
    /// Allow private, loopback and other special addresses.
    pub allow_private: bool,
    /// Additional destinations: networks (CIDR), addresses, host names, `*.name` for all subdomains, `:port`.
    pub allow: Vec<String>,
    /// Destinations that are never requested, in the same notation; takes precedence over `allow`.
    pub deny: Vec<String>,
}
