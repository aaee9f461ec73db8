//! The writer: a thread of its own behind a bounded channel.
//!
//! Bounded by bytes, and so by pages: a slow disk or pipe makes the loop wait before it takes in more, and no
//! page is lost. What was written reaches the reader at least once a second, crawl or no crawl.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use frontier::Delivery;
use model::{LinkList, PageReport, Sink, SinkError, StopReason, Summary};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use weburl::CrawlUrl;

/// Budget of what waits, in KiB.
const MOST_WAITING_KIB: u32 = 32 * 1024;
/// What a delivery counts for at least, so that only a few hundred wait: who stops waits for them to be written.
const LEAST_KIB: u32 = 64;
const FLUSH_EVERY: Duration = Duration::from_millis(500);

enum Parcel {
    Deliveries(Vec<Delivery>, OwnedSemaphorePermit),
    Left(Vec<CrawlUrl>, OwnedSemaphorePermit),
    Finish(Box<Summary>),
}

/// Where the loop puts finished reports.
#[derive(Debug)]
pub struct Shelf {
    /// Bounded by the budget.
    parcels: mpsc::UnboundedSender<Parcel>,
    budget: Arc<Semaphore>,
    ended: oneshot::Receiver<Result<(), SinkError>>,
    thread: Option<JoinHandle<()>>,
    wants_left: bool,
}

/// The writer ended before the crawl did; [`Shelf::close`] says why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WriterEnded;

impl Shelf {
    /// Starts the writer. Call it inside a runtime: the writer's pauses use its timer.
    pub fn start(sink: Box<dyn Sink>) -> std::io::Result<Self> {
        let (parcels, incoming) = mpsc::unbounded_channel();
        let (tell_end, ended) = oneshot::channel();
        let wants_left = sink.wants_left();
        let handle = Handle::current();
        let thread = std::thread::Builder::new()
            .name("writer".into())
            .spawn(move || {
                // Whoever waits may be gone already; then nobody needs the answer.
                let _ = tell_end.send(write(sink, incoming, &handle));
            })?;
        Ok(Self {
            parcels,
            budget: Arc::new(Semaphore::new(MOST_WAITING_KIB as usize)),
            ended,
            thread: Some(thread),
            wants_left,
        })
    }

    /// Whether the sink wants the URLs left over.
    pub(crate) fn wants_left(&self) -> bool {
        self.wants_left
    }

    /// Hands over what finished together, waiting while the writer is behind.
    pub(crate) async fn put(&self, deliveries: Vec<Delivery>) -> Result<(), WriterEnded> {
        let weight = deliveries.iter().map(weight).fold(0, u32::saturating_add);
        let permit = self.room(weight).await?;
        self.send(Parcel::Deliveries(deliveries, permit))
    }

    pub(crate) async fn put_left(&self, urls: Vec<CrawlUrl>) -> Result<(), WriterEnded> {
        let permit = self
            .room(kib(urls.iter().map(|url| url.as_str().len()).sum()))
            .await?;
        self.send(Parcel::Left(urls, permit))
    }

    /// Waits for so many KiB of the budget; all of it is enough for anything.
    async fn room(&self, weight: u32) -> Result<OwnedSemaphorePermit, WriterEnded> {
        let weight = weight.min(MOST_WAITING_KIB);
        let budget = Arc::clone(&self.budget);
        if let Ok(permit) = Arc::clone(&budget).try_acquire_many_owned(weight) {
            return Ok(permit);
        }
        tokio::select! {
            permit = budget.acquire_many_owned(weight) => permit.map_err(|_| WriterEnded),
            () = self.parcels.closed() => Err(WriterEnded),
        }
    }

    fn send(&self, parcel: Parcel) -> Result<(), WriterEnded> {
        self.parcels.send(parcel).map_err(|_| WriterEnded)
    }

    /// Closes the output with its totals and waits until everything is written.
    pub(crate) async fn close(mut self, summary: &Summary) -> Result<(), SinkError> {
        // A writer that ended early says why below.
        let _ = self.send(Parcel::Finish(Box::new(summary.clone())));
        let told = (&mut self.ended).await;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        told.unwrap_or_else(|_| {
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
    kib(bytes).max(LEAST_KIB)
}

/// What a page's site decides about, and so could be long.
fn page_bytes(report: &PageReport) -> usize {
    let words = report
        .outcome
        .failure()
        .map_or(0, |failure| failure.words.len());
    let content_type = report.content_type.as_ref().map_or(0, String::len);
    list_bytes(&report.links) + report.url.as_str().len() + content_type + words
}

fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX)
}

fn list_bytes(links: &LinkList) -> usize {
    links.text_len() + links.len() * 32
}

/// Writes until the end. When one output fails, the others are still closed properly.
fn write(
    mut sink: Box<dyn Sink>,
    incoming: mpsc::UnboundedReceiver<Parcel>,
    handle: &Handle,
) -> Result<(), SinkError> {
    let written = write_all(&mut *sink, incoming, handle);
    if written.is_err() {
        let summary = Summary {
            stop: StopReason::OutputClosed,
            ..Summary::default()
        };
        // The first error is the one that is told.
        let _ = sink.finish(&summary);
    }
    written
}

fn write_all(
    sink: &mut dyn Sink,
    mut incoming: mpsc::UnboundedReceiver<Parcel>,
    handle: &Handle,
) -> Result<(), SinkError> {
    let mut flushed = Instant::now();
    loop {
        let parcel = match incoming.try_recv() {
            Ok(parcel) => Some(parcel),
            Err(mpsc::error::TryRecvError::Disconnected) => None,
            Err(mpsc::error::TryRecvError::Empty) => {
                let wait = FLUSH_EVERY.saturating_sub(flushed.elapsed());
                let waited =
                    handle.block_on(async { tokio::time::timeout(wait, incoming.recv()).await });
                let Ok(parcel) = waited else {
                    sink.flush()?;
                    flushed = Instant::now();
                    continue;
                };
                parcel
            }
        };
        match parcel {
            // The crawl was dropped: what was put is written, the rest was never promised.
            None => return sink.flush(),
            Some(Parcel::Deliveries(deliveries, _permit)) => {
                for delivery in deliveries {
                    match delivery {
                        Delivery::Page(report) => sink.page(&report)?,
                        Delivery::Notice(notice) => sink.notice(&notice)?,
                        Delivery::Mark(events) => sink.mark(&events)?,
                    }
                }
            }
            Some(Parcel::Left(urls, _permit)) => urls.iter().try_for_each(|url| sink.left(url))?,
            Some(Parcel::Finish(summary)) => return sink.finish(&summary),
        }
        if flushed.elapsed() >= FLUSH_EVERY {
            sink.flush()?;
            flushed = Instant::now();
        }
    }
}
