//! Where locations go: the caller's closure, counted.

use std::ops::ControlFlow;

/// One location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapItem<'a> {
    /// A page of the site.
    Page(&'a str),
    /// Another sitemap, named by an index.
    Sitemap(&'a str),
}

/// Characters of a location that is worth reporting; longer ones are dropped. URLs in sitemaps
/// are limited to 2,048.
pub(super) const MAX_LOCATION: usize = 8 * 1024;

/// Passes locations on until the limit.
#[derive(Debug)]
pub(super) struct Outlet<F> {
    each: F,
    room: usize,
    pub(super) items: usize,
    pub(super) full: bool,
}

impl<F: FnMut(SitemapItem<'_>)> Outlet<F> {
    pub(super) fn new(room: usize, each: F) -> Self {
        Outlet {
            each,
            room,
            items: 0,
            full: false,
        }
    }

    /// Breaks when there is no room for this one.
    pub(super) fn send(&mut self, item: SitemapItem<'_>) -> ControlFlow<()> {
        if self.items == self.room {
            self.full = true;
            return ControlFlow::Break(());
        }
        self.items += 1;
        (self.each)(item);
        ControlFlow::Continue(())
    }
}
