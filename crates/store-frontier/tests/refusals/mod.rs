//! Results that the store can never write.

use std::cell::Cell;

use crawler_model::FailKind;
use crawler_store::TaskOutcome;

use crate::fake::faults::Odds;
use crate::world::url_of;
use crate::{CrawlTest, crawl};

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
                    if error == "the result could not be stored: the store failed: it does not fit"
            );
            assert!(!refused || *url == url_of(page), "world {number}: {url}");
            refusals.set(refusals.get() + u32::from(refused));
        }
    });
    assert!(refusals.get() > 100, "{} results refused", refusals.get());
}
