//! Keeps one browser available: starts it when a page needs it, replaces it when it is due, restarts it when it dies, and
//! closes it when it is idle.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use crawler_model::{FailKind, Failure, lock};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::browser::{Browser, StartError};
use crate::renderer::INTERNAL_ERROR;
use crate::{BrowserState, Chromium, RenderSettings};

/// First and maximum delay after a failed start or an early death.
const RESTART_BACKOFF: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(30)];
/// Maximum delay that a page waits for; if the delay is longer, the page fails temporarily.
const MAX_START_WAIT: Duration = Duration::from_secs(3);
/// After this many failed starts in a row, pages fail without waiting.
const MAX_START_FAILURES: u32 = 3;
/// A browser that lived this long counts as healthy.
const MIN_HEALTHY_LIFETIME: Duration = Duration::from_secs(20);

/// Supervises the one browser.
#[derive(Debug)]
pub(crate) struct BrowserSupervisor {
    chromium: Chromium,
    settings: RenderSettings,
    /// Locked while a browser is being started.
    slot: tokio::sync::Mutex<Slot>,
    state: Mutex<State>,
    /// Browsers that are being closed.
    closing: Mutex<JoinSet<()>>,
    starts: AtomicU64,
    deaths: AtomicU64,
    /// Requests made by the browsers themselves, including those that are being retired or closed.
    strays: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Slot {
    browser: Option<Arc<Browser>>,
    /// Browsers that are due for replacement but still have busy tabs.
    retiring: Vec<Arc<Browser>>,
    /// Failed starts and early deaths in a row.
    failures: u32,
    not_before: Option<Instant>,
    /// Why the browser cannot start until the configuration changes.
    permanent_error: Option<String>,
}

/// The reported state. Whether a running browser has died is checked when the state is read.
#[derive(Debug, Default)]
struct State {
    running: Weak<Browser>,
    down: Option<String>,
}

impl BrowserSupervisor {
    pub(crate) fn new(chromium: Chromium, settings: RenderSettings) -> Arc<Self> {
        Arc::new(Self {
            chromium,
            settings,
            slot: tokio::sync::Mutex::default(),
            state: Mutex::default(),
            closing: Mutex::default(),
            starts: AtomicU64::new(0),
            deaths: AtomicU64::new(0),
            strays: Arc::default(),
        })
    }

    /// Returns the state of the browser.
    pub(crate) fn state(&self) -> BrowserState {
        let state = lock(&self.state);
        match (&state.down, state.running.upgrade()) {
            (Some(message), _) => BrowserState::Down(message.clone()),
            (None, None) => BrowserState::NotRunning,
            (None, Some(browser)) if browser.is_alive() => BrowserState::Running,
            (None, Some(_)) => BrowserState::Down(
                "the browser exited unexpectedly; the next page starts a new one".to_owned(),
            ),
        }
    }

    /// Returns the numbers of browsers started, of unexpected exits, and of requests made by the browsers themselves.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (get(&self.starts), get(&self.deaths), get(&self.strays))
    }

    /// Returns the browser, starting it if necessary. The start is a separate task, so that it completes for other
    /// callers if this one is canceled.
    pub(crate) async fn browser(
        self: &Arc<Self>,
        deadline: Instant,
    ) -> Result<Arc<Browser>, Failure> {
        let me = Arc::clone(self);
        let starting = tokio::spawn(async move { me.start_or_reuse(deadline).await });
        match timeout_at(deadline, starting).await {
            Ok(Ok(browser)) => browser,
            Ok(Err(error)) => {
                tracing::error!(%error, "the start of the browser ended in a panic");
                Err(Failure::new(FailKind::Internal, INTERNAL_ERROR))
            }
            Err(_) => Err(self.busy()),
        }
    }

    /// Returns the failure for a caller that could not wait for the start, with the reason of the last failed start.
    fn busy(&self) -> Failure {
        let down = lock(&self.state).down.clone();
        let message = down.unwrap_or_else(|| "the browser is restarting".to_owned());
        Failure::new(FailKind::Browser, message)
    }

    async fn start_or_reuse(&self, deadline: Instant) -> Result<Arc<Browser>, Failure> {
        let mut slot = self.slot.lock().await;
        if let Some(browser) = slot.browser.clone() {
            if browser.is_alive() && !browser.is_expired(&self.settings) {
                return Ok(browser);
            }
            self.retire(&mut slot);
        }
        self.close_retired(&mut slot);
        if let Some(then) = slot.not_before.filter(|then| *then > Instant::now()) {
            if let Some(message) = &slot.permanent_error {
                // Fail at once; the problem may be fixed when the delay is over.
                return Err(Failure::new(FailKind::NoBrowser, message.as_str()));
            }
            if then > deadline.min(Instant::now() + MAX_START_WAIT) {
                return Err(self.busy());
            }
            sleep_until(then).await;
        }
        match Browser::start(&self.chromium, &self.settings, &self.strays).await {
            Ok(browser) => {
                self.starts.fetch_add(1, Ordering::Relaxed);
                slot.permanent_error = None;
                slot.browser = Some(Arc::clone(&browser));
                *lock(&self.state) = State {
                    running: Arc::downgrade(&browser),
                    down: None,
                };
                Ok(browser)
            }
            Err(error) => {
                tracing::warn!(%error, "the browser did not start");
                let message = error.to_string();
                slot.record_failure();
                let kind = match error {
                    StartError::Temporary(_) if slot.failures < MAX_START_FAILURES => {
                        FailKind::Browser
                    }
                    // It fails every time: do not make pages wait.
                    _ => FailKind::NoBrowser,
                };
                slot.permanent_error = (kind == FailKind::NoBrowser).then(|| message.clone());
                lock(&self.state).down = Some(message.clone());
                Err(Failure::new(kind, message))
            }
        }
    }

    /// Removes the browser from its slot: it is dead or due for replacement.
    fn retire(&self, slot: &mut Slot) {
        let Some(browser) = slot.browser.take() else {
            return;
        };
        if browser.age() >= MIN_HEALTHY_LIFETIME {
            slot.failures = 0;
            slot.not_before = None;
        } else if !browser.is_alive() || browser.is_failed() {
            slot.record_failure();
        }
        if browser.is_alive() {
            slot.retiring.push(browser);
        } else {
            self.deaths.fetch_add(1, Ordering::Relaxed);
            self.close_in_background(browser);
        }
    }

    /// Disables rendering until the configuration changes.
    pub(crate) async fn disable(&self, message: &str) {
        tracing::warn!(reason = message, "pages cannot be rendered");
        let mut slot = self.slot.lock().await;
        if let Some(browser) = slot.browser.take() {
            self.close_in_background(browser);
        }
        slot.record_failure();
        slot.permanent_error = Some(message.to_owned());
        lock(&self.state).down = Some(message.to_owned());
    }

    /// Checks the browser of a discarded tab and closes retired browsers without tabs.
    pub(crate) async fn check_browser(&self, browser: Weak<Browser>) {
        if let Some(browser) = browser.upgrade()
            && !browser.responds().await
        {
            tracing::debug!("the browser does not respond");
            browser.mark_failed();
        }
        self.close_expired().await;
    }

    /// Retires a browser that is due for replacement and closes retired ones without tabs.
    pub(crate) async fn close_expired(&self) {
        let mut slot = self.slot.lock().await;
        if let Some(browser) = &slot.browser
            && browser.is_alive()
            && browser.is_expired(&self.settings)
        {
            self.retire(&mut slot);
        }
        self.close_retired(&mut slot);
    }

    fn close_retired(&self, slot: &mut Slot) {
        let (done, busy): (Vec<_>, Vec<_>) = std::mem::take(&mut slot.retiring)
            .into_iter()
            .partition(|browser| browser.is_empty() || !browser.is_alive());
        slot.retiring = busy;
        for browser in done {
            self.close_in_background(browser);
        }
    }

    /// Closes the browser if `is_idle`, which is called while no browser can be handed out.
    pub(crate) async fn close_if_idle(&self, is_idle: impl Fn() -> bool) {
        let mut slot = self.slot.lock().await;
        if is_idle()
            && let Some(browser) = slot.browser.take()
        {
            tracing::debug!("closing the idle browser");
            self.close_in_background(browser);
        }
    }

    /// Closes all browsers and waits until they have exited.
    pub(crate) async fn close(&self) {
        let mut slot = self.slot.lock().await;
        let old = std::mem::take(&mut slot.retiring);
        for browser in slot.browser.take().into_iter().chain(old) {
            self.close_in_background(browser);
        }
        lock(&self.state).running = Weak::new();
        drop(slot);
        let mut closing = std::mem::take(&mut *lock(&self.closing));
        while closing.join_next().await.is_some() {}
    }

    /// Closes a browser in the background; only [`Self::close`] waits for it.
    fn close_in_background(&self, browser: Arc<Browser>) {
        let mut state = lock(&self.state);
        if std::ptr::eq(state.running.as_ptr(), Arc::as_ptr(&browser)) {
            state.running = Weak::new();
        }
        drop(state);
        let mut closing = lock(&self.closing);
        closing.spawn(async move { browser.close().await });
        while closing.try_join_next().is_some() {}
    }
}

impl Slot {
    fn record_failure(&mut self) {
        let [first, max] = RESTART_BACKOFF;
        let pause = first.saturating_mul(1 << self.failures.min(16)).min(max);
        self.failures += 1;
        self.not_before = Some(Instant::now() + pause);
    }
}
