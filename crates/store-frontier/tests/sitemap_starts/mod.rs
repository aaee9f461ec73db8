//! A sitemap waits for a start that the store grants, because other workers use the host's starts too.

use std::sync::Arc;
use std::time::Duration;

use crawler_frontier::{Frontier, SiteFileTask, Work};
use crawler_model::SitemapPolicy;
use crawler_store::{HostTurns, WorkerId, WrappedStore};
use crawler_store_frontier::{Planner, StoreFrontier, StoreFrontierSettings};
use crawler_weburl::CrawlUrl;
use tokio::time::Instant;

use crate::fake::faults::Odds;
use crate::fake::memory_store::seed;
use crate::fake::{Faults, MemoryStore};
use crate::world::{World, url_of};
use crate::{crawl, wait};

const INTERVAL: Duration = Duration::from_secs(1);

#[test]
fn a_sitemap_waits_for_its_start() {
    crawl(0..40, async |number| {
        let world = World::random(number, |spec| spec.sitemaps = SitemapPolicy::Include);
        let url = CrawlUrl::parse(&url_of(0)).unwrap();
        let key = world.plan.keys.key_text(url.parts());
        let store = MemoryStore::new(seed(url.as_str(), key, url.host_key()), INTERVAL);
        // Calls are refused and slow.
        let odds = Odds {
            refused: 6,
            slowest: 40,
            ..Odds::default()
        };
        let plan = Arc::clone(world.plan.rules());
        let planner: Planner = Arc::new(move |_, _| Ok(Arc::clone(&plan)));
        let settings = StoreFrontierSettings {
            host_interval: INTERVAL,
            ..StoreFrontierSettings::default()
        };
        let mut frontier = StoreFrontier::new(
            WrappedStore::new(store.clone(), Faults::new(number, odds)),
            WorkerId::fresh(),
            settings,
            planner,
            Arc::clone(world.plan.rules()),
            number,
        );
        let (started, mut out) = (Instant::now(), Vec::new());
        let mut taken = Duration::ZERO;
        loop {
            let now = started.elapsed();
            let dispatch = frontier.take(1, now, &mut out).await.unwrap();
            match dispatch.work.into_iter().next() {
                Some(Work::SiteFile(SiteFileTask::Robots(task))) => {
                    // Meanwhile, other workers use the next starts.
                    for _ in 0..5 {
                        let delay = store.reserve_start(&url.host_key()).await.unwrap();
                        taken = started.elapsed() + delay;
                    }
                    let report = world.answer_robots(task);
                    let settled = Frontier::settle_site_file(&mut frontier, report, now, &mut out);
                    settled.await.unwrap();
                }
                Some(Work::SiteFile(SiteFileTask::Sitemap(_))) => {
                    assert!(taken > Duration::ZERO, "world {number}");
                    assert!(now >= taken + INTERVAL, "world {number}: {now:?} {taken:?}");
                    break;
                }
                Some(Work::Page(page)) => panic!("world {number}: {page:?} before its sitemaps"),
                None => wait(&mut frontier, started, dispatch.next).await,
            }
        }
    });
}
