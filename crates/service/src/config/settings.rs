//! Every setting there is.

use std::time::Duration;

use super::setting::{Setting, put};
use super::value::Value;

macro_rules! setting {
    ($section:ident.$name:ident, $about:literal, $allowed:literal, $fits:expr) => {
        Setting {
            section: stringify!($section),
            name: stringify!($name),
            about: $about,
            allowed: $allowed,
            env: None,
            secret: false,
            write: |config, given| put(&mut config.$section.$name, given, $fits),
            read: |config| Value::print(&config.$section.$name),
        }
    };
}

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// The table, in the order it is shown.
pub const SETTINGS: [Setting; 53] = [
    setting!(
        http.timeout,
        "Time for one request, its body included",
        "1ms to 1h",
        |d| (MILLISECOND..=HOUR).contains(d)
    ),
    setting!(
        http.max_redirects,
        "Redirects walked for one URL",
        "0 to 50",
        |n| *n <= 50
    ),
    setting!(
        http.max_body_bytes,
        "A longer body is cut there, and its page says truncated",
        "1KB to 1GB",
        |n| (1_000..=1_000_000_000).contains(n)
    ),
    setting!(
        http.user_agent,
        "How we introduce ourselves; robots.txt is matched on the part before / or space",
        "visible ASCII",
        is_header
    ),
    setting!(
        worker.pool_size,
        "Tasks at once in this process",
        "1 to 1024",
        |n| (1..=1_024).contains(n)
    )
    .env("WORKER_CONCURRENCY"),
    setting!(
        worker.per_host_concurrency,
        "Requests in flight to one host, over all workers of the store",
        "1 to 256",
        |n| (1..=256).contains(n)
    ),
    setting!(
        worker.per_host_rps,
        "Requests a second to one host, over all workers of the store; 0 = no limit",
        "0 to 1000",
        |n| *n == 0.0 || (0.001..=1_000.0).contains(n)
    ),
    setting!(
        worker.backoff_base,
        "The first pause before another attempt; it doubles, with jitter",
        "1ms to 1h",
        |d| (MILLISECOND..=HOUR).contains(d)
    ),
    setting!(
        worker.backoff_max,
        "The longest pause before another attempt",
        "1ms to 1d",
        |d| (MILLISECOND..=DAY).contains(d)
    ),
    setting!(
        worker.max_attempts,
        "Attempts at one URL, the first included",
        "1 to 20",
        |n| (1..=20).contains(n)
    ),
    setting!(
        worker.lease,
        "How long a task is a worker's without a heartbeat",
        "1s to 1h",
        |d| (SECOND..=HOUR).contains(d)
    ),
    setting!(
        worker.heartbeat,
        "How often a worker renews its leases; at most half a lease",
        "100ms to 30m",
        |d| (MILLISECOND * 100..=MINUTE * 30).contains(d)
    ),
    setting!(
        worker.max_crashes,
        "A URL that ended its worker so often is failed as poisoned",
        "1 to 1000",
        |n| (1..=1_000).contains(n)
    ),
    setting!(
        worker.drain,
        "How long a stop may take: tasks in flight are finished or handed back by then, a scrape that takes longer is cut off",
        "0s to 10m",
        |d| *d <= MINUTE * 10
    ),
    setting!(
        worker.metrics_addr,
        "Where /metrics, /healthz and /readyz of a process with --mode worker can be read; the rules of server.addr hold",
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
        crawl.robots_fetch_error,
        "What a robots.txt that cannot be read means",
        "allow or disallow",
        any
    ),
    setting!(
        crawl.obey_nofollow,
        "Do not follow links marked nofollow",
        "true or false",
        any
    ),
    setting!(
        crawl.crawl_delay,
        "So long between two requests to a host, instead of what its robots.txt asks for; per_host_rps holds besides",
        "none, or 0s to 1h",
        |d| d.is_none_or(|d| d <= HOUR)
    ),
    setting!(
        crawl.strip_query,
        "Ignore the query when asking whether a page is new",
        "true or false",
        any
    ),
    setting!(
        crawl.strip_fragments,
        "List the links of maps without their #fragment, each once; a page is visited once either way",
        "true or false",
        any
    ),
    setting!(
        crawl.block_binary_extensions,
        "Links that end in one of these are not followed",
        "a list of endings without their dot",
        |list| list.len() <= 1_000 && list.iter().all(|ending| is_ending(ending))
    ),
    setting!(
        browser.enabled,
        "Render pages with Chromium where a request asks for it; it starts with the first such page",
        "true or false",
        any
    ),
    setting!(
        browser.program,
        "The browser; none = chromium, chromium-browser, google-chrome … on the path",
        "none, or a path",
        |path| path
            .as_ref()
            .is_none_or(|path| !path.as_os_str().is_empty())
    )
    .env("CHROME"),
    setting!(
        browser.sandbox,
        "Chromium's own sandbox; without it a page that breaks out of the browser has the rights of the service",
        "true or false",
        any
    )
    .env("BROWSER_SANDBOX"),
    setting!(
        browser.force,
        "Render everything, whatever a request says",
        "true or false",
        any
    ),
    setting!(browser.headless, "Without a window", "true or false", any).env("BROWSER_HEADLESS"),
    setting!(
        browser.pool_size,
        "Pages rendered at once in this process; those of worker.pool_size that are more wait their turn",
        "1 to 64",
        |n| (1..=64).contains(n)
    ),
    setting!(
        browser.nav_timeout,
        "Time to render one page; keep it below server.request_timeout",
        "1s to 10m",
        |d| (SECOND..=MINUTE * 10).contains(d)
    )
    .env("BROWSER_TIMEOUT"),
    setting!(
        browser.idle_timeout,
        "A page is ready when its network was quiet for this long",
        "0s to 1m",
        |d| *d <= MINUTE
    ),
    setting!(
        browser.viewport,
        "The window's size",
        "100x100 to 8192x8192",
        |v| [v.width, v.height]
            .iter()
            .all(|n| (100..=8_192).contains(n))
    ),
    setting!(
        browser.user_agent,
        "How the browser introduces itself; none = as a browser that names http.user_agent",
        "none, or visible ASCII",
        |agent| agent.as_ref().is_none_or(is_header)
    ),
    setting!(
        browser.block_resources,
        "What rendered pages go without",
        "a list of image, media, font, stylesheet",
        any
    ),
    setting!(
        browser.use_js_default,
        "What use_js is when a request does not say",
        "false, true or auto",
        any
    )
    .env("USE_JS_DEFAULT"),
    setting!(
        jobs.max_depth,
        "The largest max_depth a job may ask for",
        "0 to 1000",
        |n| *n <= 1_000
    ),
    setting!(
        jobs.max_tasks,
        "The most URLs of one job",
        "1 to 100000000",
        |n| (1..=100_000_000).contains(n)
    ),
    setting!(
        jobs.max_duration,
        "The longest a job may take; it is ended then",
        "1s to 365d",
        |d| (SECOND..=DAY * 365).contains(d)
    ),
    setting!(
        jobs.max_bytes,
        "The most body bytes of one job",
        "1KB to 1000TB",
        |n| (1_000..=1_000_000_000_000_000).contains(n)
    ),
    setting!(
        jobs.retention,
        "How long an ended job is kept; none = for ever",
        "none, or 1m to 3650d",
        |d| d.is_none_or(|d| (MINUTE..=DAY * 3_650).contains(&d))
    ),
    setting!(
        store.path,
        "The SQLite file, when there is no database_url",
        "a path",
        |path| !path.as_os_str().is_empty()
    ),
    setting!(
        store.connections,
        "Connections of this process to its store",
        "2 to 1000",
        |n| (2..=1_000).contains(n)
    ),
    setting!(
        store.database_url,
        "Postgres instead of the file: any number of processes share it",
        "none, or postgres://…",
        |url| url.as_ref().is_none_or(|url| is_postgres(url.reveal()))
    )
    .env("DATABASE_URL")
    .secret(),
    setting!(
        server.addr,
        "Where the API listens; not only loopback needs a key",
        "an address and port",
        any
    )
    .env("HTTP_ADDR"),
    setting!(
        server.api_keys,
        "Keys that callers send as Authorization: Bearer, besides those of `crawler keys`; none at all = no key needed, loopback only",
        "a list of texts of at least 16 visible characters",
        |keys| keys.iter().all(|key| is_key(key.reveal()))
    )
    .secret(),
    setting!(
        server.max_body_bytes,
        "A longer request body is refused",
        "1KB to 100MB",
        |n| (1_000..=100_000_000).contains(n)
    ),
    setting!(
        server.request_timeout,
        "Time for a request, scrapes included; exports and events are not cut",
        "1s to 1h",
        |d| (SECOND..=HOUR).contains(d)
    ),
    setting!(
        server.max_connections,
        "Connections at once; more wait to be accepted",
        "16 to 100000",
        |n| (16..=100_000).contains(n)
    ),
    setting!(
        server.head_timeout,
        "Time for a request's head, and how long a connection may be silent between two requests",
        "1s to 5m",
        |d| (SECOND..=MINUTE * 5).contains(d)
    ),
    setting!(
        server.body_timeout,
        "Time for a request's body to arrive",
        "1s to 5m",
        |d| (SECOND..=MINUTE * 5).contains(d)
    ),
    setting!(
        server.stall_timeout,
        "A caller that takes nothing of its answer for so long is let go",
        "1s to 1h",
        |d| (SECOND..=HOUR).contains(d)
    ),
    setting!(
        server.open_metrics,
        "Whether /metrics is open to callers without a key",
        "true or false",
        any
    ),
    setting!(
        egress.allow_private,
        "Dial private, loopback and other special addresses too",
        "true or false",
        any
    ),
    setting!(
        egress.allow,
        "Dial these too: networks (10.1.0.0/16), addresses, host names, *.name for all below it",
        "a list of networks, addresses and host names",
        |list| list
            .iter()
            .all(|entry| fetch::Allowed::parse(entry).is_some())
    ),
];

fn any<T>(_: &T) -> bool {
    true
}

#[expect(clippy::ptr_arg, reason = "the shape that a row asks for")]
fn is_header(text: &String) -> bool {
    !text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

fn is_ending(ending: &str) -> bool {
    !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

fn is_key(key: &str) -> bool {
    key.len() >= 16 && key.bytes().all(|byte| byte.is_ascii_graphic())
}
