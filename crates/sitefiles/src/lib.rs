//! robots.txt and sitemaps: bytes in, rules out.
//!
//! The two files a site writes for crawlers. This crate reads them and answers questions about
//! them; it never fetches, has no clock and no runtime, so every answer can be tested with a table.
//!
//! Both files come from strangers. The invariant of the whole crate: any bytes give an answer, in
//! time linear in their length and in memory that does not grow with what they unpack to.

mod robots;
mod robots_file;
mod sitemap;

pub use robots::{Robots, RobotsVerdict, robots_token};
pub use robots_file::{RobotsFile, RobotsPermission};
pub use sitemap::{
    SitemapError, SitemapItem, SitemapKind, SitemapLimits, SitemapSummary, read_sitemap,
};
