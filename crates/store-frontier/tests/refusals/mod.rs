//! Results that the store can never write, and links that are refused.

use std::cell::Cell;

use crawler_frontier::{Frontier, SiteFileTask, Work};
use crawler_model::{FailKind, LinkFacts, Outcome, PageReport};
use crawler_store::TaskOutcome;
use crawler_weburl::UrlRef;

use crate::fake::faults::Odds;
use crate::world::{World, url_of};
use crate::{CrawlTest, LONGEST_CRAWL, crawl, wait};

/// One page whose result is refused fails, and those in its batch are written.
#[test]
fn a_result_that_the_store_refuses_fails_its_page() {
    let refusals = Cell::new(0);
    crawl(0..300, async |number| {
        let odds = Odds {
            slowest: 40,
            ..Odds::default()
        };
        let mut test = CrawlTest::new(number, odds, 0);
        let page = usize::try_from(number).unwrap() % test.world.behaviors.len();
        test.store.refuse_results_of(url_of(page));
        test.run(number, None).await;
        for record in test.store.records() {
            let url = &record.task.url;
            assert_eq!(record.finished, 1, "world {number}: {url}");
            assert_eq!(record.taken_away, 0, "world {number}: {url}");
            let refused = matches!(
                &record.outcome,
                Some(TaskOutcome::Failed { kind: FailKind::Internal, error, .. })
                    if error == "the result could not be stored; see the log of the service"
            );
            assert!(!refused || *url == url_of(page), "world {number}: {url}");
            refusals.set(refusals.get() + u32::from(refused));
        }
    });
    assert!(refusals.get() > 100, "{} results refused", refusals.get());
}

/// A worker loses its lease after it refused a link as a trap, and fetches the page again: the link is reported by the result
/// that the store has, and only by that one.
#[test]
fn what_a_lost_result_refused_is_reported_once() {
    crawl(0..40, async |number| {
        let mut test = CrawlTest::new(number, Odds::default(), 0);
        test.world = World::random(number, |spec| spec.traps = Some(true));
        let mut frontier = test.frontier(number);
        let trap = format!("{}/x/x/x", url_of(0));
        let key = test.world.plan.keys.key(UrlRef::split(&trap).unwrap());
        let (mut out, mut fetches) = (Vec::new(), 0);
        while !test.store.is_done() {
            let now = test.started.elapsed();
            assert!(now < LONGEST_CRAWL, "world {number} does not end");
            let dispatch = frontier.take(1, now, &mut out).await.unwrap();
            match dispatch.work.into_iter().next() {
                Some(Work::Page(task)) => {
                    fetches += 1;
                    if fetches == 1 {
                        test.store.steal(0);
                    }
                    let mut report = PageReport::new(task, Outcome::Fetched { html: true });
                    let facts = LinkFacts {
                        web: true,
                        in_scope: true,
                        ..LinkFacts::default()
                    };
                    report.links.push(&trap, trap.len(), key, facts);
                    frontier.settle(report, now, &mut out).await.unwrap();
                }
                Some(Work::SiteFile(SiteFileTask::Robots(task))) => {
                    let report = test.world.answer_robots(task);
                    let settled = Frontier::settle_site_file(&mut frontier, report, now, &mut out);
                    settled.await.unwrap();
                }
                Some(other) => panic!("{other:?}"),
                None => wait(&mut frontier, test.started, dispatch.next).await,
            }
        }
        assert_eq!(fetches, 2, "world {number}");
        let told = test.store.traps();
        let told: Vec<&str> = told.iter().map(|one| &*one.task.url).collect();
        assert_eq!(told, [trap], "world {number}");
    });
}
