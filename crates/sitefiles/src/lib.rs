//! robots.txt and sitemaps: bytes in, rules out.
//!
//! The two files a site writes for crawlers. This crate reads them and answers questions about
//! them; it never fetches, has no clock and no runtime, so it is tested with tables.
//!
//! Both files are untrusted. The invariant of the crate: any bytes yield a result, in time linear in
//! their length and in memory that does not grow with their decompressed size.

mod known_robots;
mod robots;
mod robots_file;
mod sitemap;

pub use known_robots::{KnownRobots, RobotsFetch};
pub use robots::{Robots, RobotsMatch, robots_token};
pub use robots_file::{RobotsDelay, RobotsFile, RobotsPermission};
pub use sitemap::{
    SitemapError, SitemapKind, SitemapLimits, SitemapLocation, SitemapSummary, read_sitemap,
};
