//! Limits on pauses, and on fetching site files.

use std::time::Duration;

/// Default maximum number of concurrent requests to one host where several users or URLs are served: in the service and in
/// `scrape`.
pub const PER_HOST_CONCURRENCY: u32 = 2;

/// Default minimum time between the starts of two requests to one host in the service.
pub const HOST_INTERVAL: Duration = Duration::from_millis(500);

/// Longest pause that a crawl waits for. A host that asks for more gets no more requests.
pub const MAX_HOST_PAUSE: Duration = Duration::from_hours(1);

/// Longest pause for a request that something else waits for: a scraped page, a robots.txt that blocks all pages of its
/// origin, or a sitemap.
pub const MAX_WAIT: Duration = Duration::from_mins(1);

/// How long the rules of a robots.txt are used before it is fetched again (RFC 9309, section 2.4).
pub const ROBOTS_FRESH: Duration = Duration::from_hours(24);

/// How long the rules of a robots.txt stay in force while it cannot be fetched (RFC 9309, section 2.3.1.4).
pub const ROBOTS_MEMORY: Duration = Duration::from_hours(30 * 24);

/// How long to wait before fetching a robots.txt again that could not be fetched.
pub const ROBOTS_FAILURE_FRESH: Duration = Duration::from_mins(1);

/// Maximum number of redirects for a robots.txt (RFC 9309, section 2.3.1.2) or a sitemap. A robots.txt with more redirects
/// has no rules.
pub const MAX_SITE_FILE_REDIRECTS: u32 = 5;

/// Maximum number of attempts at a site file, including the first, while a scraped page or a leased task waits for it. A
/// crawl makes as many attempts as for a page, and at least this many for a robots.txt, because all pages of its origin
/// depend on it.
pub const SITE_FILE_ATTEMPTS: u32 = 2;

/// Maximum nesting of sitemaps: an index of indexes, and the files they list.
pub const MAX_SITEMAP_LEVELS: u32 = 3;

/// Maximum number of sitemap files of one crawl, or of one seed in the service.
pub const MAX_SITEMAPS: usize = 1_000;
