//! Renders many pages while the browser's processes are killed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crawler_model::FailKind;
use futures_util::future::join_all;
use testsite::spa::ClientRoutedSite;
use testsite::{LogDetail, Server, ServerSetup};

use crate::kills::{Kill, kills};
use crate::memory::Memory;
use crate::process_tree::{descendants, until};
use crate::test_renderer::{TestRenderer, markup};

const TABS: usize = 4;
/// Number of pages unless `SOAK_PAGES` is set.
const DEFAULT_PAGES: usize = 150;
/// A run of at least this many pages is a long run, which has stricter bounds.
const LONG_RUN_PAGES: usize = 1_000;
/// Pages between memory measurements in a long run.
const PAGES_PER_LEG: usize = 100;
/// Time limit for every tab to render a page after the browser was killed; three times that in a short run, which shares
/// the machine with builds and other tests.
const RECOVERY_TIME: Duration = Duration::from_secs(5);
/// Time limit for a page, ample even on a busy machine.
const PAGE_TIMEOUT: Duration = Duration::from_mins(1);
/// Maximum number of attempts per page.
const ATTEMPTS: usize = 10;

/// The state of a run.
struct Run {
    test: TestRenderer,
    site: ClientRoutedSite,
    server: Server,
    kills: Vec<(usize, Kill)>,
    next: AtomicUsize,
    done: AtomicUsize,
    /// Number of documents for each page.
    documents: Vec<AtomicUsize>,
    failures: Mutex<Vec<String>>,
    slowest: Mutex<Duration>,
    /// Time of each worker's last document.
    last_document: Mutex<[Instant; TABS]>,
    /// Time after each kill until every worker had a document again.
    recovery_times: Mutex<Vec<Duration>>,
}

impl Run {
    fn new(pages: usize) -> Self {
        let site = ClientRoutedSite::new(pages);
        // A log of every request would count as our memory.
        let setup = ServerSetup {
            log_detail: LogDetail::Totals,
            ..ServerSetup::default()
        };
        Self {
            test: TestRenderer::new(|settings| {
                settings.tabs = TABS;
                settings.nav_timeout = PAGE_TIMEOUT;
            }),
            server: Server::start_with(site.clone(), setup),
            site,
            kills: kills(pages),
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            documents: (0..pages).map(|_| AtomicUsize::new(0)).collect(),
            failures: Mutex::default(),
            slowest: Mutex::default(),
            last_document: Mutex::new([Instant::now(); TABS]),
            recovery_times: Mutex::default(),
        }
    }

    /// Renders one page. Two visits of thirty pages each are active at any time.
    async fn page(&self, page: usize) {
        let visit = page / 60 * 2 + page % 2;
        self.document(page, visit).await;
        self.documents[page].fetch_add(1, Ordering::Relaxed);
    }

    /// Renders a page until it succeeds.
    async fn document(&self, page: usize, visit: usize) {
        let path = &self.site.pages()[page];
        let visit = u64::try_from(visit).unwrap();
        for _ in 0..ATTEMPTS {
            match self.test.visit(&self.server.url(path), visit).await {
                Ok(fetched) => {
                    let phrase = self.site.text(path).unwrap();
                    let (took, markup) = (fetched.elapsed, markup(&fetched));
                    assert!(
                        markup.contains(&phrase),
                        "{path} after {took:.1?}: {markup}"
                    );
                    let mut slowest = self.slowest.lock().unwrap();
                    *slowest = took.max(*slowest);
                    return;
                }
                Err(failure) => {
                    assert_eq!(failure.kind, FailKind::Browser, "{path}: {failure:?}");
                    self.failures.lock().unwrap().push(failure.message);
                }
            }
        }
        panic!("{path}: no document after {ATTEMPTS} attempts");
    }

    async fn worker(&self, index: usize, end: usize) {
        loop {
            // Pages beyond the end belong to the next leg.
            let taken = self
                .next
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                    (next < end).then_some(next + 1)
                });
            let Ok(page) = taken else { return };
            self.page(page).await;
            self.last_document.lock().unwrap()[index] = Instant::now();
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Kills processes at the planned times, and waits after a browser kill until all tabs work again.
    async fn killer(&self, begin: usize, end: usize) {
        let due = |(_, (at, _)): &(usize, &(usize, Kill))| (begin..end).contains(at);
        for (nth, (at, kill)) in self.kills.iter().enumerate().filter(due) {
            let is_kill_due = || {
                let busy = self.test.renderer.numbers().busy;
                self.done.load(Ordering::Relaxed) >= *at && busy == TABS as u64
            };
            until_within("the next kill is due", Duration::from_mins(5), is_kill_due).await;
            assert!(kill.execute(nth), "no process to kill after {at} pages");
            if *kill == Kill::Browser {
                let killed_at = Instant::now();
                let all_recovered = || {
                    let last_document = *self.last_document.lock().unwrap();
                    last_document.iter().all(|last| *last > killed_at)
                };
                until_within("all tabs work again", Duration::from_mins(1), all_recovered).await;
                self.recovery_times
                    .lock()
                    .unwrap()
                    .push(killed_at.elapsed());
            }
        }
    }

    /// Renders all pages up to this one.
    async fn leg(&self, end: usize) {
        let begin = self.next.load(Ordering::Relaxed);
        let workers = join_all((0..TABS).map(|index| self.worker(index, end)));
        tokio::join!(workers, self.killer(begin, end));
    }

    /// Measures memory with a page in every tab, so that legs are comparable.
    async fn memory(&self) -> Memory {
        for _ in 0..2 {
            join_all((0..TABS).map(|page| self.document(page, usize::MAX))).await;
        }
        Memory::at_rest().await
    }
}

async fn until_within(what: &str, time_limit: Duration, condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(time_limit, waiting).await;
    assert!(waited.is_ok(), "not within {time_limit:?}: {what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_rendered_once_despite_kills_and_memory_does_not_grow() {
    let configured = std::env::var("SOAK_PAGES").ok();
    let pages = configured.map_or(DEFAULT_PAGES, |text| {
        text.parse().expect("SOAK_PAGES is a number")
    });
    let is_long = pages >= LONG_RUN_PAGES;
    let leg = if is_long {
        PAGES_PER_LEG
    } else {
        pages.div_ceil(3)
    };
    let run = Run::new(pages);
    let start = Instant::now();
    let mut memories = Vec::new();
    while run.next.load(Ordering::Relaxed) < pages {
        run.leg((run.next.load(Ordering::Relaxed) + leg).min(pages))
            .await;
        let memory = run.memory().await;
        let numbers = run.test.renderer.numbers();
        let seconds = start.elapsed().as_secs_f32();
        println!(
            "{} pages in {seconds:.0} s: {memory}; {numbers:?}",
            run.done.load(Ordering::Relaxed)
        );
        memories.push(memory);
    }
    let recovery_times = run.recovery_times.lock().unwrap().clone();
    let failures = run.failures.lock().unwrap().clone();
    println!("{} failures, all retried: {failures:?}", failures.len());
    let slowest = *run.slowest.lock().unwrap();
    println!(
        "time until all tabs worked after a kill: {recovery_times:.1?}; slowest page: {slowest:.1?}"
    );

    let documents = run.documents.iter();
    assert!(
        documents
            .map(|count| count.load(Ordering::Relaxed))
            .all(|count| count == 1)
    );
    let count = |wanted| run.kills.iter().filter(|(_, kill)| *kill == wanted).count();
    let (crashes, kills) = (count(Kill::Page), count(Kill::Browser));
    let most = crashes + kills * TABS;
    assert!(
        (1..=most).contains(&failures.len()),
        "{} of {most}",
        failures.len()
    );
    let numbers = run.test.renderer.numbers();
    assert_eq!(numbers.deaths, kills as u64);
    assert_eq!(numbers.busy, 0);
    let time_limit = if is_long {
        RECOVERY_TIME
    } else {
        RECOVERY_TIME * 3
    };
    assert!(
        recovery_times.len() == kills && recovery_times.iter().all(|time| *time <= time_limit),
        "{recovery_times:?}"
    );
    let (first, last) = (memories.first().unwrap().own, memories.last().unwrap().own);
    // A short run has not warmed up at its first measurement.
    let most = if is_long { 1.10 } else { 1.25 };
    let growth = last as f64 / first as f64;
    assert!(
        growth <= most,
        "memory grew by a factor of {growth:.2}: {memories:#?}"
    );

    run.test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
    let folders = crate::cleanup::profiles(std::process::id());
    assert!(folders.is_empty(), "{folders:?}");
}
