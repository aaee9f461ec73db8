//! Patterns are matched by the workers that read pages and sitemaps. The loop relies on their result, because matching may take
//! long.

use std::time::Duration;

use crawler_frontier::{
    Frontier, SiteFileReport, SiteFileResult, SiteFileTask, SitemapFetchResult, Work,
};
use crawler_model::{LinkFacts, LinkList, Outcome, PageReport, SitemapPolicy};
use crawler_weburl::UrlRef;

use crate::fake::faults::Odds;
use crate::world::{World, url_of};
use crate::{CrawlTest, LONGEST_CRAWL, crawl, wait};

/// The plan excludes every URL, and the workers say that these are in scope: one that is left out was matched again.
#[test]
fn the_loop_matches_no_patterns() {
    crawl(0..20, async |number| {
        let mut test = CrawlTest::new(number, Odds::default(), 0);
        test.world = World::random(number, |spec| {
            spec.traps = Some(number % 2 == 0);
            spec.exclude = vec![".".to_owned()];
            spec.sitemaps = SitemapPolicy::Include;
            spec.max_pages = Some(0);
        });
        let keys = test.world.plan.keys;
        let listed = |names: &[&str]| {
            let mut links = LinkList::default();
            for name in names {
                let url = format!("{}{name}", url_of(0));
                let facts = LinkFacts {
                    web: true,
                    in_scope: true,
                    ..LinkFacts::default()
                };
                let key = keys.key(UrlRef::split(&url).unwrap());
                links.push(&url, url.len(), key, facts);
            }
            links
        };
        let mut frontier = test.frontier(number);
        let mut out = Vec::new();
        while !test.store.is_done() {
            let now = test.started.elapsed();
            assert!(now < LONGEST_CRAWL, "world {number} does not end");
            let dispatch = frontier.take(1, now, &mut out).await.unwrap();
            match dispatch.work.into_iter().next() {
                Some(Work::Page(task)) => {
                    let mut report = PageReport::new(task, Outcome::Fetched { html: true });
                    // One was listed by the sitemap: admitted before, but not known to be stored.
                    report.links = listed(&["listed", "linked"]);
                    frontier.settle(report, now, &mut out).await.unwrap();
                }
                Some(Work::SiteFile(SiteFileTask::Robots(task))) => {
                    let report = test.world.answer_robots(task);
                    let settled = Frontier::settle_site_file(&mut frontier, report, now, &mut out);
                    settled.await.unwrap();
                }
                Some(Work::SiteFile(SiteFileTask::Sitemap(task))) => {
                    let read = SitemapFetchResult::Read {
                        pages: listed(&["listed", "another"]),
                        sitemaps: Vec::new(),
                        problem: None,
                    };
                    let report = SiteFileReport {
                        found: SiteFileResult::Sitemap(task, read),
                        status: Some(200),
                        retry_after: None,
                        elapsed: Duration::ZERO,
                        wire_bytes: 0,
                        text: None,
                    };
                    let settled = Frontier::settle_site_file(&mut frontier, report, now, &mut out);
                    settled.await.unwrap();
                }
                None => wait(&mut frontier, test.started, dispatch.next).await,
            }
        }
        let mut admitted: Vec<String> = test
            .store
            .records()
            .into_iter()
            .map(|record| record.task.url.replace(&url_of(0), ""))
            .collect();
        admitted.sort_unstable();
        assert_eq!(
            admitted,
            ["", "another", "linked", "listed"],
            "world {number}"
        );
    });
}
