//! [`Fetch`] by browser: a pool of tabs in one browser.
//!
//! A page gets an idle tab of its visit, or a new one. After the page is done the tab is cleaned: scripts are stopped and
//! storage is cleared. The caller already has its response by then, and with several tabs the next page may start in an
//! extra tab meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::Poll;
use std::time::Duration;

use crawler_fetch::{Accept, Egress, Fetch, FetchRequest, Fetched, HttpFetch, TabMeter};
use crawler_model::{FailKind, Failure, lock};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::browser::Browser;
use crate::browser_supervisor::BrowserSupervisor;
use crate::page_request::{PageRequest, RenderedPage};
use crate::tab::Tab;
use crate::tab_queue::{TabQueue, TabTurn};
use crate::tab_result::TabResult;
use crate::{Chromium, RenderSettings};

/// Maximum time beyond a page's deadline; with the overhead before and after, two seconds.
const HARD_LIMIT: Duration = Duration::from_millis(1_750);
/// Minimum and maximum time to open a tab before the browser is replaced.
const OPEN_TIMEOUT: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// Cleaning a tab takes about a sixth of the time of a page: for this many tabs one extra tab keeps the others busy.
const TABS_PER_EXTRA_TAB: usize = 4;
/// Message for a bug; the log has the details.
pub(crate) const INTERNAL_ERROR: &str = "an internal error occurred in the renderer";
/// Message if the browser took the time of a page.
const NO_TAB_IN_TIME: &str = "the browser is busy or restarting: no tab could be opened in time";
/// A browser that is idle for this long is closed.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// Renders pages in a pool of tabs. The browser starts with the first page. Shared behind an `Arc`.
#[derive(Debug)]
pub struct Renderer {
    settings: Arc<RenderSettings>,
    http: Arc<HttpFetch>,
    egress: Egress,
    supervisor: Arc<BrowserSupervisor>,
    /// One turn per tab.
    tabs: TabQueue,
    /// Permits for tabs that are being cleaned.
    leaving_permits: Arc<Semaphore>,
    idle: Mutex<Vec<Tab>>,
    counts: Arc<Counts>,
    last_used: Mutex<Instant>,
    me: Weak<Self>,
}

/// State of the browser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BrowserState {
    /// Not running: no page has needed it yet, or it was idle.
    NotRunning,
    /// Running.
    Running,
    /// It could not be started, and why; tried again after a delay.
    Down(String),
}

/// Counters of a renderer since its start.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct RenderCounts {
    /// Pages rendered.
    pub pages: u64,
    /// Pages that failed.
    pub failed: u64,
    /// Browsers started.
    pub starts: u64,
    /// Browsers that exited unexpectedly.
    pub deaths: u64,
    /// Page processes that crashed or were killed for exceeding the memory limit.
    pub crashes: u64,
    /// Tabs in use now.
    pub busy: u64,
    /// Connections refused by the guard.
    pub refused: u64,
    /// Requests made by the browser itself; all were refused.
    pub strays: u64,
}

#[derive(Debug, Default)]
struct Counts {
    pages: AtomicU64,
    failed: AtomicU64,
    crashes: AtomicU64,
    busy: AtomicU64,
    refused: AtomicU64,
}

impl Renderer {
    /// Creates a renderer that uses the dialer and headers of a fetcher. Does not start the browser.
    pub fn new(chromium: Chromium, settings: RenderSettings, http: Arc<HttpFetch>) -> Arc<Self> {
        let tabs = settings.tabs.max(1);
        Arc::new_cyclic(|me| Self {
            egress: http.egress(),
            http,
            supervisor: BrowserSupervisor::new(chromium, settings.clone()),
            tabs: TabQueue::new(tabs),
            leaving_permits: Arc::new(Semaphore::new(tabs / TABS_PER_EXTRA_TAB)),
            idle: Mutex::default(),
            counts: Arc::default(),
            last_used: Mutex::new(Instant::now()),
            me: Weak::clone(me),
            settings: Arc::new(settings),
        })
    }

    /// State of the browser.
    pub fn state(&self) -> BrowserState {
        self.supervisor.state()
    }

    /// Returns its settings.
    pub(crate) fn settings(&self) -> &RenderSettings {
        &self.settings
    }

    /// Returns its counters.
    pub fn numbers(&self) -> RenderCounts {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        let (starts, deaths, strays) = self.supervisor.counts();
        RenderCounts {
            pages: get(&counts.pages),
            failed: get(&counts.failed),
            starts,
            deaths,
            crashes: get(&counts.crashes),
            busy: get(&counts.busy),
            refused: get(&counts.refused),
            strays,
        }
    }

    /// Closes the browser and ends all its processes. Pages in flight fail; a later page starts a new browser.
    pub async fn close(&self) {
        lock(&self.idle).clear();
        self.supervisor.close().await;
    }

    /// Renders a page when a tab is free.
    pub(crate) async fn page(&self, request: &PageRequest<'_>) -> Result<RenderedPage, Failure> {
        let (permit, waited) = self.acquire_tab(request).await;
        let start = Instant::now();
        let result = self.render(request, permit).await;
        let counted = match &result {
            Ok(_) => &self.counts.pages,
            Err(_) => &self.counts.failed,
        };
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(RenderedPage {
            result: result?,
            waited,
            browser_time: start.elapsed(),
        })
    }

    /// Waits for a tab permit. Returns it and the time waited.
    async fn acquire_tab(&self, request: &PageRequest<'_>) -> (TabPermit, Duration) {
        let start = Instant::now();
        let mut turn = std::pin::pin!(self.tabs.turn(request.tab_owner));
        let first = std::future::poll_fn(|cx| Poll::Ready(turn.as_mut().poll(cx))).await;
        let (turn, waited) = match first {
            Poll::Ready(turn) => (turn, Duration::ZERO),
            Poll::Pending => (turn.await, start.elapsed()),
        };
        let meter = request.tab_meter.clone();
        let permit = TabPermit::take(turn, Arc::clone(&self.counts), meter);
        (permit, waited)
    }

    async fn render(
        &self,
        request: &PageRequest<'_>,
        mut permit: TabPermit,
    ) -> Result<TabResult, Failure> {
        *lock(&self.last_used) = Instant::now();
        let nav_timeout = request.settings.nav_timeout;
        let deadline = Instant::now() + nav_timeout;
        let mut tab = self.tab(request, deadline).await?;
        let refused = tab.refused();
        let meter = Arc::clone(tab.meter());
        let rendering = tab.render(request, deadline);
        let rendering = timeout_at(deadline + HARD_LIMIT, rendering);
        let result = tokio::select! {
            // The rest of the page, which may be a crash, follows from this.
            biased;
            failure = meter.exceeded() => Err(failure),
            result = rendering => result.unwrap_or_else(|_| {
                let seconds = nav_timeout.as_secs_f32();
                let message = format!("the page did not settle within {seconds} s");
                Err(Failure::new(FailKind::Timeout, message))
            }),
        };
        let refused = tab.refused() - refused;
        self.counts.refused.fetch_add(refused, Ordering::Relaxed);
        match &result {
            Err(failure) if failure.kind == FailKind::Browser && tab.browser().is_alive() => {
                self.counts.crashes.fetch_add(1, Ordering::Relaxed);
            }
            _ => (),
        }
        // Known when the page is returned; cleaning the tab does not count.
        permit.count();
        if let Some(me) = self.me.upgrade() {
            tokio::spawn(async move { me.leave(tab, permit).await });
        }
        result
    }

    /// Cleans a tab and keeps it or closes it. Its permit is released first, unless too many tabs are being cleaned.
    async fn leave(&self, mut tab: Tab, permit: TabPermit) {
        *lock(&self.last_used) = Instant::now();
        let leaving = Arc::clone(&self.leaving_permits).try_acquire_owned();
        let permit = leaving.is_err().then_some(permit);
        let usable = tab.leave().await && !tab.browser().is_expired(&self.settings);
        *lock(&self.last_used) = Instant::now();
        let tab = if usable {
            self.put_back(tab, permit.is_some())
        } else {
            Some(tab)
        };
        drop(permit);
        drop(leaving);
        if let Some(tab) = tab {
            let browser = Arc::downgrade(tab.browser());
            drop(tab);
            self.discard(browser).await;
        }
    }

    /// Keeps a tab for the next page, or returns it if there are enough.
    fn put_back(&self, tab: Tab, holds_permit: bool) -> Option<Tab> {
        let mut idle = lock(&self.idle);
        let free = self.tabs.free();
        // If all permits are taken, the next page will need it soon. Otherwise keep as many as there are permits.
        let limit = match free {
            0 => self.settings.tabs.max(1),
            free => free + usize::from(holds_permit),
        };
        if idle.len() >= limit {
            return Some(tab);
        }
        idle.push(tab);
        None
    }

    /// Cleans up after a closed tab: closes browsers that are due for replacement.
    async fn discard(&self, browser: Weak<Browser>) {
        lock(&self.idle).retain(|tab| !tab.browser().is_expired(&self.settings));
        self.supervisor.check_browser(browser).await;
        lock(&self.idle).retain(|tab| !tab.browser().is_expired(&self.settings));
        self.supervisor.close_expired().await;
    }

    /// Returns a tab for a page: an idle one of the same visit, or a new one.
    async fn tab(&self, request: &PageRequest<'_>, deadline: Instant) -> Result<Tab, Failure> {
        let idle_tab = {
            let mut idle = lock(&self.idle);
            idle.retain(|tab| tab.is_usable() && !tab.browser().is_expired(&self.settings));
            let same = idle.iter().position(|tab| tab.serves(request));
            match same {
                Some(index) => Some(idle.swap_remove(index)),
                // We hold one of the permits: with too many idle tabs, close one.
                None if idle.len() > self.tabs.free() => {
                    drop(idle.remove(0));
                    None
                }
                None => None,
            }
        };
        if let Some(tab) = idle_tab {
            return Ok(tab);
        }
        match self.open(request, deadline).await {
            // The browser was too busy to open a tab, or died: try once more.
            Err(failure) if failure.kind == FailKind::Browser && Instant::now() < deadline => {
                self.open(request, deadline).await
            }
            opened => opened,
        }
    }

    /// Opens a tab in a separate task, so that it is closed properly if the caller is canceled.
    async fn open(&self, request: &PageRequest<'_>, deadline: Instant) -> Result<Tab, Failure> {
        let browser = self.supervisor.browser(deadline).await?;
        self.watch_idle(&browser);
        let opening = Tab::open(
            Arc::clone(&browser),
            Arc::clone(&request.settings),
            self.egress.clone(),
            request.visit,
            request.caller_headers.clone(),
        );
        let [min, max] = OPEN_TIMEOUT;
        let time_limit = (request.settings.nav_timeout / 3).clamp(min, max);
        let tab_deadline = Instant::now() + time_limit;
        let message = match timeout_at(tab_deadline.min(deadline), tokio::spawn(opening)).await {
            Ok(Ok(Ok(tab))) => return self.check_sandbox(tab, &browser).await,
            Ok(Ok(Err(error))) => {
                tracing::warn!(error = error.detail(), "no tab could be opened");
                error.to_string()
            }
            Ok(Err(error)) => {
                tracing::error!(%error, "opening a tab ended in a panic");
                return Err(Failure::new(FailKind::Internal, INTERNAL_ERROR));
            }
            // The time of the page was used up before, by the start of the browser: neither the page nor this tab is slow.
            Err(_) if tab_deadline > deadline => {
                return Err(Failure::new(FailKind::Browser, NO_TAB_IN_TIME));
            }
            Err(_) => "no tab could be opened".to_owned(),
        };
        browser.mark_failed();
        if let Some(me) = self.me.upgrade() {
            let browser = Arc::downgrade(&browser);
            tokio::spawn(async move { me.discard(browser).await });
        }
        Err(Failure::new(FailKind::Browser, message))
    }

    /// Checks that the page processes are sandboxed, unless the sandbox is disabled by configuration.
    async fn check_sandbox(&self, tab: Tab, browser: &Browser) -> Result<Tab, Failure> {
        if !self.settings.sandbox || browser.is_sandboxed().await {
            return Ok(tab);
        }
        let message = "Chromium runs without its sandbox although it is not disabled: look for --no-sandbox in its \
             own settings, or allow that with browser.sandbox: false (BROWSER_SANDBOX=off)";
        drop(tab);
        lock(&self.idle).clear();
        self.supervisor.disable(message).await;
        Err(Failure::new(FailKind::NoBrowser, message))
    }

    /// Closes the browser when it is idle.
    fn watch_idle(&self, browser: &Arc<Browser>) {
        if browser.mark_watched() {
            return;
        }
        let (me, browser) = (Weak::clone(&self.me), Arc::downgrade(browser));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(IDLE_TIMEOUT / 4).await;
                let (Some(me), true) = (me.upgrade(), browser.strong_count() > 0) else {
                    return;
                };
                let is_idle = || {
                    let busy = me.counts.busy.load(Ordering::Relaxed);
                    busy == 0 && lock(&me.last_used).elapsed() >= IDLE_TIMEOUT
                };
                if is_idle() {
                    lock(&me.idle).clear();
                    me.supervisor.close_if_idle(is_idle).await;
                }
                me.supervisor.close_expired().await;
            }
        });
    }
}

impl Fetch for Renderer {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if let Accept::File { .. } = request.accept {
            return self.http.fetch(request).await;
        }
        let page = PageRequest::of(&self.egress, &request, &self.settings);
        self.page(&page)
            .await?
            .into_response(&self.http, request)
            .await
    }
}

/// Permission to use a tab, counted as busy.
struct TabPermit {
    _turn: TabTurn,
    counts: Arc<Counts>,
    taken_at: Instant,
    meter: Option<TabMeter>,
}

impl TabPermit {
    fn take(turn: TabTurn, counts: Arc<Counts>, meter: Option<TabMeter>) -> Self {
        if let Some(meter) = &meter {
            meter.note_taken();
        }
        counts.busy.fetch_add(1, Ordering::Relaxed);
        Self {
            _turn: turn,
            counts,
            taken_at: Instant::now(),
            meter,
        }
    }

    /// Counts the time until now, once.
    fn count(&mut self) {
        if let Some(meter) = self.meter.take() {
            meter.add(self.taken_at.elapsed());
        }
    }
}

impl Drop for TabPermit {
    fn drop(&mut self) {
        self.counts.busy.fetch_sub(1, Ordering::Relaxed);
        self.count();
    }
}
