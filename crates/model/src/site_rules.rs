//! The rules for talking to websites, each in one place.
//!
//! Crawling, scraping, site files and rendering all use these, so that a status or a pause means the same everywhere.
//! `crawler_sitefiles` decides what a robots.txt permits (`RobotsFile`) and how long it is in force (`KnownRobots`). What
//! follows from an attempt at a site file, and the delays between attempts and between requests to a host, are in
//! `crawler_frontier` (`SiteFileAttempt`, `retry_delay`, `HostPace`).

mod blocked_extensions;
mod limits;
mod page_status;
mod redirect_limit;
mod retry;
mod robots_status;

pub use blocked_extensions::BLOCKED_EXTENSIONS;
pub use limits::{
    HOST_INTERVAL, MAX_HOST_PAUSE, MAX_SITE_FILE_REDIRECTS, MAX_SITEMAP_LEVELS, MAX_SITEMAPS,
    MAX_WAIT, PER_HOST_CONCURRENCY, ROBOTS_FAILURE_FRESH, ROBOTS_FRESH, ROBOTS_MEMORY,
    SITE_FILE_ATTEMPTS,
};
pub use page_status::{PageStatus, has_body};
pub use redirect_limit::{check_redirects, redirect_loop};
pub use retry::{may_retry, throttles_host};
pub use robots_status::RobotsStatus;
