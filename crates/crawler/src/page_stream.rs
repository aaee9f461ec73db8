//! The pages of a running crawl, as a stream.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crawler_engine::{Output, OutputEnded, Stop};
use crawler_frontier::Delivery;
use crawler_model::{SinkError, Summary};
use futures_util::Stream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::{CrawlSummary, Error, Page};

/// Maximum number of finished pages in the channel. While the channel is full, the crawl holds at most one batch of its loop
/// and one page in flight per worker.
const BUFFERED_PAGES: usize = 64;

/// The pages of a running crawl, in the order they finish.
///
/// Each item is a `Result`: if the crawl itself fails, the last item is the error. A page that cannot be fetched is not an
/// error, see [`Page::error`].
///
/// The crawl runs in the background. It pauses while its pages are not read; about a hundred finished pages, and those in
/// flight, are kept in memory. Dropping the stream stops the crawl and abandons the requests in flight.
///
/// This is a [`futures_core::Stream`](Stream), so the combinators of `StreamExt` and `TryStreamExt` work too;
/// [`next`](Self::next) needs neither.
#[derive(Debug)]
#[must_use = "the crawl stops when the stream is dropped"]
pub struct PageStream {
    pages: mpsc::Receiver<Page>,
    crawl: RunningCrawl,
    stop: Stop,
}

#[derive(Debug)]
enum RunningCrawl {
    Running(JoinHandle<Result<Summary, Error>>),
    Ended(Box<Summary>),
    /// The stream has returned the error.
    Failed,
}

impl PageStream {
    /// Starts a crawl that delivers its pages to the given output.
    pub(crate) fn start<F>(crawl: impl FnOnce(PageSender, Stop) -> F) -> Self
    where
        F: Future<Output = Result<Summary, Error>> + Send + 'static,
    {
        let (send, pages) = mpsc::channel(BUFFERED_PAGES);
        let stop = Stop::new();
        let crawl = tokio::spawn(crawl(PageSender(send), stop.clone()));
        Self {
            pages,
            crawl: RunningCrawl::Running(crawl),
            stop,
        }
    }

    /// Returns the next finished page; `None` at the end of the crawl. If the crawl fails, returns the error once, and then
    /// `None`. Cancel-safe.
    ///
    /// # Panics
    ///
    /// If the crawl panicked.
    pub async fn next(&mut self) -> Option<Result<Page, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Discards the pages that were not read, waits for the end of the crawl, and returns its totals.
    ///
    /// # Errors
    ///
    /// If the crawl failed. If [`next`](Self::next) has already returned the error, the error returned here only says so.
    ///
    /// # Panics
    ///
    /// If the crawl panicked.
    pub async fn finish(mut self) -> Result<CrawlSummary, Error> {
        while let Some(page) = self.next().await {
            page?;
        }
        match &self.crawl {
            RunningCrawl::Ended(summary) => Ok(CrawlSummary::new((**summary).clone())),
            _ => Err(Error::Crawl(
                "the crawl failed; the stream has already returned the error".into(),
            )),
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Page, Error>>> {
        if let Some(page) = ready!(self.pages.poll_recv(context)) {
            return Poll::Ready(Some(Ok(page)));
        }
        let RunningCrawl::Running(crawl) = &mut self.crawl else {
            return Poll::Ready(None);
        };
        match ready!(Pin::new(crawl).poll(context)) {
            Ok(Ok(summary)) => {
                self.crawl = RunningCrawl::Ended(Box::new(summary));
                Poll::Ready(None)
            }
            Ok(Err(error)) => {
                self.crawl = RunningCrawl::Failed;
                Poll::Ready(Some(Err(error)))
            }
            Err(error) => {
                self.crawl = RunningCrawl::Failed;
                match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    // The runtime is shutting down.
                    Err(canceled) => Poll::Ready(Some(Err(Error::Crawl(canceled.into())))),
                }
            }
        }
    }
}

impl Stream for PageStream {
    type Item = Result<Page, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

impl Drop for PageStream {
    fn drop(&mut self) {
        // The first call stops new requests, the second abandons those in flight.
        self.stop.request();
        self.stop.request();
    }
}

/// Sends every page to the stream; waits while the stream has enough unread pages.
pub(crate) struct PageSender(mpsc::Sender<Page>);

impl Output for PageSender {
    async fn put(&mut self, deliveries: Vec<Delivery>) -> Result<(), OutputEnded> {
        for delivery in deliveries {
            if let Delivery::Page(report) = delivery {
                let sent = self.0.send(Page::new(report)).await;
                sent.map_err(|_| OutputEnded)?;
            }
        }
        Ok(())
    }

    async fn close(self, _summary: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crawler_model::{Discovery, Outcome, PageReport, Task};
    use crawler_weburl::CrawlUrl;
    use futures_util::FutureExt;

    use super::*;

    fn page() -> Delivery {
        let task = Task {
            url: CrawlUrl::parse("https://site.example/").unwrap(),
            reported_url: None,
            depth: 0,
            hops: 0,
            via: None,
            found: Discovery::Seed,
            attempt: 1,
            wants_text: false,
            ticket: 0,
        };
        let outcome = Outcome::Fetched { html: true };
        Delivery::Page(Box::new(PageReport::new(task, outcome)))
    }

    #[tokio::test]
    async fn the_crawl_waits_while_its_pages_are_not_read() {
        let (send, mut pages) = mpsc::channel(BUFFERED_PAGES);
        let mut output = PageSender(send);
        for _ in 0..BUFFERED_PAGES {
            assert_eq!(output.put(vec![page()]).now_or_never(), Some(Ok(())));
        }
        let mut waiting = Box::pin(output.put(vec![page()]));
        assert_eq!(waiting.as_mut().now_or_never(), None);
        assert!(pages.recv().await.is_some());
        assert_eq!(waiting.await, Ok(()));
        drop(pages);
        assert_eq!(output.put(vec![page()]).await, Err(OutputEnded));
    }

    fn failing() -> PageStream {
        PageStream::start(async |mut output, _stop| {
            let _ = output.put(vec![page()]).await;
            Err(Error::Crawl("no more memory".into()))
        })
    }

    #[tokio::test]
    async fn a_failed_crawl_is_not_a_normal_end() {
        let mut pages = failing();
        assert!(pages.next().await.unwrap().is_ok());
        let error = pages.next().await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), "no more memory");
        assert!(pages.next().await.is_none());
        let error = pages.finish().await.unwrap_err();
        assert!(error.to_string().contains("already returned"), "{error}");

        let error = failing().finish().await.unwrap_err();
        assert_eq!(error.to_string(), "no more memory");
    }

    #[tokio::test]
    #[should_panic(expected = "a bug in the crawl")]
    async fn a_panic_is_not_a_normal_end() {
        let mut pages = PageStream::start(async |_output, _stop| panic!("a bug in the crawl"));
        assert!(pages.next().await.is_none());
    }
}
