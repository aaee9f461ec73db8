//! The resolved configuration, section by section. What a field means and may be is told in the table of settings.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use model::RobotsErrors;

use super::Secret;

/// Everything the service is told.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Config {
    /// How pages are asked for.
    pub http: Http,
    /// How much is done at once, and how failures are tried again.
    pub worker: Worker,
    /// What crawls obey and ignore.
    pub crawl: Crawl,
    /// Rendering.
    pub browser: Browser,
    /// What one job may cost at most.
    pub jobs: Jobs,
    /// Where everything is kept.
    pub store: Storage,
    /// The HTTP API.
    pub server: Server,
    /// Which addresses may be dialled.
    pub egress: Egress,
}

impl Config {
    /// The least time between two requests to one host: the longer of what `per_host_rps` and `crawl_delay` ask for.
    /// Without a `crawl_delay` a host's own robots.txt may ask for more.
    pub fn host_interval(&self) -> Duration {
        let asked = self.crawl.crawl_delay.unwrap_or_default();
        self.worker.host_interval().max(asked)
    }
}

/// How pages are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Http {
    /// Time for one request.
    pub timeout: Duration,
    /// Redirects walked for one URL.
    pub max_redirects: u32,
    /// A longer body is cut.
    pub max_body_bytes: u64,
    /// How we introduce ourselves.
    pub user_agent: String,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            max_redirects: 5,
            max_body_bytes: 5_000_000,
            user_agent: concat!("crawler/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// How much is done at once, and how failures are tried again.
#[derive(Clone, PartialEq, Debug)]
pub struct Worker {
    /// Tasks in flight in this process.
    pub pool_size: usize,
    /// Requests in flight to one host, over all workers of the store.
    pub per_host_concurrency: u32,
    /// Requests a second to one host, over all workers of the store; 0 is no limit.
    pub per_host_rps: f64,
    /// The first pause before another attempt.
    pub backoff_base: Duration,
    /// The longest pause before another attempt.
    pub backoff_max: Duration,
    /// Attempts, the first included.
    pub max_attempts: u32,
    /// How long a task is ours without a heartbeat.
    pub lease: Duration,
    /// How often leases are renewed.
    pub heartbeat: Duration,
    /// A task that ended its worker so often is failed as poisoned.
    pub max_crashes: u32,
    /// How long a stop may take: what is in flight is finished or handed back by then.
    pub drain: Duration,
    /// Where a worker's numbers can be read; `None`: nowhere but in the API's.
    pub metrics_addr: Option<SocketAddr>,
}

impl Default for Worker {
    fn default() -> Self {
        Self {
            pool_size: 8,
            per_host_concurrency: 2,
            per_host_rps: 2.0,
            backoff_base: Duration::from_millis(500),
            backoff_max: Duration::from_secs(10),
            max_attempts: 3,
            lease: Duration::from_secs(30),
            heartbeat: Duration::from_secs(10),
            max_crashes: 3,
            drain: Duration::from_secs(25),
            metrics_addr: None,
        }
    }
}

impl Worker {
    /// The least time between two requests to one host that `per_host_rps` leaves. A twentieth longer than its share
    /// of a second: requests arrive a little sooner or later than they were sent, and no second may see one too many.
    pub fn host_interval(&self) -> Duration {
        if self.per_host_rps <= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(1.05 / self.per_host_rps).unwrap_or(Duration::MAX)
    }
}

/// What crawls obey and ignore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Crawl {
    /// robots.txt is obeyed.
    pub respect_robots: bool,
    /// What a robots.txt that cannot be read means.
    pub robots_fetch_error: RobotsErrors,
    /// Links marked nofollow are not followed.
    pub obey_nofollow: bool,
    /// So long between two requests to a host, instead of what its robots.txt asks for.
    pub crawl_delay: Option<Duration>,
    /// The query is ignored when asking whether a page is new.
    pub strip_query: bool,
    /// Links are stored without their fragment.
    pub strip_fragments: bool,
    /// Links that end in one of these are not followed.
    pub block_binary_extensions: Vec<String>,
}

/// What nobody reads as a page.
const BINARY_EXTENSIONS: [&str; 44] = [
    "7z", "apk", "avi", "avif", "bin", "bmp", "bz2", "dmg", "doc", "docx", "eot", "exe", "flac",
    "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg", "m4a", "mkv", "mov", "mp3", "mp4", "mpeg",
    "msi", "ogg", "otf", "pdf", "png", "ppt", "pptx", "rar", "tar", "tif", "tiff", "ttf", "wav",
    "webm", "webp", "woff", "woff2", "zip",
];

impl Default for Crawl {
    fn default() -> Self {
        Self {
            respect_robots: true,
            robots_fetch_error: RobotsErrors::Allow,
            obey_nofollow: false,
            crawl_delay: None,
            strip_query: true,
            strip_fragments: true,
            block_binary_extensions: BINARY_EXTENSIONS.map(str::to_owned).to_vec(),
        }
    }
}

/// Whether pages are rendered when a request does not say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UseJs {
    /// Never.
    #[default]
    Never,
    /// Where a page seems to need it.
    Auto,
    /// Always.
    Always,
}

/// What a rendered page loads besides itself, and may go without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResourceKind {
    /// Pictures.
    Image,
    /// Sound and film.
    Media,
    /// Typefaces.
    Font,
    /// Style sheets.
    Stylesheet,
}

/// The size of a rendered page's window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Viewport {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// Rendering.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Browser {
    /// Pages may be rendered; a browser starts with the first that is.
    pub enabled: bool,
    /// The program; `None`: the first of the usual names that is there.
    pub program: Option<PathBuf>,
    /// With Chromium's sandbox.
    pub sandbox: bool,
    /// Everything is rendered, whatever a request says.
    pub force: bool,
    /// Without a window.
    pub headless: bool,
    /// Pages rendered at once.
    pub pool_size: usize,
    /// Time for one page.
    pub nav_timeout: Duration,
    /// A page is ready when the network was quiet for this long.
    pub idle_timeout: Duration,
    /// The window's size.
    pub viewport: Viewport,
    /// How the browser introduces itself; `None`: as a browser that names our agent.
    pub user_agent: Option<String>,
    /// What is not loaded.
    pub block_resources: Vec<ResourceKind>,
    /// What `use_js` is when a request does not say.
    pub use_js_default: UseJs,
}

impl Default for Browser {
    fn default() -> Self {
        Self {
            enabled: true,
            program: None,
            sandbox: true,
            force: false,
            headless: true,
            pool_size: 4,
            nav_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_millis(500),
            viewport: Viewport {
                width: 1_280,
                height: 800,
            },
            user_agent: None,
            block_resources: vec![ResourceKind::Image, ResourceKind::Media, ResourceKind::Font],
            use_js_default: UseJs::Never,
        }
    }
}

/// What one job may cost at most; a request that asks for more is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jobs {
    /// The largest `max_depth`.
    pub max_depth: u32,
    /// URLs of one job.
    pub max_tasks: u32,
    /// The hard end.
    pub max_duration: Duration,
    /// Body bytes of one job.
    pub max_bytes: u64,
    /// How long an ended job is kept; `None`: for ever.
    pub retention: Option<Duration>,
}

impl Default for Jobs {
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

/// Where everything is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Storage {
    /// The SQLite file.
    pub path: PathBuf,
    /// Connections of one process.
    pub connections: u32,
    /// Postgres instead of the file.
    pub database_url: Option<Secret>,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            path: PathBuf::from("./crawler.db"),
            connections: 10,
            database_url: None,
        }
    }
}

/// The HTTP API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Server {
    /// Where to listen.
    pub addr: SocketAddr,
    /// Keys, one of which a caller sends; none: loopback only.
    pub api_keys: Vec<Secret>,
    /// A longer request body is refused.
    pub max_body_bytes: u64,
    /// Time for a request, scrapes included; streams are not cut.
    pub request_timeout: Duration,
    /// Connections at once; more wait to be accepted.
    pub max_connections: usize,
    /// Time for a request's head, and how long a connection may be silent between two requests.
    pub head_timeout: Duration,
    /// Time for a request's body to arrive.
    pub body_timeout: Duration,
    /// A caller that takes nothing of its answer for so long is let go.
    pub stall_timeout: Duration,
    /// `/metrics` needs no key.
    pub open_metrics: bool,
}

impl Default for Server {
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
        }
    }
}

/// Which addresses may be dialled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Egress {
    /// Private, loopback and other special addresses too.
    pub allow_private: bool,
    /// These too: networks (CIDR), addresses, host names, `*.` before a name for all below it.
    pub allow: Vec<String>,
}
