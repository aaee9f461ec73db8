//! Sites whose robots.txt changes, fails, redirects and comes back, scraped by processes that are restarted and share what they
//! know about robots.txt.

#![expect(clippy::unwrap_used, reason = "a failing step should fail the test")]

mod evictions;
mod history_fetch;
#[path = "../../../frontier/tests/robots_history/mod.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod robots_history;
mod storing_gate;
#[path = "../../../frontier/tests/world/mod.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod world;

use std::sync::Arc;
use std::time::Duration;

use crawler_engine::{Scraper, Stop};
use crawler_fetch::RequestedUrl;
use crawler_model::{JsPolicy, RequestSpec, ScrapePlan};
use futures_util::future::join_all;

use history_fetch::HistoryFetch;
use robots_history::RobotsHistory;
use storing_gate::StoringGate;
use world::{Dice, url_of};

/// What was done in all histories.
#[derive(Default)]
struct Totals {
    requests: u32,
    kept: u32,
    refetches: u32,
    restarts: u32,
}

/// Scrapes pages of one site, some at the same time, with pauses of up to days.
async fn scrape(number: u64, totals: &mut Totals) {
    let mut dice = Dice(number ^ 0x5c4a);
    let mut spec = RequestSpec::default();
    let history = RobotsHistory::random(number, |crawl| spec = crawl.request.clone());
    let pages = history.world.behaviors.len() as u64;
    let plan = ScrapePlan::resolve(&spec, "crawler/0").unwrap();
    let fetch = Arc::new(HistoryFetch::new(history));
    // Rules that could not be stored are lost with their process.
    let fails_to_save = dice.one_in(3);
    let gate = StoringGate::new(number, fails_to_save);
    let start = || {
        let (fetch, gate) = (Arc::clone(&fetch), gate.clone());
        Scraper::with_gate(fetch, plan.clone(), gate, number, Stop::new(), |_| ())
    };
    let mut scraper = start();
    for _ in 0..=dice.below(30) {
        let pause = [60, 3_600, 200_000][usize::try_from(dice.below(3)).unwrap()];
        tokio::time::sleep(Duration::from_secs(dice.below(pause))).await;
        if !fails_to_save && dice.one_in(4) {
            scraper = start();
            totals.restarts += 1;
        }
        let urls: Vec<RequestedUrl> = (0..=dice.below(3))
            .map(|_| url_of(usize::try_from(dice.below(pages)).unwrap()))
            .map(|url| RequestedUrl::parse(&url).unwrap())
            .collect();
        // Most of these pages fail or may not be fetched.
        join_all(urls.iter().map(|url| scraper.get(url, JsPolicy::Never))).await;
    }
    let history = fetch.history.lock().unwrap();
    totals.requests += history.requests;
    totals.kept += history.kept;
    totals.refetches += history.refetches;
}

#[test]
fn no_scrape_violates_the_robots_rules_in_force() {
    let mut totals = Totals::default();
    for number in 0..1_000 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(scrape(number, &mut totals));
    }
    let Totals {
        requests,
        kept,
        refetches,
        restarts,
    } = totals;
    assert!(
        requests > 2_000 && kept > 50 && refetches > 2_000 && restarts > 1_200,
        "{requests} page requests, {kept} under kept rules, {refetches} refetches, {restarts} restarts"
    );
}
