//! Where the browser is: started when somebody needs it, replaced when it did enough, started again when it died, put
//! away when nobody needed it for a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use model::{FailKind, Failure};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::browser::{Browser, StartError};
use crate::{BrowserState, Chromium, RenderSettings};

/// The pause after a browser that did not start, or did not last: at first and at most.
const PAUSE: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(30)];
/// A pause that a page waits for; a longer one is a failure that may be tried again.
const WORTH_WAITING: Duration = Duration::from_secs(3);
/// A browser that did not start so often in a row will not start the next time either, as far as pages are concerned.
const TRIES: u32 = 3;
/// A browser that lasted this long did nothing wrong.
const LASTED: Duration = Duration::from_secs(20);

/// The place of the one browser.
#[derive(Debug)]
pub(crate) struct Stand {
    chromium: Chromium,
    settings: RenderSettings,
    /// Held while one is started.
    place: tokio::sync::Mutex<Place>,
    state: Mutex<State>,
    /// Browsers on their way out.
    ending: Mutex<JoinSet<()>>,
    starts: AtomicU64,
    deaths: AtomicU64,
    strays: AtomicU64,
}

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

/// What is told of it; a browser that died is known by itself.
#[derive(Debug, Default)]
struct State {
    running: Weak<Browser>,
    down: Option<String>,
}

impl Stand {
    pub(crate) fn new(chromium: Chromium, settings: RenderSettings) -> Arc<Self> {
        Arc::new(Self {
            chromium,
            settings,
            place: tokio::sync::Mutex::default(),
            state: Mutex::default(),
            ending: Mutex::default(),
            starts: AtomicU64::new(0),
            deaths: AtomicU64::new(0),
            strays: AtomicU64::new(0),
        })
    }

    /// How it is.
    pub(crate) fn state(&self) -> BrowserState {
        let state = lock(&self.state);
        match (&state.down, state.running.upgrade()) {
            (Some(words), _) => BrowserState::Down(words.clone()),
            (None, None) => BrowserState::Asleep,
            (None, Some(browser)) if browser.is_alive() => BrowserState::Running,
            (None, Some(_)) => {
                BrowserState::Down("the browser died; the next page starts another".to_owned())
            }
        }
    }

    /// Browsers started, browsers that died without being asked to, and requests of their own.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let now = lock(&self.state).running.upgrade();
        let strays = now.map_or(0, |browser| browser.strays());
        (
            get(&self.starts),
            get(&self.deaths),
            get(&self.strays) + strays,
        )
    }

    /// The browser, started if it must be. That is a task of its own: whoever waits may go away, and the browser is
    /// everybody's.
    pub(crate) async fn running(
        self: &Arc<Self>,
        deadline: Instant,
    ) -> Result<Arc<Browser>, Failure> {
        let me = Arc::clone(self);
        let starting = tokio::spawn(async move { me.run(deadline).await });
        match timeout_at(deadline, starting).await {
            Ok(Ok(browser)) => browser,
            Ok(Err(error)) => Err(Failure::new(FailKind::Internal, error.to_string())),
            Err(_) => Err(self.busy()),
        }
    }

    /// Somebody else's start is waited for, or the pause after one that failed; then its reason is the better word.
    fn busy(&self) -> Failure {
        let down = lock(&self.state).down.clone();
        let words = down.unwrap_or_else(|| "the browser is being started again".to_owned());
        Failure::new(FailKind::Browser, words)
    }

    async fn run(&self, deadline: Instant) -> Result<Arc<Browser>, Failure> {
        let mut place = self.place.lock().await;
        if let Some(browser) = place.browser.clone() {
            if browser.is_alive() && !browser.is_tired(&self.settings) {
                return Ok(browser);
            }
            self.replace(&mut place);
        }
        self.end_old(&mut place);
        if let Some(then) = place.not_before.filter(|then| *then > Instant::now()) {
            if let Some(words) = &place.never {
                // Nobody waits for what will not come; somebody may have mended it when the pause is over.
                return Err(Failure::new(FailKind::NoBrowser, words.as_str()));
            }
            if then > deadline.min(Instant::now() + WORTH_WAITING) {
                return Err(self.busy());
            }
            sleep_until(then).await;
        }
        match Browser::start(&self.chromium, &self.settings).await {
            Ok(browser) => {
                self.starts.fetch_add(1, Ordering::Relaxed);
                place.never = None;
                place.browser = Some(Arc::clone(&browser));
                *lock(&self.state) = State {
                    running: Arc::downgrade(&browser),
                    down: None,
                };
                Ok(browser)
            }
            Err(error) => {
                tracing::warn!(%error, "the browser does not start");
                let words = error.to_string();
                place.trouble();
                let kind = match error {
                    StartError::Once(_) if place.troubles < TRIES => FailKind::Browser,
                    // What fails every time is not worth everybody's wait.
                    _ => FailKind::NoBrowser,
                };
                place.never = (kind == FailKind::NoBrowser).then(|| words.clone());
                lock(&self.state).down = Some(words.clone());
                Err(Failure::new(kind, words))
            }
        }
    }

    /// Takes the browser out of its place: it is dead, or did enough.
    fn replace(&self, place: &mut Place) {
        let Some(browser) = place.browser.take() else {
            return;
        };
        if browser.age() >= LASTED {
            place.troubles = 0;
            place.not_before = None;
        } else if !browser.is_alive() || browser.is_given_up() {
            place.trouble();
        }
        if browser.is_alive() {
            place.old.push(browser);
        } else {
            self.deaths.fetch_add(1, Ordering::Relaxed);
            self.end(browser);
        }
    }

    /// Rendering is refused until somebody changes something.
    pub(crate) async fn refuse(&self, words: &str) {
        let mut place = self.place.lock().await;
        if let Some(browser) = place.browser.take() {
            self.end(browser);
        }
        place.trouble();
        place.never = Some(words.to_owned());
        lock(&self.state).down = Some(words.to_owned());
    }

    /// After a tab that is not used again: is its browser all right? Ends browsers that did enough and have no tab left.
    pub(crate) async fn look_after(&self, browser: Weak<Browser>) {
        if let Some(browser) = browser.upgrade()
            && !browser.answers().await
        {
            tracing::debug!("the browser does not answer any more");
            browser.give_up();
        }
        self.tidy().await;
    }

    /// Takes tired browsers out of their place and ends those without tabs.
    pub(crate) async fn tidy(&self) {
        let mut place = self.place.lock().await;
        if let Some(browser) = &place.browser
            && browser.is_alive()
            && browser.is_tired(&self.settings)
        {
            self.replace(&mut place);
        }
        self.end_old(&mut place);
    }

    fn end_old(&self, place: &mut Place) {
        let (over, at_work): (Vec<_>, Vec<_>) = std::mem::take(&mut place.old)
            .into_iter()
            .partition(|browser| browser.is_empty() || !browser.is_alive());
        place.old = at_work;
        for browser in over {
            self.end(browser);
        }
    }

    /// Puts the browser away if `nobody` needs it, asked while no new one can be given out.
    pub(crate) async fn put_away(&self, nobody: impl Fn() -> bool) {
        let mut place = self.place.lock().await;
        if nobody()
            && let Some(browser) = place.browser.take()
        {
            tracing::debug!("nobody needs the browser: it is put away");
            self.end(browser);
        }
    }

    /// Ends all browsers and waits until they are gone.
    pub(crate) async fn close(&self) {
        let mut place = self.place.lock().await;
        let old = std::mem::take(&mut place.old);
        for browser in place.browser.take().into_iter().chain(old) {
            self.end(browser);
        }
        lock(&self.state).running = Weak::new();
        drop(place);
        let mut ending = std::mem::take(&mut *lock(&self.ending));
        while ending.join_next().await.is_some() {}
    }

    /// Ends a browser, which takes a moment that nobody waits for but whoever closes us.
    fn end(&self, browser: Arc<Browser>) {
        let strays = browser.strays();
        self.strays.fetch_add(strays, Ordering::Relaxed);
        let mut state = lock(&self.state);
        if std::ptr::eq(state.running.as_ptr(), Arc::as_ptr(&browser)) {
            state.running = Weak::new();
        }
        drop(state);
        let mut ending = lock(&self.ending);
        ending.spawn(async move { browser.close().await });
        while ending.try_join_next().is_some() {}
    }
}

impl Place {
    fn trouble(&mut self) {
        let [first, most] = PAUSE;
        let pause = first.saturating_mul(1 << self.troubles.min(16)).min(most);
        self.troubles += 1;
        self.not_before = Some(Instant::now() + pause);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
