//! The browser as a fetcher: a pool of tabs over one browser at a time.
//!
//! The browser is started by the first page, put away when nobody needed it for a while, replaced when it did enough,
//! and started again when it died, with a pause when that happens too often.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use fetch::{Egress, Fetch, FetchRequest, Fetched, HttpFetch, Want};
use model::{FailKind, Failure, JsPolicy, RenderReason, Rendering};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::browser::{Browser, StartError};
use crate::navigation::OwnHeaders;
use crate::tab::{Made, Tab};
use crate::{Chromium, RenderSettings};

/// What a page may take beyond its own time, whatever it does.
const HARD_END: Duration = Duration::from_secs(2);
/// A tab is open within a part of a page's time, this at least and this at most, or its browser is replaced.
const OPEN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// A browser nobody needed for so long is put away.
const PUT_AWAY: Duration = Duration::from_mins(1);
/// The pause after a browser that did not start, or did not last: at first and at most.
const PAUSE: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(30)];
/// A pause that a page waits for; a longer one is a failure that may be tried again.
const WORTH_WAITING: Duration = Duration::from_secs(3);
/// A browser that lasted this long did nothing wrong.
const LASTED: Duration = Duration::from_secs(20);

/// Renders pages in a pool of tabs. The browser is started with the first page. Shared behind an `Arc`.
#[derive(Debug)]
pub struct Renderer {
    chromium: Chromium,
    settings: RenderSettings,
    http: Arc<HttpFetch>,
    egress: Egress,
    /// One for each tab.
    room: Semaphore,
    idle: Mutex<Vec<Tab>>,
    /// Held while one is started.
    browser: tokio::sync::Mutex<Place>,
    state: Mutex<BrowserState>,
    counts: Counts,
    last_used: Mutex<Instant>,
    /// Browsers on their way out.
    ending: Mutex<JoinSet<()>>,
    me: Weak<Self>,
}

/// Where the browser is.
#[derive(Debug, Default)]
struct Place {
    browser: Option<Arc<Browser>>,
    /// Those that did enough, and still have tabs at work.
    old: Vec<Arc<Browser>>,
    /// Starts, and short lives, in a row that went wrong.
    troubles: u32,
    not_before: Option<Instant>,
    /// It will not start as long as nobody changes something, and why.
    never: Option<String>,
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
    starts: AtomicU64,
    deaths: AtomicU64,
    crashes: AtomicU64,
    busy: AtomicU64,
    refused: AtomicU64,
    strays: AtomicU64,
}

impl Renderer {
    /// A renderer that dials, and sends headers, as this fetcher does. Starts nothing.
    pub fn new(chromium: Chromium, settings: RenderSettings, http: Arc<HttpFetch>) -> Arc<Self> {
        let tabs = settings.tabs.max(1);
        Arc::new_cyclic(|me| Self {
            chromium,
            egress: http.egress(),
            http,
            room: Semaphore::new(tabs),
            idle: Mutex::default(),
            browser: tokio::sync::Mutex::default(),
            state: Mutex::new(BrowserState::Asleep),
            counts: Counts::default(),
            last_used: Mutex::new(Instant::now()),
            ending: Mutex::default(),
            me: Weak::clone(me),
            settings,
        })
    }

    /// How the browser is.
    pub fn state(&self) -> BrowserState {
        lock(&self.state).clone()
    }

    /// Its numbers.
    pub fn numbers(&self) -> RenderNumbers {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        RenderNumbers {
            pages: get(&counts.pages),
            failed: get(&counts.failed),
            starts: get(&counts.starts),
            deaths: get(&counts.deaths),
            crashes: get(&counts.crashes),
            busy: get(&counts.busy),
            refused: get(&counts.refused),
            strays: get(&counts.strays),
        }
    }

    /// Ends the browser and all its processes. What is in flight fails; a later page starts a new one.
    pub async fn close(&self) {
        let mut place = self.browser.lock().await;
        lock(&self.idle).clear();
        let old = std::mem::take(&mut place.old);
        for browser in place.browser.take().into_iter().chain(old) {
            self.end(browser);
        }
        *lock(&self.state) = BrowserState::Asleep;
        drop(place);
        let mut ending = std::mem::take(&mut *lock(&self.ending));
        while ending.join_next().await.is_some() {}
    }

    /// Ends a browser, which takes a moment that nobody waits for but whoever closes us.
    fn end(&self, browser: Arc<Browser>) {
        let strays = browser.strays();
        self.counts.strays.fetch_add(strays, Ordering::Relaxed);
        let mut ending = lock(&self.ending);
        ending.spawn(async move { browser.close().await });
        while ending.try_join_next().is_some() {}
    }

    async fn render(&self, request: &FetchRequest<'_>) -> Result<Fetched, Failure> {
        let Ok(_room) = self.room.acquire().await else {
            return Err(Failure::new(FailKind::NoBrowser, "the browser is closed"));
        };
        let _busy = Busy::count(&self.counts.busy);
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
        if tab.is_fit() && !tab.browser().is_tired(&self.settings) {
            lock(&self.idle).push(tab);
        } else {
            let browser = Arc::downgrade(tab.browser());
            drop(tab);
            self.look_after(browser);
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

    /// A tab for a page: one of the same visit if there is one, else a new one.
    async fn tab(&self, request: &FetchRequest<'_>, deadline: Instant) -> Result<Tab, Failure> {
        let own = OwnHeaders::of(&self.egress, request);
        let kept = {
            let mut idle = lock(&self.idle);
            idle.retain(Tab::is_fit);
            let same = idle.iter().position(|tab| tab.serves(request.visit, &own));
            match same {
                Some(at) => Some(idle.swap_remove(at)),
                // We hold one of the places: with as many idle tabs as places one of them must go.
                None if idle.len() >= self.room.available_permits() + 1 => {
                    drop(idle.remove(0));
                    None
                }
                None => None,
            }
        };
        if let Some(tab) = kept {
            return Ok(tab);
        }
        let (tab, browser) = match self.open(request.visit, &own, deadline).await {
            // A browser that is too busy to open a tab, or died of it: the next one may not be.
            Err(failure) if failure.kind == FailKind::Browser => {
                self.open(request.visit, &own, deadline).await?
            }
            opened => opened?,
        };
        if self.settings.sandbox && !browser.is_sandboxed().await {
            let words = "Chromium runs without its sandbox although nobody asked for that: look for --no-sandbox in its \
                 own settings, or allow it with browser.sandbox: false (BROWSER_SANDBOX=off)";
            drop(tab);
            self.close().await;
            let mut place = self.browser.lock().await;
            place.trouble();
            place.never = Some(words.to_owned());
            *lock(&self.state) = BrowserState::Down(words.to_owned());
            return Err(Failure::new(FailKind::NoBrowser, words));
        }
        Ok(tab)
    }

    async fn open(
        &self,
        visit: u64,
        own: &OwnHeaders,
        deadline: Instant,
    ) -> Result<(Tab, Arc<Browser>), Failure> {
        let browser = self.running(deadline).await?;
        let opening = Tab::open(
            Arc::clone(&browser),
            &self.settings,
            self.egress.clone(),
            visit,
            own.clone(),
        );
        let [least, most] = OPEN;
        let patience = (self.settings.nav_timeout / 3).clamp(least, most);
        let words = match timeout_at(deadline.min(Instant::now() + patience), opening).await {
            Ok(Ok(tab)) => return Ok((tab, browser)),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no tab could be opened".to_owned(),
        };
        browser.give_up();
        // It may be the last thing that held it.
        let given_up = Arc::downgrade(&browser);
        drop(browser);
        self.look_after(given_up);
        Err(Failure::new(FailKind::Browser, words))
    }

    /// The browser, started if it must be.
    async fn running(&self, deadline: Instant) -> Result<Arc<Browser>, Failure> {
        let busy = || Failure::new(FailKind::Browser, "the browser is being started again");
        let mut place = timeout_at(deadline, self.browser.lock())
            .await
            .map_err(|_| busy())?;
        if let Some(browser) = place.browser.clone() {
            if browser.is_alive() && !browser.is_tired(&self.settings) {
                return Ok(browser);
            }
            place.browser = None;
            if browser.is_alive() {
                place.old.push(browser);
            } else {
                self.counts.deaths.fetch_add(1, Ordering::Relaxed);
                place.lived(browser.age());
                self.end(browser);
            }
        }
        self.end_old(&mut place);
        if let Some(then) = place.not_before.filter(|then| *then > Instant::now()) {
            if let Some(words) = &place.never {
                // Nobody waits for what will not come; somebody may have mended it when the pause is over.
                return Err(Failure::new(FailKind::NoBrowser, words.as_str()));
            }
            if then > deadline.min(Instant::now() + WORTH_WAITING) {
                return Err(busy());
            }
            sleep_until(then).await;
        }
        match Browser::start(&self.chromium, &self.settings).await {
            Ok(browser) => {
                self.counts.starts.fetch_add(1, Ordering::Relaxed);
                place.never = None;
                *lock(&self.state) = BrowserState::Running;
                place.browser = Some(Arc::clone(&browser));
                *lock(&self.last_used) = Instant::now();
                tokio::spawn(put_away(Weak::clone(&self.me), Arc::downgrade(&browser)));
                Ok(browser)
            }
            Err(error) => {
                place.trouble();
                let words = error.to_string();
                tracing::warn!(%error, "the browser does not start");
                *lock(&self.state) = BrowserState::Down(words.clone());
                let kind = match error {
                    StartError::Never(_) => FailKind::NoBrowser,
                    StartError::Once(_) => FailKind::Browser,
                };
                place.never = (kind == FailKind::NoBrowser).then(|| words.clone());
                Err(Failure::new(kind, words))
            }
        }
    }

    /// After a tab that is not used again: is its browser all right? Ends browsers that did enough and have no tab left.
    fn look_after(&self, browser: Weak<Browser>) {
        if let Some(me) = self.me.upgrade() {
            tokio::spawn(async move {
                if let Some(browser) = browser.upgrade()
                    && !browser.answers().await
                {
                    tracing::debug!("the browser does not answer any more");
                    browser.give_up();
                }
                me.tidy().await;
            });
        }
    }

    async fn tidy(&self) {
        let mut place = self.browser.lock().await;
        if let Some(browser) = place.browser.clone()
            && browser.is_alive()
            && browser.is_tired(&self.settings)
        {
            place.browser = None;
            place.old.push(browser);
        }
        self.end_old(&mut place);
    }

    fn end_old(&self, place: &mut Place) {
        lock(&self.idle).retain(|tab| !tab.browser().is_tired(&self.settings));
        let (over, at_work): (Vec<_>, Vec<_>) = std::mem::take(&mut place.old)
            .into_iter()
            .partition(|browser| Arc::strong_count(browser) == 1 || !browser.is_alive());
        place.old = at_work;
        for browser in over {
            self.end(browser);
        }
    }
}

/// Puts a browser away when nobody needs it.
async fn put_away(renderer: Weak<Renderer>, browser: Weak<Browser>) {
    loop {
        tokio::time::sleep(PUT_AWAY / 4).await;
        let (Some(renderer), Some(_)) = (renderer.upgrade(), browser.upgrade()) else {
            return;
        };
        renderer.tidy().await;
        let idle = lock(&renderer.last_used).elapsed();
        if renderer.counts.busy.load(Ordering::Relaxed) == 0 && idle >= PUT_AWAY {
            tracing::debug!("nobody needs the browser: it is put away");
            renderer.close().await;
            return;
        }
    }
}

impl Place {
    fn trouble(&mut self) {
        let [first, most] = PAUSE;
        let pause = first.saturating_mul(1 << self.troubles.min(16)).min(most);
        self.troubles += 1;
        self.not_before = Some(Instant::now() + pause);
    }

    /// One died without being asked to. Its successor may start at once, unless that happens all the time.
    fn lived(&mut self, age: Duration) {
        if age >= LASTED {
            self.troubles = 0;
            self.not_before = None;
        } else {
            self.trouble();
        }
    }
}

impl Fetch for Renderer {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if let Want::File { .. } = request.want {
            return self.http.fetch(request).await;
        }
        let begun = Instant::now();
        let rendered = self.render(&request).await;
        let counted = match &rendered {
            Ok(_) => &self.counts.pages,
            Err(_) => &self.counts.failed,
        };
        counted.fetch_add(1, Ordering::Relaxed);
        rendered.map(|mut answer| {
            answer.elapsed = begun.elapsed();
            answer
        })
    }
}

/// A tab at work.
struct Busy<'a>(&'a AtomicU64);

impl<'a> Busy<'a> {
    fn count(count: &'a AtomicU64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
