//! Passes locations to the caller's closure, and counts them.

use std::ops::ControlFlow;

/// One location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapLocation<'a> {
    /// A page of the site.
    Page(&'a str),
    /// Another sitemap, named by an index.
    Sitemap(&'a str),
}

/// Longest location reported, in bytes; longer ones are dropped. The sitemap protocol limits URLs to
/// 2,048 characters.
pub(super) const MAX_LOCATION: usize = 8 * 1024;

/// Passes on locations up to the limit.
#[derive(Debug)]
pub(super) struct LocationSender<F> {
    each: F,
    limit: usize,
    pub(super) locations: usize,
    pub(super) full: bool,
}

impl<F: FnMut(SitemapLocation<'_>)> LocationSender<F> {
    pub(super) fn new(limit: usize, each: F) -> Self {
        LocationSender {
            each,
            limit,
            locations: 0,
            full: false,
        }
    }

    /// Breaks if the limit was reached before.
    pub(super) fn send(&mut self, location: SitemapLocation<'_>) -> ControlFlow<()> {
        if self.locations == self.limit {
            self.full = true;
            return ControlFlow::Break(());
        }
        self.locations += 1;
        (self.each)(location);
        ControlFlow::Continue(())
    }
}
