//! The server: renders pages for other processes.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crawler_fetch::TabMeter;
use crawler_model::{FailKind, Failure, NAV_TIMEOUTS};
use crawler_weburl::CrawlUrl;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::protocol::{
    RemoteAnswer, RemotePage, RemoteRequest, RemoteStatus, answer_of, read_message,
    write_heartbeat, write_message,
};
use crate::caller_headers::CallerHeaders;
use crate::page_request::{PageRequest, RenderedPage};
use crate::{RenderSettings, Renderer};

/// Maximum number of connections; further ones wait to be accepted. A page takes one from when it waits for a tab.
const MAX_CONNECTIONS: usize = 1_024;
/// Time limit for reading a request, and for writing a part of an answer.
const IO_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval between messages that a page is still being worked on.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(2);
/// Delay after a failed accept, for example because too many files are open.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Renders pages for other processes.
#[derive(Debug)]
pub struct RenderServer {
    renderer: Arc<Renderer>,
}

impl RenderServer {
    /// Creates a server that uses this renderer.
    pub fn new(renderer: Arc<Renderer>) -> Self {
        Self { renderer }
    }

    /// Accepts connections until `stop`, and then finishes the pages in flight, for at most `drain`.
    pub async fn serve(&self, listener: UnixListener, stop: impl Future, drain: Duration) {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut connections = JoinSet::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                _ = &mut stop => break,
                accepted = accept(&listener, &permits) => accepted,
            };
            match accepted {
                Ok((stream, permit)) => {
                    connections.spawn(serve(Arc::clone(&self.renderer), stream, permit));
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection to browser.socket");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            }
            while connections.try_join_next().is_some() {}
        }
        drop(listener);
        let finished = async { while connections.join_next().await.is_some() {} };
        // Whoever asked for the rest asks again.
        let _ = timeout(drain, finished).await;
    }
}

async fn accept(
    listener: &UnixListener,
    permits: &Arc<Semaphore>,
) -> io::Result<(UnixStream, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await;
    let permit = permit.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

async fn serve(renderer: Arc<Renderer>, stream: UnixStream, _permit: OwnedSemaphorePermit) {
    if let Err(error) = answer(&renderer, stream).await {
        tracing::debug!(%error, "a connection to browser.socket ended early");
    }
}

/// Answers one request.
async fn answer(renderer: &Renderer, stream: UnixStream) -> io::Result<()> {
    let (mut reader, mut writer) = stream.into_split();
    let request = within(read_message(&mut reader)).await?;
    let page = match request {
        Some(RemoteRequest::Page(page)) => page,
        Some(RemoteRequest::Status) => {
            let status = RemoteStatus::new(renderer.state(), renderer.numbers());
            return within(write_message(&mut writer, &RemoteAnswer::Status(status))).await;
        }
        None => return Err(io::Error::other("no request")),
    };
    let held = Arc::<AtomicU64>::default();
    let Some(page) = render(renderer, &page, &held, &mut reader, &mut writer).await? else {
        return Ok(());
    };
    let browser_time = Duration::from_micros(held.load(Ordering::Relaxed));
    let (answer, body) = answer_of(page, browser_time);
    within(write_message(&mut writer, &answer)).await?;
    // A part at a time, so that a slow reader may take longer than one that has stopped reading.
    for part in body.chunks(256 << 10) {
        within(writer.write_all(part)).await?;
    }
    within(writer.shutdown()).await
}

/// Renders a page; `None` if it was canceled: the other process has closed the connection. The microseconds for which its tab is
/// held are added to `held`.
async fn render(
    renderer: &Renderer,
    page: &RemotePage,
    held: &Arc<AtomicU64>,
    reader: &mut OwnedReadHalf,
    writer: &mut OwnedWriteHalf,
) -> io::Result<Option<Result<RenderedPage, Failure>>> {
    let (held, taken) = (Arc::clone(held), Arc::new(Notify::new()));
    let is_taken = Arc::clone(&taken);
    let meter = TabMeter::new(move |time| {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        held.fetch_add(micros, Ordering::Relaxed);
    });
    let meter = meter.on_taken(move || is_taken.notify_one());
    let mut rendering = std::pin::pin!(rendered(renderer, page, meter));
    let mut heartbeat = interval(HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut nothing = [0];
    loop {
        tokio::select! {
            page = &mut rendering => return Ok(Some(page)),
            () = taken.notified() => within(write_message(writer, &RemoteAnswer::Started)).await?,
            // Nothing is sent after the request.
            _ = reader.read(&mut nothing) => return Ok(None),
            _ = heartbeat.tick() => within(write_heartbeat(writer)).await?,
        }
    }
}

async fn rendered(
    renderer: &Renderer,
    page: &RemotePage,
    tab_meter: TabMeter,
) -> Result<RenderedPage, Failure> {
    let invalid = |message: String| Failure::new(FailKind::Protocol, message);
    let url = CrawlUrl::parse(&page.url).map_err(|error| invalid(error.to_string()))?;
    if !NAV_TIMEOUTS.contains(&page.nav_timeout) {
        return Err(invalid("browser.nav_timeout is out of range".to_owned()));
    }
    check_egress(page, renderer.settings())
        .map_err(|message| Failure::new(FailKind::NoBrowser, message))?;
    let request = PageRequest {
        accept: page.accept(),
        visit: page.visit,
        caller_headers: CallerHeaders::given(&url, page.headers.clone()),
        settings: Arc::new(page.settings(renderer.settings())),
        url: &url,
        tab_owner: page.tab_owner,
        tab_meter: Some(tab_meter),
    };
    renderer.page(&request).await
}

/// Checks that pages cannot reach more than the process that asks allows: the guard of this process decides what they load.
pub(super) fn check_egress(page: &RemotePage, own: &RenderSettings) -> Result<(), String> {
    let missing = |entries: &[String], others: &[String]| {
        let missing = entries.iter().find(|entry| !others.contains(entry));
        missing.cloned()
    };
    if let Some(entry) = missing(&page.denied, &own.denied) {
        return Err(format!(
            "egress.deny of the render process does not list {entry}: give it the same egress.deny as the process that asks"
        ));
    }
    if let Some(entry) = missing(&own.allowed, &page.allowed) {
        return Err(format!(
            "egress.allow of the render process lists {entry}, which the process that asks does not allow: give both the same egress.allow"
        ));
    }
    if own.allow_private && !page.allow_private {
        let message = "egress.allow_private is true in the render process and false in the process that asks: give both the same value";
        return Err(message.to_owned());
    }
    Ok(())
}

async fn within<T>(work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(IO_TIMEOUT, work)
        .await
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
