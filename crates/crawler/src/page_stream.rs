//! The pages of a running crawl, as a stream.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use crawler_engine::Stop;
use crawler_model::{PageReport, Sink, SinkError, Summary};
use futures_util::Stream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::{Error, Page};

/// Maximum number of unread pages; the crawl waits while there are this many.
const BUFFERED_PAGES: usize = 64;

/// The pages of a running crawl, in the order they finish.
///
/// The crawl runs in the background and waits while its pages are not read. Dropping the stream stops it.
#[derive(Debug)]
pub struct PageStream {
    pages: mpsc::Receiver<Page>,
    crawl: JoinHandle<Result<Summary, Error>>,
    stop: Stop,
}

impl PageStream {
    /// Starts a crawl that writes its pages to the given sink.
    pub(crate) fn start<F>(crawl: impl FnOnce(Box<dyn Sink>, Stop) -> F) -> Self
    where
        F: Future<Output = Result<Summary, Error>> + Send + 'static,
    {
        let (send, pages) = mpsc::channel(BUFFERED_PAGES);
        let stop = Stop::new();
        let crawl = tokio::spawn(crawl(Box::new(ChannelSink(send)), stop.clone()));
        Self { pages, crawl, stop }
    }

    /// Returns the next finished page; `None` at the end of the crawl.
    pub async fn next(&mut self) -> Option<Page> {
        self.pages.recv().await
    }

    /// Waits for the end of the crawl, discards unread pages, and returns the totals.
    pub async fn finish(mut self) -> Result<Summary, Error> {
        while self.next().await.is_some() {}
        match (&mut self.crawl).await {
            Ok(summary) => summary,
            // The task is never canceled, so it panicked.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

impl Stream for PageStream {
    type Item = Page;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Page>> {
        self.pages.poll_recv(context)
    }
}

impl Drop for PageStream {
    fn drop(&mut self) {
        // The first call stops new requests, the second abandons those in flight.
        self.stop.ask();
        self.stop.ask();
    }
}

/// Sends every page to the stream.
struct ChannelSink(mpsc::Sender<Page>);

impl Sink for ChannelSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        // Called on the writer's own thread, which may block.
        let sent = self.0.blocking_send(Page::new(report.clone()));
        sent.map_err(|_| SinkError {
            target: "the page stream".to_owned(),
            error: io::ErrorKind::BrokenPipe.into(),
        })
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}
