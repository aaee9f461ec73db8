//! Regression tests, each as small as possible.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crawler_frontier::{
    Delivery, Frontier, MemoryFrontier, Moment, Next, RobotsFetchResult, SiteFileReport,
    SiteFileResult, SiteFileTask, SitemapFetchResult, Work,
};
use crawler_model::{
    CrawlPlan, CrawlSpec, DepthLimit, Failure, LinkFacts, LinkList, Outcome, PageReport,
    RefuseReason, SitemapPolicy, StopReason, Summary, Task,
};
use crawler_sitefiles::Robots;
use crawler_weburl::{CrawlUrl, ScopeKind, ScopeVerdict, UrlKey};

const SECOND: Duration = Duration::from_secs(1);

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the in-memory frontier waited"),
    }
}

/// A simulated response, its duration and its `Retry-After`.
struct SiteResponse {
    status: u16,
    to: &'static str,
    links: &'static [&'static str],
    takes: Duration,
    retry_after: Option<Duration>,
}

const PAGE: SiteResponse = SiteResponse {
    status: 200,
    to: "",
    links: &[],
    takes: Duration::from_millis(10),
    retry_after: None,
};

fn links(links: &'static [&'static str]) -> SiteResponse {
    SiteResponse { links, ..PAGE }
}

fn status(status: u16) -> SiteResponse {
    SiteResponse { status, ..PAGE }
}

fn moved(to: &'static str) -> SiteResponse {
    SiteResponse {
        status: 302,
        to,
        ..PAGE
    }
}

fn list(urls: &[&str], plan: &CrawlPlan) -> LinkList {
    let mut links = LinkList::default();
    for url in urls {
        let Ok(url) = CrawlUrl::parse(url) else {
            links.push(url, url.len(), UrlKey(0), LinkFacts::default());
            continue;
        };
        let facts = LinkFacts {
            web: true,
            in_scope: plan.scope.verdict(url.parts()) == ScopeVerdict::In,
            nofollow: url.as_str().contains("nofollow"),
            ..LinkFacts::default()
        };
        links.push(
            url.as_str(),
            url.as_str().len(),
            plan.keys.key(url.parts()),
            facts,
        );
    }
    links
}

fn report(task: Task, answer: &SiteResponse, plan: &CrawlPlan) -> PageReport {
    let outcome = match answer.status {
        200 => Outcome::Fetched { html: true },
        302 => Outcome::Redirected {
            to: CrawlUrl::parse(answer.to).unwrap(),
        },
        status => Outcome::Failed(Failure::of_status(status)),
    };
    let mut report = PageReport::new(task, outcome);
    report.status = Some(answer.status);
    report.retry_after = answer.retry_after;
    report.links = list(answer.links, plan);
    report
}

/// Simulated sites: pages by URL and attempt, robots.txt by origin, and the URLs that every sitemap lists.
struct World<'a> {
    page: &'a dyn Fn(&str, u32) -> SiteResponse,
    robots: &'a dyn Fn(&str) -> &'static str,
    sitemap: &'a [&'a str],
}

impl World<'_> {
    fn play(&self, change: impl FnOnce(&mut CrawlSpec)) -> (Vec<PageReport>, Summary, Moment) {
        let mut spec = CrawlSpec {
            seed: "http://a.example/".into(),
            max_depth: Some(DepthLimit::Unlimited),
            ..CrawlSpec::default()
        };
        change(&mut spec);
        let plan = CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap();
        let mut frontier = MemoryFrontier::new(&plan, 1);
        let (mut now, mut out, mut in_flight) = (Moment::ZERO, Vec::new(), Vec::new());
        for _ in 0..10_000 {
            let dispatch = ready(frontier.take(8, now, &mut out)).unwrap();
            frontier.assert_consistent();
            for work in dispatch.work {
                let takes = match &work {
                    Work::Page(task) => (self.page)(task.url.as_str(), task.attempt).takes,
                    Work::SiteFile(_) => PAGE.takes,
                };
                in_flight.push((now + takes, work));
            }
            if let Next::Finished(_) = dispatch.next {
                let summary = frontier.summary(now);
                let pages = out.into_iter().filter_map(|delivery| match delivery {
                    Delivery::Page(report) => Some(*report),
                    Delivery::Notice(_) | Delivery::Mark(_) => None,
                });
                return (pages.collect(), summary, now);
            }
            in_flight.sort_by_key(|(done, _)| *done);
            let until = if let Next::Until(at) = dispatch.next {
                Some(at.max(now))
            } else {
                None
            };
            let done = in_flight.first().map(|(done, _)| *done);
            now = done
                .into_iter()
                .chain(until)
                .min()
                .expect("something to wait for");
            if done != Some(now) {
                continue;
            }
            match in_flight.remove(0).1 {
                Work::Page(task) => {
                    let answer = (self.page)(task.url.as_str(), task.attempt);
                    ready(frontier.settle(report(task, &answer, &plan), now, &mut out)).unwrap();
                }
                Work::SiteFile(site_file) => {
                    let report = self.site_file(site_file, &plan);
                    ready(frontier.settle_site_file(report, now, &mut out)).unwrap();
                }
            }
        }
        panic!("does not end");
    }

    fn site_file(&self, site_file: SiteFileTask, plan: &CrawlPlan) -> SiteFileReport {
        let found = match site_file {
            SiteFileTask::Robots(site_file) => {
                let text = (self.robots)(site_file.origin.as_str());
                let rules = Robots::parse(text.as_bytes(), "crawler");
                SiteFileResult::Robots(site_file, RobotsFetchResult::Rules(rules))
            }
            SiteFileTask::Sitemap(site_file) => {
                let pages = list(self.sitemap, plan);
                let answer = SitemapFetchResult::Read {
                    pages,
                    sitemaps: Vec::new(),
                    problem: None,
                };
                SiteFileResult::Sitemap(site_file, answer)
            }
        };
        SiteFileReport {
            found,
            status: Some(200),
            retry_after: None,
            elapsed: Duration::ZERO,
            wire_bytes: 0,
            text: None,
        }
    }
}

fn no_rules(_: &str) -> &'static str {
    ""
}

fn visited(pages: &[PageReport]) -> Vec<&str> {
    pages
        .iter()
        .map(|page| page.url.parts().path_and_query())
        .collect()
}

#[test]
fn a_link_is_refused_for_the_first_rule_it_breaks() {
    let page = |url: &str, _| match url {
        "http://a.example/" => links(&[
            "http://b.example/x/",
            "http://a.example/x/1",
            "http://a.example/y",
            "mailto:me@a.example",
            "http://a.example/",
            "http://b.example/x/",
        ]),
        _ => PAGE,
    };
    for (include, exclude, also) in [
        (None, None, None),
        (None, Some("/x/"), Some(RefuseReason::Excluded)),
        (Some("/x/"), None, Some(RefuseReason::NotIncluded)),
    ] {
        let world = World {
            page: &page,
            robots: &no_rules,
            sitemap: &[],
        };
        let (_, summary, _) = world.play(|spec| {
            spec.include.extend(include.map(str::to_owned));
            spec.exclude.extend(exclude.map(str::to_owned));
        });
        let mut expected = BTreeMap::from([
            (RefuseReason::Scheme, 1),
            (RefuseReason::OutOfScope, 2),
            (RefuseReason::Seen, 1),
        ]);
        expected.extend(also.map(|reason| (reason, 1)));
        assert_eq!(summary.refused, expected, "{include:?} {exclude:?}");
    }
}

#[test]
fn a_server_error_with_a_retry_after_of_a_day_does_not_delay_the_crawl() {
    let page = |url: &str, _| match url {
        "http://a.example/" => links(&["http://a.example/bad"]),
        _ => SiteResponse {
            retry_after: Some(SECOND * 86_400),
            ..status(500)
        },
    };
    let (pages, summary, now) = World {
        page: &page,
        robots: &no_rules,
        sitemap: &[],
    }
    .play(|_| ());
    assert_eq!(visited(&pages), ["/", "/bad"]);
    assert_eq!(summary.left, 0);
    assert!(now < SECOND * 60, "{now:?}");
}

#[test]
fn a_started_page_at_a_gate_still_counts_toward_the_page_limit() {
    let page = |url: &str, attempt| match url {
        "http://a.example/" => links(&[
            "http://a.example/flaky",
            "http://a.example/b",
            "http://a.example/c",
            "http://a.example/d",
        ]),
        "http://a.example/flaky" if attempt == 1 => status(500),
        _ => PAGE,
    };
    let (pages, ..) = World {
        page: &page,
        robots: &no_rules,
        sitemap: &[],
    }
    .play(|spec| {
        spec.path_delays = vec![("/".into(), SECOND / 10)];
        spec.max_pages = Some(3);
    });
    assert_eq!(pages.len(), 3, "{:?}", visited(&pages));
}

#[test]
fn a_session_id_assigned_by_a_redirect_is_the_same_page() {
    let page = |url: &str, _| match url {
        "http://a.example/" => moved("http://a.example/;jsessionid=1f2e"),
        "http://a.example/;jsessionid=1f2e" => links(&["http://a.example/a"]),
        "http://a.example/a" => moved("http://a.example/a?PHPSESSID=77aa"),
        _ => PAGE,
    };
    let (pages, summary, _) = World {
        page: &page,
        robots: &no_rules,
        sitemap: &[],
    }
    .play(|_| ());
    assert_eq!(visited(&pages), ["/", "/a"]);
    assert_eq!((summary.fetched, summary.seed_problem), (2, None));
}

#[test]
fn a_seed_whose_redirect_target_is_first_found_in_a_sitemap_is_not_a_loop() {
    let page = |url: &str, _| match url {
        "http://a.example/" => SiteResponse {
            takes: SECOND,
            ..moved("http://a.example/home")
        },
        _ => PAGE,
    };
    let world = World {
        page: &page,
        robots: &no_rules,
        sitemap: &["http://a.example/home"],
    };
    let (pages, summary, _) = world.play(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert_eq!(pages.len(), 2);
    assert_eq!(summary.seed_problem, None);
}

#[test]
fn with_sitemaps_only_a_listed_redirect_is_not_the_seed() {
    let page = |url: &str, _| match url {
        "http://a.example/a" => moved("http://a.example/gone"),
        "http://a.example/gone" => status(404),
        _ => PAGE,
    };
    let world = World {
        page: &page,
        robots: &no_rules,
        sitemap: &["http://a.example/a", "http://a.example/b"],
    };
    let (pages, summary, _) = world.play(|spec| spec.sitemaps = SitemapPolicy::Only);
    assert_eq!(pages.len(), 3);
    assert_eq!(summary.seed_problem, None);
}

#[test]
fn a_host_that_is_parked_twice_does_not_block_others() {
    let page = |url: &str, _| match url {
        "http://a.example/" => links(&[
            "http://bad.a.example:81/a",
            "http://bad.a.example:82/a",
            "http://bad.a.example:81/b",
            "http://a.example/slow",
        ]),
        "http://a.example/slow" => SiteResponse {
            takes: SECOND,
            ..links(&["http://a.example/d2"])
        },
        "http://a.example/d2" => links(&["http://a.example/d3"]),
        _ => PAGE,
    };
    let robots = |origin: &str| match origin {
        "http://a.example" => "",
        _ => "User-agent: *\nCrawl-delay: 4000",
    };
    let (pages, summary, _) = World {
        page: &page,
        robots: &robots,
        sitemap: &[],
    }
    .play(|spec| {
        spec.scope = Some(ScopeKind::Domain);
        spec.max_depth = Some(DepthLimit::Links(9));
    });
    assert_eq!(visited(&pages), ["/", "/slow", "/d2", "/d3"]);
    assert!(matches!(summary.stop, StopReason::HostParked { .. }));
    assert_eq!((summary.left, summary.seed_problem), (3, None));
}

#[test]
fn a_parked_host_at_a_gate_does_not_block_another() {
    let page = |url: &str, _| match url {
        "http://a.example/" => links(&[
            "http://bad.a.example/g/1",
            "http://bad.a.example/g/2",
            "http://a.example/late",
        ]),
        "http://bad.a.example/g/1" => SiteResponse {
            retry_after: Some(SECOND * 9_000),
            ..status(503)
        },
        "http://a.example/late" => SiteResponse {
            takes: SECOND,
            ..links(&["http://a.example/g/9"])
        },
        _ => PAGE,
    };
    let (pages, ..) = World {
        page: &page,
        robots: &no_rules,
        sitemap: &[],
    }
    .play(|spec| {
        spec.scope = Some(ScopeKind::Domain);
        spec.path_delays = vec![("/g".into(), SECOND / 5)];
    });
    assert!(visited(&pages).contains(&"/g/9"), "{:?}", visited(&pages));
}

#[test]
fn a_seed_on_a_parked_host_is_a_failed_seed() {
    let robots = |_: &str| "User-agent: *\nCrawl-delay: 4000";
    let world = World {
        page: &|_, _| PAGE,
        robots: &robots,
        sitemap: &[],
    };
    let (pages, summary, _) = world.play(|_| ());
    assert!(pages.is_empty());
    assert!(summary.seed_problem.unwrap().to_string().contains("4000 s"));
}

#[test]
fn links_to_known_pages_are_not_counted_as_too_deep() {
    let page = |_: &str, _| {
        links(&[
            "http://a.example/",
            "http://a.example/b",
            "http://a.example/c",
        ])
    };
    let world = World {
        page: &page,
        robots: &no_rules,
        sitemap: &[],
    };
    let (pages, summary, _) = world.play(|spec| spec.max_depth = Some(DepthLimit::Links(1)));
    assert_eq!(pages.len(), 3);
    assert!(
        !summary
            .refused
            .contains_key(&crawler_model::RefuseReason::TooDeep),
        "{:?}",
        summary.refused
    );
}

#[test]
fn nofollow_links_are_refused_and_counted_if_the_plan_obeys_them() {
    let page = |_: &str, _| {
        links(&[
            "http://a.example/b",
            "http://a.example/nofollow",
            "mailto:a",
        ])
    };
    let world = World {
        page: &page,
        robots: &no_rules,
        sitemap: &[],
    };
    for (obey_nofollow, paths, refused) in [
        (false, &["/", "/b", "/nofollow"][..], None),
        (true, &["/", "/b"], Some(&2)),
    ] {
        let (pages, summary, _) = world.play(|spec| spec.obey_nofollow = obey_nofollow);
        assert_eq!(visited(&pages), paths);
        assert_eq!(summary.refused.get(&RefuseReason::Nofollow), refused);
    }
}

#[test]
fn a_seed_that_closes_a_loop_is_a_problem_of_the_seed() {
    let page = |url: &str, _| match url {
        "http://a.example/" => SiteResponse {
            takes: SECOND,
            ..moved("http://a.example/home")
        },
        _ => moved("http://a.example/"),
    };
    let world = World {
        page: &page,
        robots: &no_rules,
        sitemap: &["http://a.example/home"],
    };
    let (pages, summary, _) = world.play(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert_eq!(visited(&pages), ["/home", "/"]);
    assert!(pages[1].outcome.failure().is_some());
    assert!(summary.seed_problem.is_some());
}
