//! The sites of the engine's trap tests, crawled by a worker of the service: the same figures, every task ends with a reason if it
//! was not fetched, and every URL that was found is a task or was refused as a trap, which the store is told once.

#![expect(clippy::unwrap_used, reason = "a failing step should fail the test")]

#[macro_use]
#[path = "../../../engine/tests/traps/each_kind.rs"]
mod each_kind;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../fake/memory_store.rs"]
mod memory_store;
#[path = "../../../engine/tests/traps/space_fetch.rs"]
mod space_fetch;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

// The fetcher of the sites, which is shared with the tests of the loop, uses it.
use crawler_fetch as _;

use crawler_engine::{OutputWriter, Progress, Stop, drive, find_links};
use crawler_model::{CrawlPlan, CrawlSpec, DepthLimit, RequestSpec, RobotsPolicy, SitemapPolicy};
use crawler_store::{TaskOutcome, TaskState, WorkerId};
use crawler_store_frontier::{Planner, StoreFrontier, StoreFrontierSettings};
use crawler_weburl::CrawlUrl;
use testsite::url_spaces::SiteKind;

use each_kind::{Limit, bar, limit, seeds};
use memory_store::MemoryStore;
use space_fetch::{Measured, ORIGIN, SpaceFetch};

const WORKERS: usize = 8;
/// A store hands out tasks in their order: no page is fetched first because it shows whether there is a trap.
const LIMITS: &[Limit] = &[("counted_visits", 98, 50), ("votes", 98, 50)];
/// A crawl that reaches this is caught in a trap.
const MAX_REQUESTS: usize = 20_000;

fn plan(has_sitemap: bool) -> CrawlPlan {
    let spec = CrawlSpec {
        seed: format!("{ORIGIN}/"),
        request: RequestSpec {
            robots: if has_sitemap {
                RobotsPolicy::Respect
            } else {
                RobotsPolicy::Ignore
            },
            ..RequestSpec::default()
        },
        max_pages: Some(0),
        max_depth: Some(DepthLimit::Unlimited),
        sitemaps: if has_sitemap {
            SitemapPolicy::Include
        } else {
            SitemapPolicy::Skip
        },
        traps: Some(true),
        ..CrawlSpec::default()
    };
    CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap()
}

/// Crawls until all is done, or so many requests were made.
async fn crawl(fetch: &Arc<SpaceFetch>, max_requests: usize) -> MemoryStore {
    let plan = plan(fetch.site.has_sitemap());
    let rules = Arc::clone(plan.rules());
    let url = CrawlUrl::parse(&format!("{ORIGIN}/")).unwrap();
    let seed = memory_store::seed(
        url.as_str(),
        plan.keys.key_text(url.parts()),
        url.host_key(),
    );
    let store = MemoryStore::new(seed, Duration::ZERO);
    let planner: Planner = Arc::new({
        let rules = Arc::clone(&rules);
        move |_, _| Ok(Arc::clone(&rules))
    });
    let settings = StoreFrontierSettings {
        workers: WORKERS,
        host_interval: Duration::ZERO,
        ..StoreFrontierSettings::default()
    };
    let worker = WorkerId::fresh();
    let frontier = StoreFrontier::new(store.clone(), worker, settings, planner, rules, 1);
    let stop = Stop::new();
    let worker = drive(
        frontier,
        Arc::clone(fetch),
        WORKERS,
        None::<OutputWriter>,
        stop.clone(),
        Arc::<Progress>::default(),
    );
    let end = async {
        // The clock is paused, so nothing waits.
        while !store.is_done() && fetch.requests().total < max_requests {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        stop.request();
    };
    let (ended, ()) = tokio::join!(worker, end);
    ended.unwrap();
    store
}

fn check(kind: &SiteKind) {
    let mut failures = Vec::new();
    for seed in seeds() {
        let fetch = Arc::new(SpaceFetch::new((kind.make)(seed), true));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let max_requests = if bar(kind, LIMITS).ends {
            MAX_REQUESTS
        } else {
            limit(&fetch.site)
        };
        let store = runtime.block_on(crawl(&fetch, max_requests));
        let is_expected = store.is_done() == bar(kind, LIMITS).ends;
        let name = format!("{} (seed {seed}, service)", kind.name);
        if !is_expected {
            failures.push(format!("{name}: done: {}", store.is_done()));
        }
        failures.extend(Measured::of(&fetch).failures(&name, bar(kind, LIMITS)));
        check_told(&name, &fetch, &store);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every task has ended as it is stored, and every URL that was found is a task, or the store was told that it is a trap. What is left
/// at the end of a crawl without an end is queued.
fn check_told(name: &str, fetch: &SpaceFetch, store: &MemoryStore) {
    let plan = plan(fetch.site.has_sitemap());
    let rules = plan.rules();
    let (mut fetched, mut found) = (0, BTreeSet::new());
    let records = store.records();
    for record in &records {
        let url = &record.task.url;
        match (&record.state, &record.outcome) {
            (TaskState::Done, Some(TaskOutcome::Done { .. })) => {
                fetched += 1;
                let target = url.strip_prefix(ORIGIN).unwrap();
                // Others were followed in place, to a page that is counted under the same key.
                if let Some(page) = fetch.site.page(target) {
                    let url = CrawlUrl::parse(url).unwrap();
                    let links = find_links(page.html.as_bytes(), None, &url, rules);
                    let links = links.iter().filter(|link| link.facts.in_scope);
                    found.extend(links.filter_map(|link| Some(rules.keys.key_text(link.parts()?))));
                }
            }
            (TaskState::Failed, Some(TaskOutcome::Failed { error, .. })) => {
                fetched += 1;
                assert!(!error.is_empty(), "{name}: {url} failed without a reason");
            }
            (TaskState::Skipped, Some(TaskOutcome::Skipped { reason, detail })) => {
                let has_reason = !reason.is_empty() && !detail.is_empty();
                assert!(has_reason, "{name}: {url} was skipped without a reason");
            }
            _ => assert!(!store.is_done(), "{name}: {record:?}"),
        }
    }
    let requests = fetch.requests().total;
    assert!(fetched <= requests, "{name}: {fetched} of {requests}");
    let traps = store.traps();
    let told: BTreeSet<(&str, &str)> = traps
        .iter()
        .map(|one| (one.reason.as_str(), &*one.task.final_url))
        .collect();
    assert_eq!(told.len(), traps.len(), "{name}: told more than once");
    let is_task: BTreeSet<&str> = records.iter().map(|one| &*one.task.final_url).collect();
    let not_tasks = |key: &&str| !is_task.contains(key);
    let told: BTreeSet<&str> = told.iter().map(|(_, key)| *key).filter(not_tasks).collect();
    let found: BTreeSet<&str> = found.iter().map(|key| &**key).filter(not_tasks).collect();
    let lost: Vec<&&str> = found.difference(&told).take(20).collect();
    let invented: Vec<&&str> = told.difference(&found).take(20).collect();
    assert!(
        lost.is_empty() && invented.is_empty(),
        "{name}: lost: {lost:?}; told, but not found: {invented:?}"
    );
}

all_kinds! { check }
