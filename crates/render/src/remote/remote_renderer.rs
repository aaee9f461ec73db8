//! The client: asks the render process for pages.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_fetch::{Accept, Egress, Fetch, FetchRequest, Fetched, HttpFetch, TabMeter};
use crawler_model::{FailKind, Failure, lock};
use tokio::io::AsyncRead;
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep, timeout};

use super::protocol::{
    RemoteAnswer, RemotePage, RemoteRequest, RemoteStatus, failure, read_document, read_message,
    write_message,
};
use super::server::HEARTBEAT;
use crate::caller_headers::CallerHeaders;
use crate::page_request::RenderedPage;
use crate::tab_result::TabResult;
use crate::{BrowserState, RenderCounts, RenderSettings};

/// How long pages wait for a render process that has just gone away and may be being restarted, and the interval between attempts
/// to connect. If it is away for longer, pages fail at once.
const CONNECT_WAIT: Duration = Duration::from_secs(2);
const CONNECT_INTERVAL: Duration = Duration::from_millis(100);
/// Time limit for one attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// A render process that sends nothing for this long does not work.
const SILENCE_LIMIT: Duration = Duration::from_secs(15);
/// Time limit for its state, and how long an answer is used: anyone can ask for `/readyz`.
const STATUS_TIMEOUT: Duration = Duration::from_secs(1);
const STATUS_LIFETIME: Duration = Duration::from_millis(200);

/// Renders pages in another process.
#[derive(Debug)]
pub struct RemoteRenderer {
    socket: PathBuf,
    settings: RenderSettings,
    http: Arc<HttpFetch>,
    egress: Egress,
    /// Keeps the visits of this process apart from those of others.
    visits: RandomState,
    /// Since when it cannot be reached.
    away_since: Mutex<Option<Instant>>,
    /// Its last answer. Locked while it is asked.
    status: tokio::sync::Mutex<Option<(Instant, BrowserState, RenderCounts)>>,
    pages: AtomicU64,
    failed: AtomicU64,
    busy: AtomicU64,
}

impl RemoteRenderer {
    /// Creates a client for the render process at this socket. Does not connect.
    pub fn new(socket: PathBuf, settings: RenderSettings, http: Arc<HttpFetch>) -> Self {
        const { assert!(SILENCE_LIMIT.as_secs() > 5 * HEARTBEAT.as_secs()) };
        Self {
            socket,
            settings,
            egress: http.egress(),
            http,
            visits: RandomState::new(),
            away_since: Mutex::default(),
            status: tokio::sync::Mutex::default(),
            pages: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            busy: AtomicU64::new(0),
        }
    }

    /// Returns its socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Asks for the state of the browser, and for its counters; pages are those of this process.
    pub async fn status(&self) -> (BrowserState, RenderCounts) {
        let mut known = self.status.lock().await;
        let recent = known
            .clone()
            .filter(|(at, ..)| at.elapsed() < STATUS_LIFETIME);
        let (_, state, counts) = if let Some(recent) = recent {
            recent
        } else {
            let asked = timeout(STATUS_TIMEOUT, self.ask_status()).await;
            let asked = asked.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
            let (state, counts) = match asked {
                Ok(status) => {
                    self.note_reached();
                    (status.state(), status.counts)
                }
                Err(error) => {
                    self.note_unreachable(&error);
                    (
                        BrowserState::Down(UNREACHABLE.to_owned()),
                        RenderCounts::default(),
                    )
                }
            };
            known.insert((Instant::now(), state, counts)).clone()
        };
        drop(known);
        let counts = RenderCounts {
            pages: self.pages.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            busy: self.busy.load(Ordering::Relaxed),
            ..counts
        };
        (state, counts)
    }

    async fn ask_status(&self) -> io::Result<RemoteStatus> {
        let mut stream = UnixStream::connect(&self.socket).await?;
        write_message(&mut stream, &RemoteRequest::Status).await?;
        match read_message(&mut stream).await? {
            Some(RemoteAnswer::Status(status)) => Ok(status),
            _ => Err(io::Error::other("unexpected answer")),
        }
    }

    /// Asks for a page. If the render process ends while the page waits for a tab, asks the one that follows it, once.
    async fn page(
        &self,
        request: &FetchRequest<'_>,
        tab: &mut RemoteTab<'_>,
    ) -> Result<RenderedPage, Failure> {
        let stream = self.connect().await?;
        let mut answer = self.ask_page(stream, request, tab).await;
        if let Err(error) = &answer
            && has_ended(error)
            && tab.taken_at.is_none()
        {
            let stream = self.connect().await?;
            answer = self.ask_page(stream, request, tab).await;
        }
        answer.unwrap_or_else(|error| Err(broken(&error, tab.taken_at.is_some())))
    }

    /// Asks for a page over this connection. An error is one of the connection.
    async fn ask_page(
        &self,
        mut stream: UnixStream,
        request: &FetchRequest<'_>,
        tab: &mut RemoteTab<'_>,
    ) -> io::Result<Result<RenderedPage, Failure>> {
        let message = RemoteRequest::Page(Box::new(self.message(request)));
        in_time(write_message(&mut stream, &message)).await?;
        tab.sent_at = Instant::now();
        self.read_page(&mut stream, tab).await
    }

    pub(super) fn message(&self, request: &FetchRequest<'_>) -> RemotePage {
        let settings = &self.settings;
        RemotePage {
            url: request.url.as_str().to_owned(),
            any_status: request.accept == Accept::Document,
            visit: self.visits.hash_one(request.visit),
            headers: CallerHeaders::of(&self.egress, request).into_headers(),
            nav_timeout: settings.nav_timeout,
            idle_timeout: settings.idle_timeout,
            viewport: settings.viewport,
            user_agent: settings.user_agent.clone(),
            added_agent: self.egress.user_agent().to_owned(),
            blocked: settings.blocked.clone(),
            max_body: settings.max_body,
            denied: settings.denied.clone(),
            allowed: settings.allowed.clone(),
            allow_private: settings.allow_private,
            tab_owner: request.tab_owner,
        }
    }

    /// Reads heartbeats, and then the page.
    async fn read_page(
        &self,
        stream: &mut (impl AsyncRead + Unpin),
        tab: &mut RemoteTab<'_>,
    ) -> io::Result<Result<RenderedPage, Failure>> {
        let answer = loop {
            match in_time(read_message(stream)).await? {
                None => (),
                Some(RemoteAnswer::Started) => tab.take(),
                Some(answer) => break answer,
            }
        };
        Ok(match answer {
            RemoteAnswer::Page(head) => {
                tab.report(head.browser_time);
                let body = match head.body {
                    Some(length) => {
                        let max_body = self.settings.max_body;
                        Some(in_time(read_document(stream, length, max_body)).await?)
                    }
                    None => None,
                };
                Ok(head.into_page(body))
            }
            RemoteAnswer::NotHtml {
                waited,
                browser_time,
            } => {
                tab.report(browser_time);
                Ok(RenderedPage {
                    result: TabResult::NotHtml,
                    waited,
                    browser_time,
                })
            }
            RemoteAnswer::Failed {
                kind,
                message,
                browser_time,
            } => {
                tab.report(browser_time);
                Err(failure(&kind, message))
            }
            RemoteAnswer::Started | RemoteAnswer::Status(_) => {
                return Err(io::Error::other("unexpected answer"));
            }
        })
    }

    /// Connects. A render process that was just killed is started again by its supervisor, so a page waits for it.
    async fn connect(&self) -> Result<UnixStream, Failure> {
        loop {
            let connected = timeout(CONNECT_TIMEOUT, UnixStream::connect(&self.socket)).await;
            let error = match connected {
                Ok(Ok(stream)) => {
                    self.note_reached();
                    return Ok(stream);
                }
                Ok(Err(error)) => error,
                Err(_) => io::ErrorKind::TimedOut.into(),
            };
            if self.note_unreachable(&error) >= CONNECT_WAIT {
                return Err(Failure::new(FailKind::BrowserUnavailable, UNREACHABLE));
            }
            sleep(CONNECT_INTERVAL).await;
        }
    }

    fn note_reached(&self) {
        if lock(&self.away_since).take().is_some() {
            tracing::info!("the render process can be reached again");
        }
    }

    /// Logs when the render process cannot be reached any more. Returns for how long that has been so.
    fn note_unreachable(&self, error: &io::Error) -> Duration {
        let now = Instant::now();
        let mut away_since = lock(&self.away_since);
        if let Some(since) = *away_since {
            return now.duration_since(since);
        }
        *away_since = Some(now);
        drop(away_since);
        tracing::warn!(
            socket = %self.socket.display(),
            reason = reason(error),
            "the render process at browser.socket cannot be reached; is `crawler serve --mode render` running?"
        );
        Duration::ZERO
    }
}

/// Message for callers, who need not know where the socket is.
const UNREACHABLE: &str = "the render process cannot be reached";

fn reason(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such socket",
        io::ErrorKind::ConnectionRefused => "nothing listens on it",
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::TimedOut => "it does not respond",
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => "it has ended",
        _ => "it cannot be used",
    }
}

/// Waits for something that the render process sends or takes.
async fn in_time<T>(exchange: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    let exchanged = timeout(SILENCE_LIMIT, exchange).await;
    exchanged.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

fn has_ended(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}

/// The failure of a page whose connection broke. If it had a tab, it may be the reason.
fn broken(error: &io::Error, had_tab: bool) -> Failure {
    let (message, is_away) = match error.kind() {
        _ if has_ended(error) => ("the render process ended", true),
        io::ErrorKind::TimedOut => ("the render process does not respond", true),
        _ => ("the render process sent an invalid answer", false),
    };
    let kind = if is_away && !had_tab {
        FailKind::BrowserUnavailable
    } else {
        FailKind::Browser
    };
    Failure::new(kind, message)
}

/// Counts a page in flight.
struct BusyPage<'a>(&'a AtomicU64);

impl<'a> BusyPage<'a> {
    fn new(busy: &'a AtomicU64) -> Self {
        busy.fetch_add(1, Ordering::Relaxed);
        Self(busy)
    }
}

impl Drop for BusyPage<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts the time for which a tab is held: as the render process reports it, or, for a page that nobody waits for any more, from
/// when it had a tab.
struct RemoteTab<'a> {
    meter: Option<&'a TabMeter>,
    /// When the page was sent; before that, no tab can be held for it.
    sent_at: Instant,
    taken_at: Option<Instant>,
    limit: Duration,
    reported: Option<Duration>,
}

impl<'a> RemoteTab<'a> {
    fn new(meter: Option<&'a TabMeter>, limit: Duration) -> Self {
        Self {
            meter,
            sent_at: Instant::now(),
            taken_at: None,
            limit,
            reported: None,
        }
    }

    /// Records that the page has a tab.
    fn take(&mut self) {
        if self.taken_at.is_none() {
            self.taken_at = Some(Instant::now());
            if let Some(meter) = self.meter {
                meter.note_taken();
            }
        }
    }

    /// Records for how long a tab was held.
    fn report(&mut self, held: Duration) {
        if held > Duration::ZERO {
            self.take();
        }
        // It runs the pages of strangers: what it reports is bounded by the time that passed here.
        self.reported = Some(held.min(self.sent_at.elapsed()));
    }
}

impl Drop for RemoteTab<'_> {
    fn drop(&mut self) {
        let Some(meter) = self.meter else { return };
        let since_taken = self.taken_at.map(|at| at.elapsed().min(self.limit));
        if let Some(held) = self.reported.or(since_taken) {
            meter.add(held);
        }
    }
}

impl Fetch for RemoteRenderer {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if let Accept::File { .. } = request.accept {
            return self.http.fetch(request).await;
        }
        let busy = BusyPage::new(&self.busy);
        let mut tab = RemoteTab::new(request.tab_meter, self.settings.nav_timeout);
        let page = self.page(&request, &mut tab).await;
        let page = page.map(|page| RenderedPage {
            waited: page.waited.min(tab.sent_at.elapsed()),
            browser_time: page.browser_time.min(tab.sent_at.elapsed()),
            ..page
        });
        drop((tab, busy));
        let counted = match &page {
            Ok(_) => &self.pages,
            Err(_) => &self.failed,
        };
        counted.fetch_add(1, Ordering::Relaxed);
        page?.into_response(&self.http, request).await
    }
}
