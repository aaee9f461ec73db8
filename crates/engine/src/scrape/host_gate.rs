//! The trait that limits requests to each host.

use std::future::Future;
use std::time::Duration;

use crawler_frontier::HostResponse;
use crawler_model::Failure;
use crawler_weburl::CrawlUrl;

use super::RobotsMemory;

/// Limits requests to each host. A [`Scraper`](super::Scraper) has exactly one, and nothing below it limits requests again.
/// [`LocalHostGate`](super::LocalHostGate) is for a single process; a service uses turns in its store, which also has the
/// robots.txt files that its other processes have read.
pub trait HostGate: RobotsMemory {
    /// Permission for one request, until it is dropped.
    type Turn: Send;

    /// Waits until a request to the URL's host may start.
    fn turn(&self, url: &CrawlUrl) -> impl Future<Output = Result<Self::Turn, TurnRefused>> + Send;

    /// Takes in a response of the URL's host: one that throttles slows down all requests to it.
    fn note_response(
        &self,
        url: &CrawlUrl,
        response: HostResponse,
    ) -> impl Future<Output = ()> + Send;

    /// Waits for what another request does for the same host, for as long as a request may wait for its turn.
    fn bounded<W: Future + Send>(
        &self,
        wait: W,
    ) -> impl Future<Output = Result<W::Output, Failure>> + Send
    where
        W::Output: Send,
    {
        async move { Ok(wait.await) }
    }

    /// Sets the minimum interval between the starts of requests to the URL's host.
    fn slow_to(&self, url: &CrawlUrl, interval: Duration) -> impl Future<Output = ()> + Send;
}

/// Why no request to a host is permitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TurnRefused {
    /// The host asked for a longer pause than we accept.
    Parked(Duration),
    /// The gate failed.
    Failed(Failure),
}
