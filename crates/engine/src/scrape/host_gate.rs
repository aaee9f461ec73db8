//! Who may send a request to a host, and when.

use std::future::Future;
use std::time::Duration;

use crawler_model::Failure;
use crawler_weburl::CrawlUrl;

/// Limits requests to hosts. A [`Scraper`](super::Scraper) has exactly one, and nothing below it limits a host again:
/// [`LocalHostGate`](super::LocalHostGate) for a process of its own, the store's turns for a service.
pub trait HostGate: Send + Sync {
    /// The right to one request; it ends when this is dropped.
    type Turn: Send;

    /// Waits until a request to the URL's host may start.
    fn turn(&self, url: &CrawlUrl) -> impl Future<Output = Result<Self::Turn, NoTurn>> + Send;

    /// Sends nothing to the URL's host for this long.
    fn pause(&self, url: &CrawlUrl, pause: Duration) -> impl Future<Output = ()> + Send;

    /// Starts requests to the URL's host at least this far apart from now on.
    fn slow_to(&self, url: &CrawlUrl, interval: Duration) -> impl Future<Output = ()> + Send;
}

/// Why a host cannot be asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoTurn {
    /// It asked for a longer pause than we wait for.
    Parked(Duration),
    /// The gate could not do its job.
    Failed(Failure),
}
