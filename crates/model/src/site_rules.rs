//! The rules for talking to websites, each in one place.
//!
//! Crawling, scraping, site files and rendering all ask here, so that a status or a pause means the same
//! everywhere. What a robots.txt permits is in `crawler_sitefiles::RobotsFile`, which needs its parser; the
//! waits between attempts and the pace of a host are in `crawler_frontier` (`retry_delay`, `HostPace`).

mod blocked_extensions;
mod limits;
mod page_status;
mod retry;

pub use blocked_extensions::BLOCKED_EXTENSIONS;
pub use limits::{
    MAX_HOST_PAUSE, MAX_SITE_FILE_REDIRECTS, MAX_SITEMAP_LEVELS, MAX_WAIT, ROBOTS_FAILURE_FRESH,
    ROBOTS_FRESH, SITE_FILE_ATTEMPTS,
};
pub use page_status::{PageStatus, is_redirect};
pub use retry::{may_retry, throttles_host};
