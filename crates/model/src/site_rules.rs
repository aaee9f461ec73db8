//! The rules for talking to websites, each in one place.
//!
//! Crawling, scraping, site files and rendering all use these, so that a status or a pause means the same everywhere.
//! `crawler_sitefiles::RobotsFile` decides what a robots.txt permits; the delays between attempts and between requests to a
//! host are in `crawler_frontier` (`retry_delay`, `HostPace`).

mod blocked_extensions;
mod limits;
mod page_status;
mod retry;

pub use blocked_extensions::BLOCKED_EXTENSIONS;
pub use limits::{
    MAX_HOST_PAUSE, MAX_SITE_FILE_REDIRECTS, MAX_SITEMAP_LEVELS, MAX_WAIT, ROBOTS_FAILURE_FRESH,
    ROBOTS_FRESH, SITE_FILE_ATTEMPTS,
};
pub use page_status::{PageStatus, has_body};
pub use retry::{may_retry, throttles_host};
