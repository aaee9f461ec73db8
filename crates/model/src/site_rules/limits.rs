//! How long a host is waited for, and how far a site file is followed.

use std::time::Duration;

/// Longest pause a crawl waits for. A host that asks for more is not fetched any further.
pub const MAX_HOST_PAUSE: Duration = Duration::from_hours(1);

/// Longest pause that is waited for while somebody waits for the response: a scraped page, or a site file
/// that holds up all pages of its origin.
pub const MAX_WAIT: Duration = Duration::from_mins(1);

/// How long the rules of a robots.txt are used before it is fetched again (RFC 9309, section 2.4).
pub const ROBOTS_FRESH: Duration = Duration::from_hours(24);

/// How long a robots.txt that could not be fetched is not tried again.
pub const ROBOTS_FAILURE_FRESH: Duration = Duration::from_mins(1);

/// Redirects followed for a robots.txt (RFC 9309, section 2.3.1.2) or a sitemap. A robots.txt that redirects
/// more often counts as one without rules.
pub const MAX_SITE_FILE_REDIRECTS: u32 = 5;

/// Attempts at one site file, the first included, while a scraped page or a leased task waits for it. A crawl makes as
/// many as at a page, and at least this many at a robots.txt, which decides about all pages of its origin.
pub const SITE_FILE_ATTEMPTS: u32 = 2;

/// Deepest sitemap that is read: an index of indexes, and the files they name.
pub const MAX_SITEMAP_LEVELS: u32 = 3;
