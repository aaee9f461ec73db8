//! Passes locations to the caller's closure, and counts them.

use std::ops::ControlFlow;

/// One location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapItem<'a> {
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
pub(super) struct Outlet<F> {
    each: F,
    limit: usize,
    pub(super) items: usize,
    pub(super) full: bool,
}

impl<F: FnMut(SitemapItem<'_>)> Outlet<F> {
    pub(super) fn new(limit: usize, each: F) -> Self {
        Outlet {
            each,
            limit,
            items: 0,
            full: false,
        }
    }

    /// Breaks if the limit was reached before.
    pub(super) fn send(&mut self, item: SitemapItem<'_>) -> ControlFlow<()> {
        if self.items == self.limit {
            self.full = true;
            return ControlFlow::Break(());
        }
        self.items += 1;
        (self.each)(item);
        ControlFlow::Continue(())
    }
}
