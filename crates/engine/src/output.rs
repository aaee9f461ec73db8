//! Where the crawl loop delivers finished pages.

use std::future::Future;

use crawler_frontier::Delivery;
use crawler_model::{SinkError, Summary};
use crawler_weburl::CrawlUrl;

/// Receives the deliveries of a crawl, in order. The crawl loop waits for each call, so a slow output slows down the
/// crawl.
pub trait Output: Send {
    /// Takes deliveries. Waits until there is room for them.
    fn put(
        &mut self,
        deliveries: Vec<Delivery>,
    ) -> impl Future<Output = Result<(), OutputEnded>> + Send;

    /// Whether to call [`put_left`](Self::put_left).
    fn wants_unvisited(&self) -> bool {
        false
    }

    /// Takes known URLs that were not visited because the crawl ended first.
    fn put_left(
        &mut self,
        _urls: Vec<CrawlUrl>,
    ) -> impl Future<Output = Result<(), OutputEnded>> + Send {
        std::future::ready(Ok(()))
    }

    /// Completes the output with the totals of the crawl. Called once, at the end. Returns why the output ended early, if
    /// it did.
    fn close(self, summary: &Summary) -> impl Future<Output = Result<(), SinkError>> + Send;
}

/// The output takes no more deliveries; [`Output::close`] returns the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutputEnded;

/// `None` discards everything.
impl<O: Output> Output for Option<O> {
    async fn put(&mut self, deliveries: Vec<Delivery>) -> Result<(), OutputEnded> {
        match self {
            Some(output) => output.put(deliveries).await,
            None => Ok(()),
        }
    }

    fn wants_unvisited(&self) -> bool {
        self.as_ref().is_some_and(Output::wants_unvisited)
    }

    async fn put_left(&mut self, urls: Vec<CrawlUrl>) -> Result<(), OutputEnded> {
        match self {
            Some(output) => output.put_left(urls).await,
            None => Ok(()),
        }
    }

    async fn close(self, summary: &Summary) -> Result<(), SinkError> {
        match self {
            Some(output) => output.close(summary).await,
            None => Ok(()),
        }
    }
}
