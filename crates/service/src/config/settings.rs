//! The table of all settings.

use std::sync::LazyLock;
use std::time::Duration;

use crawler_fetch::EgressTarget;
use crawler_model::NAV_TIMEOUTS;

use super::limit_settings::LIMITS;
use super::setting::{Setting, any, put, setting};
use super::value::SettingValue;

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// All settings, in the order in which they are printed.
pub static SETTINGS: LazyLock<Vec<Setting>> =
    LazyLock::new(|| [&FETCHING[..], &LIMITS[..], &SERVICE[..]].concat());

/// How pages are requested and rendered.
const FETCHING: [Setting; 42] = [
    setting!(
        http.timeout,
        "Timeout for one request, including its body",
        "1ms to 1h",
        |d| (MILLISECOND..=HOUR).contains(d)
    ),
    setting!(
        http.max_redirects,
        "Maximum number of redirects followed for one URL",
        "0 to 50",
        |n| *n <= 50
    ),
    setting!(
        http.max_body_bytes,
        "Response bodies are truncated at this size; the page is then marked as truncated",
        "1KB to 1GB",
        |n| (1_000..=1_000_000_000).contains(n)
    ),
    setting!(
        http.user_agent,
        "User-Agent header; robots.txt rules are matched against the part before the first / or space",
        "visible ASCII",
        is_header
    ),
    setting!(
        http.resolver,
        "dns: asks the name servers of /etc/resolv.conf, after /etc/hosts; system: uses the system's resolver, with everything that nsswitch.conf names, but names that do not respond hold a thread each",
        "dns or system",
        any
    ),
    setting!(
        worker.pool_size,
        "Number of tasks that this process works on at once",
        "1 to 1024",
        |n| (1..=1_024).contains(n)
    )
    .env("WORKER_CONCURRENCY"),
    setting!(
        worker.per_host_concurrency,
        "Maximum number of concurrent requests to one host, across all workers that share the store",
        "1 to 256",
        |n| (1..=256).contains(n)
    ),
    setting!(
        worker.per_host_rps,
        "Maximum number of requests per second to one host, across all workers that share the store; 0 = no limit",
        "0 to 1000",
        |n| *n == 0.0 || (0.001..=1_000.0).contains(n)
    ),
    setting!(
        worker.backoff_base,
        "Delay before the first retry; it doubles with each further retry, with jitter",
        "1ms to 1h",
        |d| (MILLISECOND..=HOUR).contains(d)
    ),
    setting!(
        worker.backoff_max,
        "Maximum delay before a retry",
        "1ms to 1d",
        |d| (MILLISECOND..=DAY).contains(d)
    ),
    setting!(
        worker.max_attempts,
        "Maximum number of attempts for one URL, including the first",
        "1 to 20",
        |n| (1..=20).contains(n)
    ),
    setting!(
        worker.lease,
        "How long a worker holds a task without a heartbeat",
        "1s to 1h",
        |d| (SECOND..=HOUR).contains(d)
    ),
    setting!(
        worker.heartbeat,
        "Interval at which a worker renews its leases; at most half of worker.lease",
        "100ms to 30m",
        |d| (MILLISECOND * 100..=MINUTE * 30).contains(d)
    ),
    setting!(
        worker.max_crashes,
        "A URL that crashes its worker this many times while it is the only one being fetched fails as poisoned",
        "1 to 1000",
        |n| (1..=1_000).contains(n)
    ),
    setting!(
        worker.drain,
        "Time limit for a graceful shutdown: tasks in flight are finished or returned to the queue, a scrape that takes longer is cut off",
        "0s to 10m",
        |d| *d <= MINUTE * 10
    ),
    setting!(
        worker.metrics_addr,
        "Address of /metrics, /healthz and /readyz for a process started with --mode worker; the same rules apply as for server.addr",
        "none, or an address and port",
        any
    ),
    setting!(
        crawl.respect_robots,
        "Obey robots.txt",
        "true or false",
        any
    ),
    setting!(
        crawl.allow_ignore_robots,
        "Allow requests to set robots to ignore; otherwise they are refused while respect_robots is true",
        "true or false",
        any
    ),
    setting!(
        crawl.robots_fetch_error,
        "What to do when robots.txt cannot be fetched and was not read in the last 30 days; rules that were read stay in force",
        "allow or disallow",
        any
    ),
    setting!(
        crawl.robots_lifetime,
        "How long a robots.txt is used before it is fetched again",
        "1s to 24h",
        |d| (SECOND..=DAY).contains(d)
    ),
    setting!(
        crawl.obey_nofollow,
        "Do not follow links with rel=nofollow",
        "true or false",
        any
    ),
    setting!(
        crawl.crawl_delay,
        "Minimum delay between requests to one host, instead of the Crawl-delay in its robots.txt; per_host_rps applies as well",
        "none, or 0s to 1h",
        |d| d.is_none_or(|d| d <= HOUR)
    ),
    setting!(
        crawl.strip_query,
        "Treat URLs that differ only in their query as the same page",
        "true or false",
        any
    ),
    setting!(
        crawl.strip_fragments,
        "Remove the #fragment from the links of a map and list each link once; a page is fetched only once either way",
        "true or false",
        any
    ),
    setting!(
        crawl.block_binary_extensions,
        "File name extensions of links that are not followed",
        "a list of extensions without the dot",
        |list| list.len() <= 1_000 && list.iter().all(|text| is_extension(text))
    ),
    setting!(
        browser.enabled,
        "Render pages with Chromium when a request asks for it; Chromium is started for the first such page",
        "true or false",
        any
    ),
    setting!(
        browser.program,
        "Path of the browser; none = search PATH for chromium, chromium-browser, google-chrome and others",
        "none, or a path",
        |path| path
            .as_ref()
            .is_none_or(|path| !path.as_os_str().is_empty())
    )
    .env("CHROME"),
    setting!(
        browser.sandbox,
        "Use Chromium's sandbox; without it, a page that exploits the browser gains the privileges of the service",
        "true or false",
        any
    )
    .env("BROWSER_SANDBOX"),
    setting!(
        browser.force,
        "Render every page, whatever the request says",
        "true or false",
        any
    ),
    setting!(browser.headless, "Run the browser without a window", "true or false", any).env("BROWSER_HEADLESS"),
    setting!(
        browser.pool_size,
        "Number of pages that this process renders at once; further tasks wait",
        "1 to 64",
        |n| (1..=64).contains(n)
    ),
    setting!(
        browser.nav_timeout,
        "Timeout for rendering one page; keep it below server.request_timeout",
        "1s to 1h",
        |d| NAV_TIMEOUTS.contains(d)
    )
    .env("BROWSER_TIMEOUT"),
    setting!(
        browser.idle_timeout,
        "A page is considered loaded when its network has been idle for this long",
        "0s to 1m",
        |d| *d <= MINUTE
    ),
    setting!(
        browser.viewport,
        "Size of the browser window",
        "100x100 to 8192x8192",
        |v| [v.width, v.height]
            .iter()
            .all(|n| (100..=8_192).contains(n))
    ),
    setting!(
        browser.user_agent,
        "User-Agent header of the browser; none = that of a browser, followed by http.user_agent",
        "none, or visible ASCII",
        |agent| agent.as_ref().is_none_or(is_header)
    ),
    setting!(
        browser.block_resources,
        "Resources that rendered pages do not load",
        "a list of image, media, font, stylesheet",
        any
    ),
    setting!(
        browser.max_requests,
        "Maximum number of requests that a rendered page makes; 0 = no limit",
        "a whole number",
        any
    )
    .env("BROWSER_MAX_REQUESTS"),
    setting!(
        browser.max_bytes,
        "Maximum number of bytes that a rendered page sends and receives; 0 = no limit",
        "any size",
        any
    )
    .env("BROWSER_MAX_BYTES"),
    setting!(
        browser.max_hosts,
        "Maximum number of hosts that a rendered page sends requests to; 0 = no limit",
        "a whole number",
        any
    )
    .env("BROWSER_MAX_HOSTS"),
    setting!(
        browser.max_cpu,
        "Maximum CPU time of a rendered page, with its frames and workers; 0 = no limit",
        "0s to 1h",
        |d| *d <= Duration::from_hours(1)
    )
    .env("BROWSER_MAX_CPU"),
    setting!(
        browser.socket,
        "Socket of the render process (serve --mode render), which renders for this one; none = start a browser in this process",
        "none, or an absolute path of at most 100 bytes",
        |path| path
            .as_ref()
            .is_none_or(|path| path.is_absolute() && path.as_os_str().len() <= 100)
    )
    .env("BROWSER_SOCKET"),
    setting!(
        browser.use_js_default,
        "Value of use_js for requests that do not set it",
        "false, true or auto",
        any
    )
    .env("USE_JS_DEFAULT"),
];

/// The store, the API, and what it may reach.
const SERVICE: [Setting; 20] = [
    setting!(
        store.path,
        "Path of the SQLite database; not used if database_url is set",
        "a path",
        |path| !path.as_os_str().is_empty()
    ),
    setting!(
        store.connections,
        "Maximum number of database connections per process",
        "2 to 1000",
        |n| (2..=1_000).contains(n)
    ),
    setting!(
        store.connect_timeout,
        "How long Postgres may take to accept a connection; after that, API requests waiting for it fail with status 503",
        "100ms to 1m",
        |d| (SECOND / 10..=MINUTE).contains(d)
    ),
    setting!(
        store.database_url,
        "URL of a Postgres database to use instead of SQLite; any number of processes can share it",
        "none, or postgres://… (for SQLite, set store.path instead)",
        |url| url.as_ref().is_none_or(|url| is_postgres(url.reveal()))
    )
    .env("DATABASE_URL")
    .secret(),
    setting!(
        server.addr,
        "Address on which the API listens; anything other than loopback requires an API key",
        "an address and port",
        any
    )
    .env("HTTP_ADDR"),
    setting!(
        server.api_keys,
        "API keys that clients send as Authorization: Bearer, in addition to those created with `crawler keys`; without any key the API needs none and is served on loopback only",
        "a list of strings of at least 16 visible ASCII characters",
        |keys| keys.iter().all(|key| is_key(key.reveal()))
    )
    .secret(),
    setting!(
        server.max_body_bytes,
        "Maximum size of a request body",
        "1KB to 100MB",
        |n| (1_000..=100_000_000).contains(n)
    ),
    setting!(
        server.request_timeout,
        "Timeout for handling one request, including POST /v1/scrape; exports and event streams are exempt",
        "1s to 1h",
        |d| (SECOND..=HOUR).contains(d)
    ),
    setting!(
        server.scrape_wait,
        "How long a request to POST /v1/scrape may wait for its turn: for the process, the limits of its host, or a browser tab; then it is refused with status 503",
        "100ms to 1h",
        |d| (SECOND / 10..=HOUR).contains(d)
    ),
    setting!(
        server.max_waiting_scrapes,
        "Maximum number of requests to POST /v1/scrape that wait for their turn in this process; further ones are refused with status 503",
        "0 to 100000",
        |n| *n <= 100_000
    ),
    setting!(
        server.max_connections,
        "Maximum number of open connections; further ones wait to be accepted",
        "16 to 100000",
        |n| (16..=100_000).contains(n)
    ),
    setting!(
        server.head_timeout,
        "Timeout for reading the head of a request, and for idle connections",
        "1s to 5m",
        |d| (SECOND..=MINUTE * 5).contains(d)
    ),
    setting!(
        server.body_timeout,
        "Timeout for reading a request body",
        "1s to 5m",
        |d| (SECOND..=MINUTE * 5).contains(d)
    ),
    setting!(
        server.stall_timeout,
        "A connection is closed when its client has not read any of the response for this long",
        "1s to 1h",
        |d| (SECOND..=HOUR).contains(d)
    ),
    setting!(
        server.open_metrics,
        "Serve /metrics without an API key",
        "true or false",
        any
    ),
    setting!(
        server.allowed_origins,
        "Origins whose web pages may call the API; requests from pages of other origins are refused, unless it is the API's own",
        "a list of origins, such as https://dashboard.example",
        |list| list.iter().all(|origin| is_origin(origin))
    ),
    setting!(
        server.trusted_proxies,
        "Proxies in front of the service: networks and addresses whose X-Forwarded-For header names the client, for the limit on wrong API keys",
        "a list of networks and addresses",
        |list| list.iter().all(|entry| is_network(entry))
    ),
    setting!(
        egress.allow_private,
        "Allow requests to private, loopback and other special addresses",
        "true or false",
        any
    ),
    setting!(
        egress.allow,
        "Additional destinations to allow: networks (10.1.0.0/16), addresses, host names, *.name for all subdomains, blocked ports (:6000)",
        "a list of networks, addresses, host names and ports",
        |list| list.iter().all(|entry| is_target(entry))
    ),
    setting!(
        egress.deny,
        "Destinations that are never requested, even if they are on the list of allowed ones; a port (:25) or range of ports (:8000-8999) is denied on every host",
        "a list of networks, addresses, host names and ports",
        |list| list.iter().all(|entry| is_target(entry))
    ),
];

#[expect(clippy::ptr_arg, reason = "a setting passes its value by reference")]
fn is_header(text: &String) -> bool {
    !text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

fn is_extension(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

fn is_target(entry: &str) -> bool {
    EgressTarget::parse(entry).is_some()
}

fn is_network(entry: &str) -> bool {
    matches!(
        EgressTarget::parse(entry),
        Some(EgressTarget::Network { .. })
    )
}

/// Whether this is an origin as browsers send it: scheme, host in lower case and port, if it is not the default.
fn is_origin(text: &str) -> bool {
    let url = crawler_weburl::CrawlUrl::parse(text);
    url.is_ok_and(|url| url.origin().as_str() == text)
}

fn is_key(key: &str) -> bool {
    key.len() >= 16 && key.bytes().all(|byte| byte.is_ascii_graphic())
}
