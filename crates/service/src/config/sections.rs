//! The resolved configuration, by section. The table of settings describes each field and its allowed values.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crawler_model::site_rules::{BLOCKED_EXTENSIONS, ROBOTS_FRESH};
use crawler_model::{Backoff, CrawlDelay, DEFAULT_USER_AGENT, JsPolicy, RobotsErrors};
use crawler_render::{RenderSettings, ResourceKind};
use crawler_store::{DEFAULT_MAX_CRASHES, HostDefaults};
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
}

impl Default for HttpSection {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            max_redirects: 5,
            max_body_bytes: 5_000_000,
            user_agent: DEFAULT_USER_AGENT.to_owned(),
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
            max_duration: Duration::from_hours(24),
            max_bytes: 20_000_000_000,
            retention: Some(Duration::from_hours(24 * 30)),
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
