//! The output writer: a thread behind a bounded channel.
//!
//! The channel is bounded by bytes: a slow disk or pipe makes the crawl loop wait, and no page is lost. The output is
//! flushed at least once per second.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crawler_frontier::Delivery;
use crawler_model::{LinkList, PageDocument, PageReport, Sink, SinkError, StopReason, Summary};
use crawler_weburl::CrawlUrl;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::output::{Output, OutputEnded};

/// Maximum total weight of queued deliveries, in KiB.
const MAX_WAITING_KIB: u32 = 32 * 1024;
/// Minimum weight of a delivery. It limits the queue to a few hundred, because a stopped crawl waits until all are written.
const MIN_KIB: u32 = 64;
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);

enum WriterMessage {
    Deliveries(Vec<Delivery>, OwnedSemaphorePermit),
    Left(Vec<CrawlUrl>, OwnedSemaphorePermit),
    Finish(Box<Summary>),
}

/// Handle to the writer thread.
#[derive(Debug)]
pub struct OutputWriter {
    /// Unbounded; the number of messages is limited by `budget`.
    messages: mpsc::UnboundedSender<WriterMessage>,
    budget: Arc<Semaphore>,
    ended: oneshot::Receiver<Result<(), SinkError>>,
    thread: Option<JoinHandle<()>>,
    wants_unvisited: bool,
}

impl OutputWriter {
    /// Starts the writer. Needs a tokio runtime, whose timer the writer uses.
    pub fn start(sink: Box<dyn Sink>) -> std::io::Result<Self> {
        let (messages, incoming) = mpsc::unbounded_channel();
        let (result_sender, ended) = oneshot::channel();
        let wants_unvisited = sink.wants_unvisited();
        let handle = Handle::current();
        let thread = std::thread::Builder::new()
            .name("writer".into())
            .spawn(move || {
                // The receiver is gone if the crawl was dropped.
                let _ = result_sender.send(write(sink, incoming, &handle));
            })?;
        Ok(Self {
            messages,
            budget: Arc::new(Semaphore::new(MAX_WAITING_KIB as usize)),
            ended,
            thread: Some(thread),
            wants_unvisited,
        })
    }

    /// Waits for `weight` KiB of the budget, or for all of it if that is less.
    async fn acquire(&self, weight: u32) -> Result<OwnedSemaphorePermit, OutputEnded> {
        let weight = weight.min(MAX_WAITING_KIB);
        let budget = Arc::clone(&self.budget);
        if let Ok(permit) = Arc::clone(&budget).try_acquire_many_owned(weight) {
            return Ok(permit);
        }
        tokio::select! {
            permit = budget.acquire_many_owned(weight) => permit.map_err(|_| OutputEnded),
            () = self.messages.closed() => Err(OutputEnded),
        }
    }

    fn send(&self, message: WriterMessage) -> Result<(), OutputEnded> {
        self.messages.send(message).map_err(|_| OutputEnded)
    }
}

impl Output for OutputWriter {
    /// Queues deliveries. Waits while the queue is full.
    async fn put(&mut self, deliveries: Vec<Delivery>) -> Result<(), OutputEnded> {
        let weight = deliveries.iter().map(weight).fold(0, u32::saturating_add);
        let permit = self.acquire(weight).await?;
        self.send(WriterMessage::Deliveries(deliveries, permit))
    }

    fn wants_unvisited(&self) -> bool {
        self.wants_unvisited
    }

    async fn put_left(&mut self, urls: Vec<CrawlUrl>) -> Result<(), OutputEnded> {
        let permit = self
            .acquire(kib(urls.iter().map(|url| url.as_str().len()).sum()))
            .await?;
        self.send(WriterMessage::Left(urls, permit))
    }

    /// Writes the totals, and waits until everything is written.
    async fn close(mut self, summary: &Summary) -> Result<(), SinkError> {
        // If the writer has ended, its result is returned below.
        let _ = self.send(WriterMessage::Finish(Box::new(summary.clone())));
        let result = (&mut self.ended).await;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        result.unwrap_or_else(|_| {
            let error = std::io::Error::other("the writer panicked");
            Err(SinkError {
                target: "output".into(),
                error,
            })
        })
    }
}

fn weight(delivery: &Delivery) -> u32 {
    let bytes = match delivery {
        Delivery::Page(report) => page_bytes(report),
        Delivery::Notice(_) => 0,
        Delivery::Mark(events) => events.len(),
    };
    kib(bytes).max(MIN_KIB)
}

/// Returns the size of the fields that the site controls, which can be long.
fn page_bytes(report: &PageReport) -> usize {
    let message = report
        .outcome
        .failure()
        .map_or(0, |failure| failure.message.len());
    let content_type = report.content_type.as_ref().map_or(0, String::len);
    let document = report.document.as_deref().map_or(0, PageDocument::text_len);
    list_bytes(&report.links) + report.url.as_str().len() + content_type + message + document
}

fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX)
}

fn list_bytes(links: &LinkList) -> usize {
    links.text_len() + links.len() * 32
}

/// Writes until the end. If one output fails, the others are still closed properly.
fn write(
    mut sink: Box<dyn Sink>,
    incoming: mpsc::UnboundedReceiver<WriterMessage>,
    handle: &Handle,
) -> Result<(), SinkError> {
    let written = write_all(&mut *sink, incoming, handle);
    if written.is_err() {
        let summary = Summary {
            stop: StopReason::OutputClosed,
            ..Summary::default()
        };
        // Only the first error is reported.
        let _ = sink.finish(&summary);
    }
    written
}

fn write_all(
    sink: &mut dyn Sink,
    mut incoming: mpsc::UnboundedReceiver<WriterMessage>,
    handle: &Handle,
) -> Result<(), SinkError> {
    let mut flushed = Instant::now();
    loop {
        let message = match incoming.try_recv() {
            Ok(message) => Some(message),
            Err(mpsc::error::TryRecvError::Disconnected) => None,
            Err(mpsc::error::TryRecvError::Empty) => {
                let wait = FLUSH_INTERVAL.saturating_sub(flushed.elapsed());
                let waited =
                    handle.block_on(async { tokio::time::timeout(wait, incoming.recv()).await });
                let Ok(message) = waited else {
                    sink.flush()?;
                    flushed = Instant::now();
                    continue;
                };
                message
            }
        };
        match message {
            // The crawl was dropped; everything queued has been written.
            None => return sink.flush(),
            Some(WriterMessage::Deliveries(deliveries, _permit)) => {
                for delivery in deliveries {
                    match delivery {
                        Delivery::Page(report) => sink.page(&report)?,
                        Delivery::Notice(notice) => sink.notice(&notice)?,
                        Delivery::Mark(events) => sink.mark(&events)?,
                    }
                }
            }
            Some(WriterMessage::Left(urls, _permit)) => {
                urls.iter().try_for_each(|url| sink.left(url))?;
            }
            Some(WriterMessage::Finish(summary)) => return sink.finish(&summary),
        }
        if flushed.elapsed() >= FLUSH_INTERVAL {
            sink.flush()?;
            flushed = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use crawler_model::{Discovery, DocumentMeta, Outcome, Task};
    use futures_util::FutureExt;

    use super::*;

    /// Blocks on the first page until the other end of the channel is dropped.
    struct BlockedSink(Receiver<()>);

    impl Sink for BlockedSink {
        fn page(&mut self, _report: &PageReport) -> Result<(), SinkError> {
            // An error: the other end was dropped.
            let _ = self.0.recv();
            Ok(())
        }

        fn flush(&mut self) -> Result<(), SinkError> {
            Ok(())
        }

        fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
            Ok(())
        }
    }

    fn page_with_document(markdown: String) -> Delivery {
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
        let mut report = PageReport::new(task, Outcome::Fetched { html: true });
        let document = PageDocument::new(None, markdown, String::new(), DocumentMeta::default());
        report.document = Some(Box::new(document));
        Delivery::Page(Box::new(report))
    }

    #[tokio::test]
    async fn documents_count_toward_the_bytes_that_wait() {
        let (release, blocked) = channel();
        let mut writer = OutputWriter::start(Box::new(BlockedSink(blocked))).unwrap();
        let mebibyte = "a".repeat(1024 * 1024);
        let mut waiting = 0;
        loop {
            let page = page_with_document(mebibyte.clone());
            if writer.put(vec![page]).now_or_never().is_none() {
                break;
            }
            waiting += 1;
            assert!(waiting <= 32, "{waiting} MiB wait for the writer");
        }
        assert!(waiting >= 16, "only {waiting} MiB wait for the writer");
        drop(release);
        writer.close(&Summary::default()).await.unwrap();
    }
}
