//! Many pages through one renderer, whose processes are killed meanwhile.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use model::FailKind;
use testsite::spa::Routed;
use testsite::{Keep, Server, Setup};

use crate::family::{family, until};
use crate::memory::Memory;
use crate::sabotage::{Blow, blows};
use crate::stage::{Stage, markup};

const TABS: usize = 4;
/// Pages where nobody says how many.
const USUAL: usize = 150;
/// From so many pages on this is the long form, which has the strict bounds.
const LONG: usize = 1_000;
/// Pages between two looks at the memory in the long form.
const LOOK: usize = 100;
/// After a browser was killed each tab has made a page again within this; in the short form, which shares its machine with
/// builds and other tests, within thrice that.
const BACK: Duration = Duration::from_secs(5);
/// A page that failed so often would not come at all.
const ATTEMPTS: usize = 10;

/// A run.
struct Run {
    stage: Stage,
    site: Routed,
    server: Server,
    blows: Vec<(usize, Blow)>,
    next: AtomicUsize,
    done: AtomicUsize,
    /// How often each page had a document.
    documents: Vec<AtomicUsize>,
    failures: Mutex<Vec<String>>,
    /// When each worker last had a document.
    worked: Mutex<[Instant; TABS]>,
    /// How long after each kill every worker had a document again.
    back: Mutex<Vec<Duration>>,
}

impl Run {
    fn new(pages: usize) -> Self {
        let site = Routed::new(pages);
        // What a site remembers of each request would be taken for our memory.
        let setup = Setup {
            keep: Keep::Totals,
            ..Setup::default()
        };
        Self {
            stage: Stage::new(|settings| settings.tabs = TABS),
            server: Server::start_with(site.clone(), setup),
            site,
            blows: blows(pages),
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            documents: (0..pages).map(|_| AtomicUsize::new(0)).collect(),
            failures: Mutex::default(),
            worked: Mutex::new([Instant::now(); TABS]),
            back: Mutex::default(),
        }
    }

    /// One page of the run. Two visits are at work at any time, each of thirty pages.
    async fn page(&self, page: usize) {
        let visit = page / 60 * 2 + page % 2;
        self.document(page, visit).await;
        self.documents[page].fetch_add(1, Ordering::Relaxed);
    }

    /// A page until it has its document.
    async fn document(&self, page: usize, visit: usize) {
        let path = &self.site.pages()[page];
        let visit = u64::try_from(visit).unwrap();
        for _ in 0..ATTEMPTS {
            match self.stage.visit(&self.server.url(path), visit).await {
                Ok(fetched) => {
                    let phrase = self.site.text(path).unwrap();
                    let (took, markup) = (fetched.elapsed, markup(&fetched));
                    assert!(
                        markup.contains(&phrase),
                        "{path} after {took:.1?}: {markup}"
                    );
                    return;
                }
                Err(failure) => {
                    assert_eq!(failure.kind, FailKind::Browser, "{path}: {failure:?}");
                    self.failures.lock().unwrap().push(failure.words);
                }
            }
        }
        panic!("{path}: {ATTEMPTS} attempts, and no document");
    }

    async fn worker(&self, place: usize, end: usize) {
        loop {
            // Taken one at a time: what is beyond the end is for the next leg.
            let taken = self
                .next
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                    (next < end).then_some(next + 1)
                });
            let Ok(page) = taken else { return };
            self.page(page).await;
            self.worked.lock().unwrap()[place] = Instant::now();
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Strikes when its time has come, and after a kill waits until all are at work again.
    async fn saboteur(&self, begin: usize, end: usize) {
        let due = |(_, (at, _)): &(usize, &(usize, Blow))| (begin..end).contains(at);
        for (nth, (at, blow)) in self.blows.iter().enumerate().filter(due) {
            let its_time = || {
                let busy = self.stage.renderer.numbers().busy;
                self.done.load(Ordering::Relaxed) >= *at && busy == TABS as u64
            };
            until_so("its time has come", Duration::from_mins(5), its_time).await;
            assert!(blow.strike(nth), "nobody to kill after {at} pages");
            if *blow == Blow::Browser {
                let struck = Instant::now();
                let all_back = || {
                    let worked = *self.worked.lock().unwrap();
                    worked.iter().all(|last| *last > struck)
                };
                until_so("all tabs are back", Duration::from_mins(1), all_back).await;
                self.back.lock().unwrap().push(struck.elapsed());
            }
        }
    }

    /// Pages up to this one.
    async fn leg(&self, end: usize) {
        let begin = self.next.load(Ordering::Relaxed);
        let workers = join_all((0..TABS).map(|place| self.worker(place, end)));
        tokio::join!(workers, self.saboteur(begin, end));
    }

    /// Memory with a page in every tab, which is where legs can be compared.
    async fn memory(&self) -> Memory {
        for _ in 0..2 {
            join_all((0..TABS).map(|page| self.document(page, usize::MAX))).await;
        }
        Memory::at_rest().await
    }
}

async fn until_so(what: &str, patience: Duration, condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(patience, waiting).await;
    assert!(waited.is_ok(), "not within {patience:?}: {what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_pages_with_crashes_and_kills_each_have_one_outcome_and_nothing_grows() {
    let asked = std::env::var("SOAK_PAGES").ok();
    let pages = asked.map_or(USUAL, |text| text.parse().expect("SOAK_PAGES is a number"));
    let is_long = pages >= LONG;
    let leg = if is_long { LOOK } else { pages.div_ceil(3) };
    let run = Run::new(pages);
    let begun = Instant::now();
    let mut memories = Vec::new();
    while run.next.load(Ordering::Relaxed) < pages {
        run.leg((run.next.load(Ordering::Relaxed) + leg).min(pages))
            .await;
        let memory = run.memory().await;
        let numbers = run.stage.renderer.numbers();
        let seconds = begun.elapsed().as_secs_f32();
        println!(
            "{} pages in {seconds:.0} s: {memory}; {numbers:?}",
            run.done.load(Ordering::Relaxed)
        );
        memories.push(memory);
    }
    let back = run.back.lock().unwrap().clone();
    let failures = run.failures.lock().unwrap().clone();
    println!(
        "{} failures, each tried again: {failures:?}",
        failures.len()
    );
    println!("all tabs back after a kill: {back:.1?}");

    let documents = run.documents.iter();
    assert!(
        documents
            .map(|count| count.load(Ordering::Relaxed))
            .all(|count| count == 1)
    );
    let count = |wanted| run.blows.iter().filter(|(_, blow)| *blow == wanted).count();
    let (crashes, kills) = (count(Blow::Page), count(Blow::Browser));
    let most = crashes + kills * TABS;
    assert!(
        (1..=most).contains(&failures.len()),
        "{} of {most}",
        failures.len()
    );
    let numbers = run.stage.renderer.numbers();
    assert_eq!(numbers.deaths, kills as u64);
    assert_eq!(numbers.busy, 0);
    let patience = if is_long { BACK } else { BACK * 3 };
    assert!(
        back.len() == kills && back.iter().all(|time| *time <= patience),
        "{back:?}"
    );
    let (first, last) = (memories.first().unwrap().own, memories.last().unwrap().own);
    // A short run has hardly warmed up at its first look.
    let most = if is_long { 1.10 } else { 1.25 };
    let grown = last as f64 / first as f64;
    assert!(
        grown <= most,
        "memory grew to {grown:.2} of what it was: {memories:#?}"
    );

    run.stage.renderer.close().await;
    until("all are gone", || family().is_empty()).await;
    let folders = crate::left_behind::profiles(std::process::id());
    assert!(folders.is_empty(), "{folders:?}");
}
