//! The browser as a fetcher: a pool of tabs over one browser at a time.
//!
//! A page gets a tab of its own visit or a new one. When it is over its tab is left: what ran in it does not go on, and what
//! it kept is cleared. Whoever asked for the page has the answer already, and where there are several tabs the next page
//! begins in one more of them; it is closed as soon as nobody waits for a place.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use fetch::{Egress, Fetch, FetchRequest, Fetched, HttpFetch, Want};
use model::{FailKind, Failure, JsPolicy, RenderReason, Rendering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::browser::Browser;
use crate::making::Made;
use crate::own_headers::OwnHeaders;
use crate::stand::Stand;
use crate::tab::Tab;
use crate::{Chromium, RenderSettings};

/// What a page may take beyond its own time, whatever it does: with what comes before and after, two seconds.
const HARD_END: Duration = Duration::from_millis(1_750);
/// A tab is open within a part of a page's time, this at least and this at most, or its browser is replaced.
const OPEN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// Leaving a page takes about a sixth of the time it was there: so many tabs need one more to keep their places busy.
const TABS_TO_ONE_LEFT: usize = 4;
/// A browser nobody needed for so long is put away.
const PUT_AWAY: Duration = Duration::from_mins(1);

/// Renders pages in a pool of tabs. The browser is started with the first page. Shared behind an `Arc`.
#[derive(Debug)]
pub struct Renderer {
    settings: RenderSettings,
    http: Arc<HttpFetch>,
    egress: Egress,
    stand: Arc<Stand>,
    /// One place for each tab.
    room: Arc<Semaphore>,
    /// And some for those that are being left.
    leaving: Arc<Semaphore>,
    idle: Mutex<Vec<Tab>>,
    counts: Arc<Counts>,
    last_used: Mutex<Instant>,
    me: Weak<Self>,
}

/// How the browser is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BrowserState {
    /// Not started: no page needed it yet, or it was put away.
    Asleep,
    /// Running.
    Running,
    /// It cannot be started, and why; tried again after a pause.
    Down(String),
}

/// A renderer's numbers since its start.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RenderNumbers {
    /// Pages rendered.
    pub pages: u64,
    /// Pages that could not be.
    pub failed: u64,
    /// Browsers started.
    pub starts: u64,
    /// Browsers that died without being asked to.
    pub deaths: u64,
    /// Page processes that crashed or were ended for their memory.
    pub crashes: u64,
    /// Tabs at work now.
    pub busy: u64,
    /// Connections the guard refused.
    pub refused: u64,
    /// Requests of the browser's own, none of which went anywhere.
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
    /// A renderer that dials, and sends headers, as this fetcher does. Starts nothing.
    pub fn new(chromium: Chromium, settings: RenderSettings, http: Arc<HttpFetch>) -> Arc<Self> {
        let tabs = settings.tabs.max(1);
        Arc::new_cyclic(|me| Self {
            egress: http.egress(),
            http,
            stand: Stand::new(chromium, settings.clone()),
            room: Arc::new(Semaphore::new(tabs)),
            leaving: Arc::new(Semaphore::new(tabs / TABS_TO_ONE_LEFT)),
            idle: Mutex::default(),
            counts: Arc::default(),
            last_used: Mutex::new(Instant::now()),
            me: Weak::clone(me),
            settings,
        })
    }

    /// How the browser is.
    pub fn state(&self) -> BrowserState {
        self.stand.state()
    }

    /// Its numbers.
    pub fn numbers(&self) -> RenderNumbers {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        let (starts, deaths, strays) = self.stand.counts();
        RenderNumbers {
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

    /// Ends the browser and all its processes. What is in flight fails; a later page starts a new one.
    pub async fn close(&self) {
        lock(&self.idle).clear();
        self.stand.close().await;
    }

    /// A tab's place, and how long it was waited for.
    async fn seat(&self) -> Result<(Seat, Duration), Failure> {
        let begun = Instant::now();
        let (room, waited) = if let Ok(room) = Arc::clone(&self.room).try_acquire_owned() {
            (Ok(room), Duration::ZERO)
        } else {
            let room = Arc::clone(&self.room).acquire_owned().await;
            (room, begun.elapsed())
        };
        let closed = |_| Failure::new(FailKind::NoBrowser, "the browser is closed");
        let seat = Seat::take(room.map_err(closed)?, Arc::clone(&self.counts));
        Ok((seat, waited))
    }

    async fn render(&self, request: &FetchRequest<'_>, seat: Seat) -> Result<Fetched, Failure> {
        *lock(&self.last_used) = Instant::now();
        let deadline = Instant::now() + self.settings.nav_timeout;
        let mut tab = self.tab(request, deadline).await?;
        let refused = tab.refused();
        let rendering = tab.render(request, &self.settings, deadline);
        let made = timeout_at(deadline + HARD_END, rendering).await;
        let made = made.unwrap_or_else(|_| {
            let seconds = self.settings.nav_timeout.as_secs_f32();
            let words = format!("the page did not come to rest within {seconds} s");
            Err(Failure::new(FailKind::Timeout, words))
        });
        let refused = tab.refused() - refused;
        self.counts.refused.fetch_add(refused, Ordering::Relaxed);
        match &made {
            Err(failure) if failure.kind == FailKind::Browser && tab.browser().is_alive() => {
                self.counts.crashes.fetch_add(1, Ordering::Relaxed);
            }
            _ => (),
        }
        if let Some(me) = self.me.upgrade() {
            tokio::spawn(async move { me.leave(tab, seat).await });
        }
        match made? {
            Made::Answer(answer) => Ok(*answer),
            Made::NotHtml => {
                let plain = FetchRequest {
                    js: JsPolicy::Never,
                    ..*request
                };
                let mut answer = self.http.fetch(plain).await?;
                answer.rendering = Some(Rendering::not(RenderReason::NotHtml));
                Ok(answer)
            }
        }
    }

    /// Leaves a page, and keeps its tab or not. Its place is free meanwhile, unless too many are being left.
    async fn leave(&self, mut tab: Tab, seat: Seat) {
        *lock(&self.last_used) = Instant::now();
        let leaving = Arc::clone(&self.leaving).try_acquire_owned();
        let seat = leaving.is_err().then_some(seat);
        let fit = tab.leave().await && !tab.browser().is_tired(&self.settings);
        *lock(&self.last_used) = Instant::now();
        let tab = if fit {
            self.put_back(tab, seat.is_some())
        } else {
            Some(tab)
        };
        drop(seat);
        drop(leaving);
        if let Some(tab) = tab {
            let browser = Arc::downgrade(tab.browser());
            drop(tab);
            self.let_go(browser).await;
        }
    }

    /// Keeps a tab for the next page, or returns it where there are enough.
    fn put_back(&self, tab: Tab, holds_seat: bool) -> Option<Tab> {
        let mut idle = lock(&self.idle);
        let free = self.room.available_permits();
        // While all places are taken the next page is about to need it. Else there are as many as places in all.
        let most = match free {
            0 => self.settings.tabs.max(1),
            free => free + usize::from(holds_seat),
        };
        if idle.len() >= most {
            return Some(tab);
        }
        idle.push(tab);
        None
    }

    /// A tab is not used again.
    async fn let_go(&self, browser: Weak<Browser>) {
        lock(&self.idle).retain(|tab| !tab.browser().is_tired(&self.settings));
        self.stand.look_after(browser).await;
        lock(&self.idle).retain(|tab| !tab.browser().is_tired(&self.settings));
        self.stand.tidy().await;
    }

    /// A tab for a page: one of the same visit if there is one, else a new one.
    async fn tab(&self, request: &FetchRequest<'_>, deadline: Instant) -> Result<Tab, Failure> {
        let own = OwnHeaders::of(&self.egress, request);
        let kept = {
            let mut idle = lock(&self.idle);
            idle.retain(|tab| tab.is_fit() && !tab.browser().is_tired(&self.settings));
            let same = idle.iter().position(|tab| tab.serves(request.visit, &own));
            match same {
                Some(at) => Some(idle.swap_remove(at)),
                // We hold one of the places: with as many idle tabs as places one of them must go.
                None if idle.len() > self.room.available_permits() => {
                    drop(idle.remove(0));
                    None
                }
                None => None,
            }
        };
        if let Some(tab) = kept {
            return Ok(tab);
        }
        match self.open(request.visit, &own, deadline).await {
            // A browser that is too busy to open a tab, or died of it: the next one may not be.
            Err(failure) if failure.kind == FailKind::Browser && Instant::now() < deadline => {
                self.open(request.visit, &own, deadline).await
            }
            opened => opened,
        }
    }

    /// Opens a tab, in a task of its own: half a tab that somebody did not wait for is closed when it is whole.
    async fn open(&self, visit: u64, own: &OwnHeaders, deadline: Instant) -> Result<Tab, Failure> {
        let browser = self.stand.running(deadline).await?;
        self.keep_watch(&browser);
        let opening = Tab::open(
            Arc::clone(&browser),
            self.settings.clone(),
            self.egress.clone(),
            visit,
            own.clone(),
        );
        let [least, most] = OPEN;
        let patience = (self.settings.nav_timeout / 3).clamp(least, most);
        let enough = Instant::now() + patience;
        let words = match timeout_at(enough.min(deadline), tokio::spawn(opening)).await {
            Ok(Ok(Ok(tab))) => return self.checked(tab, &browser).await,
            Ok(Ok(Err(error))) => error.to_string(),
            Ok(Err(error)) => return Err(Failure::new(FailKind::Internal, error.to_string())),
            // It is we who are late, not the browser.
            Err(_) if enough > deadline => {
                return Err(Failure::new(FailKind::Timeout, "no tab was open in time"));
            }
            Err(_) => "no tab could be opened".to_owned(),
        };
        browser.give_up();
        if let Some(me) = self.me.upgrade() {
            let browser = Arc::downgrade(&browser);
            tokio::spawn(async move { me.let_go(browser).await });
        }
        Err(Failure::new(FailKind::Browser, words))
    }

    /// Looks whether the page processes are in their sandbox, unless somebody asked to do without.
    async fn checked(&self, tab: Tab, browser: &Browser) -> Result<Tab, Failure> {
        if !self.settings.sandbox || browser.is_sandboxed().await {
            return Ok(tab);
        }
        let words = "Chromium runs without its sandbox although nobody asked for that: look for --no-sandbox in its \
             own settings, or allow it with browser.sandbox: false (BROWSER_SANDBOX=off)";
        drop(tab);
        lock(&self.idle).clear();
        self.stand.refuse(words).await;
        Err(Failure::new(FailKind::NoBrowser, words))
    }

    /// Puts a browser away when nobody needs it any more.
    fn keep_watch(&self, browser: &Arc<Browser>) {
        if browser.is_watched() {
            return;
        }
        let (me, browser) = (Weak::clone(&self.me), Arc::downgrade(browser));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(PUT_AWAY / 4).await;
                let (Some(me), true) = (me.upgrade(), browser.strong_count() > 0) else {
                    return;
                };
                let nobody = || {
                    let busy = me.counts.busy.load(Ordering::Relaxed);
                    busy == 0 && lock(&me.last_used).elapsed() >= PUT_AWAY
                };
                if nobody() {
                    lock(&me.idle).clear();
                    me.stand.put_away(nobody).await;
                }
                me.stand.tidy().await;
            }
        });
    }
}

impl Fetch for Renderer {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if let Want::File { .. } = request.want {
            return self.http.fetch(request).await;
        }
        let (seat, waited) = self.seat().await?;
        let begun = Instant::now();
        let rendered = self.render(&request, seat).await;
        let counted = match &rendered {
            Ok(_) => &self.counts.pages,
            Err(_) => &self.counts.failed,
        };
        counted.fetch_add(1, Ordering::Relaxed);
        rendered.map(|mut answer| {
            answer.elapsed = begun.elapsed();
            answer.rendering = answer.rendering.map(|rendering| rendering.after(waited));
            answer
        })
    }
}

/// A tab's place, taken.
struct Seat {
    _room: OwnedSemaphorePermit,
    counts: Arc<Counts>,
}

impl Seat {
    fn take(room: OwnedSemaphorePermit, counts: Arc<Counts>) -> Self {
        counts.busy.fetch_add(1, Ordering::Relaxed);
        Self {
            _room: room,
            counts,
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.counts.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
