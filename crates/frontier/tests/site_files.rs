//! robots.txt and sitemaps in the frontier: what is requested, when and how often, and the effect on the crawl.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crawler_frontier::{
    Delivery, Frontier, MemoryFrontier, Moment, Next, RobotsFetchResult, SiteFileReport,
    SiteFileResult, SiteFileTask, SitemapFetchResult, SitemapTask, Work,
};
use crawler_model::{
    CrawlPlan, CrawlSpec, DepthLimit, FailKind, Failure, LinkFacts, LinkList, Notice, Outcome,
    PageReport, RobotsErrors, SeedProblem, SitemapPolicy, StopReason,
};
use crawler_sitefiles::Robots;
use crawler_weburl::CrawlUrl;

const SEED: &str = "http://site.example/";

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the in-memory frontier waited"),
    }
}

/// A simulated site that responds at once.
struct TestSite<'a> {
    robots: &'a dyn Fn(u32) -> RobotsFetchResult,
    sitemap: &'a dyn Fn(&SitemapTask, &CrawlPlan) -> SitemapFetchResult,
    page: &'a dyn Fn(&str) -> Vec<String>,
}

fn found(found: SiteFileResult) -> SiteFileReport {
    SiteFileReport {
        found,
        status: None,
        retry_after: None,
        elapsed: Duration::ZERO,
        wire_bytes: 0,
        text: None,
    }
}

#[derive(Default)]
struct CrawlLog {
    /// Every request, in order.
    requests: Vec<(Moment, String)>,
    pages: Vec<PageReport>,
    notices: Vec<Notice>,
}

impl CrawlLog {
    fn urls(&self) -> Vec<&str> {
        self.requests.iter().map(|(_, url)| url.as_str()).collect()
    }
}

impl TestSite<'_> {
    fn run(
        &self,
        change: impl FnOnce(&mut CrawlSpec),
    ) -> (CrawlLog, StopReason, Option<SeedProblem>) {
        let mut spec = CrawlSpec {
            seed: SEED.into(),
            ..CrawlSpec::default()
        };
        change(&mut spec);
        let plan = CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap();
        let mut frontier = MemoryFrontier::new(&plan, 1);
        let mut log = CrawlLog::default();
        let (mut now, mut out) = (Moment::ZERO, Vec::new());
        let stop = loop {
            let dispatch = ready(frontier.take(10, now, &mut out)).unwrap();
            let idle = dispatch.work.is_empty();
            for work in dispatch.work {
                match work {
                    Work::Page(task) => {
                        log.requests.push((now, task.url.to_string()));
                        let mut report = PageReport::new(task, Outcome::Fetched { html: true });
                        report.status = Some(200);
                        report.links = list((self.page)(report.url.as_str()), &plan);
                        ready(frontier.settle(report, now, &mut out)).unwrap();
                    }
                    Work::SiteFile(SiteFileTask::Robots(site_file)) => {
                        log.requests.push((now, site_file.url.to_string()));
                        let answer = (self.robots)(site_file.attempt);
                        let report = found(SiteFileResult::Robots(site_file, answer));
                        ready(frontier.settle_site_file(report, now, &mut out)).unwrap();
                    }
                    Work::SiteFile(SiteFileTask::Sitemap(site_file)) => {
                        log.requests.push((now, site_file.url.to_string()));
                        let answer = (self.sitemap)(&site_file, &plan);
                        let report = found(SiteFileResult::Sitemap(site_file, answer));
                        ready(frontier.settle_site_file(report, now, &mut out)).unwrap();
                    }
                }
            }
            match dispatch.next {
                Next::Finished(reason) => break reason,
                Next::Until(at) if idle => now = now.max(at),
                _ => (),
            }
            assert!(log.requests.len() < 5_000, "does not end");
        };
        for delivery in out {
            match delivery {
                Delivery::Page(report) => log.pages.push(*report),
                Delivery::Notice(notice) => log.notices.push(notice),
                Delivery::Mark(_) => panic!("the in-memory frontier writes no marks"),
            }
        }
        (log, stop, frontier.summary(now).seed_problem)
    }
}

fn list(urls: Vec<String>, plan: &CrawlPlan) -> LinkList {
    let mut links = LinkList::default();
    for url in urls {
        let url = CrawlUrl::parse(&url).unwrap();
        let facts = LinkFacts {
            web: true,
            in_scope: true,
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

fn rules(text: &str) -> RobotsFetchResult {
    RobotsFetchResult::Rules(Robots::parse(text.as_bytes(), "crawler"))
}

fn no_page(_: &str) -> Vec<String> {
    Vec::new()
}

fn no_sitemap(_: &SitemapTask, _: &CrawlPlan) -> SitemapFetchResult {
    SitemapFetchResult::Failed(Failure::of_status(404))
}

fn read(pages: &[&str], sitemaps: &[String], plan: &CrawlPlan) -> SitemapFetchResult {
    SitemapFetchResult::Read {
        pages: list(pages.iter().map(|url| (*url).to_owned()).collect(), plan),
        sitemaps: sitemaps
            .iter()
            .map(|url| CrawlUrl::parse(url).unwrap())
            .collect(),
        problem: None,
    }
}

#[test]
fn robots_txt_is_fetched_once_before_the_first_page() {
    let site = TestSite {
        robots: &|_| rules("User-agent: *\nDisallow: /no"),
        sitemap: &no_sitemap,
        page: &|url| match url {
            SEED => vec![
                "http://site.example/no/1".into(),
                "http://site.example/yes".into(),
            ],
            _ => Vec::new(),
        },
    };
    let (log, stop, problem) = site.run(|_| ());
    assert_eq!(
        log.urls(),
        [
            "http://site.example/robots.txt",
            SEED,
            "http://site.example/yes"
        ]
    );
    assert_eq!((stop, problem), (StopReason::Done, None));
    let skipped = log
        .pages
        .iter()
        .find(|page| page.url.as_str().ends_with("/no/1"))
        .unwrap();
    assert!(
        matches!(&skipped.outcome, Outcome::Skipped(reason) if reason.to_string().contains("Disallow: /no"))
    );
}

#[test]
fn an_unavailable_robots_txt_is_retried_and_then_blocks_its_origin() {
    let unavailable = |_: u32| RobotsFetchResult::Unavailable(Failure::of_status(503));
    let site = TestSite {
        robots: &unavailable,
        sitemap: &no_sitemap,
        page: &no_page,
    };
    let (log, _, problem) = site.run(|spec| spec.request.max_attempts = Some(3));
    assert_eq!(log.urls().len(), 3, "{:?}", log.requests);
    assert!(
        log.requests[1].0 >= Duration::from_millis(250),
        "with a pause"
    );
    assert!(matches!(problem, Some(SeedProblem::Robots { .. })));
    assert!(matches!(log.notices[0], Notice::RobotsUnavailable { .. }));

    let recovers = |attempt| {
        if attempt == 1 {
            unavailable(attempt)
        } else {
            rules("")
        }
    };
    let site = TestSite {
        robots: &recovers,
        sitemap: &no_sitemap,
        page: &no_page,
    };
    let (log, _, problem) = site.run(|_| ());
    assert_eq!(log.urls().last(), Some(&SEED));
    assert_eq!(problem, None);
}

#[test]
fn with_robots_errors_allow_a_broken_robots_txt_blocks_nothing() {
    for answer in [
        RobotsFetchResult::Unavailable,
        RobotsFetchResult::Unreachable,
    ] {
        let broken = |_| answer(Failure::of_status(503));
        let site = TestSite {
            robots: &broken,
            sitemap: &no_sitemap,
            page: &no_page,
        };
        let (log, _, problem) = site.run(|spec| spec.request.robots_errors = RobotsErrors::Allow);
        assert_eq!(log.urls().last(), Some(&SEED));
        assert_eq!(problem, None);
    }
}

#[test]
fn an_unreachable_robots_txt_is_a_network_failure_of_the_page() {
    let refused =
        |_| RobotsFetchResult::Unreachable(Failure::new(FailKind::Connect, "connection refused"));
    let site = TestSite {
        robots: &refused,
        sitemap: &no_sitemap,
        page: &no_page,
    };
    let (log, _, problem) = site.run(|_| ());
    assert_eq!(log.pages.len(), 1);
    assert_eq!(
        log.pages[0].outcome.failure().unwrap().kind,
        FailKind::Connect
    );
    assert!(matches!(problem, Some(SeedProblem::Failed { .. })));
}

#[test]
fn a_crawl_delay_is_obeyed_and_a_huge_one_parks_the_host() {
    let page = |url: &str| match url {
        SEED => (1..5).map(|n| format!("http://site.example/{n}")).collect(),
        _ => Vec::new(),
    };
    let slow = |_| rules("User-agent: *\nCrawl-delay: 2.5");
    let site = TestSite {
        robots: &slow,
        sitemap: &no_sitemap,
        page: &page,
    };
    let (log, ..) = site.run(|_| ());
    assert_eq!(log.requests.len(), 6);
    for pair in log.requests.windows(2) {
        assert!(
            pair[1].0 >= pair[0].0 + Duration::from_millis(2_500),
            "{:?}",
            log.requests
        );
    }
    let never = |_| rules("User-agent: *\nCrawl-delay: 999999999");
    let site = TestSite {
        robots: &never,
        sitemap: &no_sitemap,
        page: &page,
    };
    let (log, stop, _) = site.run(|_| ());
    assert_eq!(log.urls().len(), 1);
    assert!(matches!(stop, StopReason::HostParked { .. }), "{stop:?}");
}

#[test]
fn sitemaps_come_from_robots_txt_or_the_default_path() {
    let named =
        |_| rules("Sitemap: http://site.example/a.xml\nSitemap: http://other.example/b.xml");
    let listed = |site_file: &SitemapTask, plan: &CrawlPlan| {
        assert!(site_file.named);
        read(
            &["http://site.example/listed", "http://elsewhere.example/"],
            &[],
            plan,
        )
    };
    let site = TestSite {
        robots: &named,
        sitemap: &listed,
        page: &no_page,
    };
    let (log, ..) = site.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    let requests = log.urls();
    for url in [
        "http://site.example/a.xml",
        "http://other.example/b.xml",
        "http://site.example/listed",
    ] {
        assert!(requests.contains(&url), "{requests:?}");
    }
    assert!(
        !requests.contains(&"http://elsewhere.example/"),
        "out of scope"
    );
    assert!(!requests.contains(&"http://site.example/sitemap.xml"));
    let listed = log
        .pages
        .iter()
        .find(|page| page.url.as_str().ends_with("listed"))
        .unwrap();
    assert_eq!(listed.depth, 1);

    let site = TestSite {
        robots: &|_| rules(""),
        sitemap: &no_sitemap,
        page: &no_page,
    };
    let (log, ..) = site.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert!(log.urls().contains(&"http://site.example/sitemap.xml"));
    assert!(
        log.notices.is_empty(),
        "a missing default sitemap is not reported"
    );
    let (log, ..) = site.run(|_| ());
    assert_eq!(log.urls(), ["http://site.example/robots.txt", SEED]);
}

#[test]
fn an_index_that_lists_itself_or_never_ends_is_bounded() {
    let itself =
        |site_file: &SitemapTask, plan: &CrawlPlan| read(&[], &[site_file.url.to_string()], plan);
    let site = TestSite {
        robots: &|_| rules(""),
        sitemap: &itself,
        page: &no_page,
    };
    let (log, ..) = site.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert_eq!(
        log.urls()
            .iter()
            .filter(|url| url.ends_with("sitemap.xml"))
            .count(),
        1
    );

    let deeper = |site_file: &SitemapTask, plan: &CrawlPlan| {
        read(&[], &[format!("{}x", site_file.url)], plan)
    };
    let site = TestSite {
        robots: &|_| rules(""),
        sitemap: &deeper,
        page: &no_page,
    };
    let (log, ..) = site.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert_eq!(
        log.urls()
            .iter()
            .filter(|url| url.contains("sitemap.xml"))
            .count(),
        3
    );
    assert!(
        log.notices
            .iter()
            .any(|notice| notice.to_string().contains("nested"))
    );

    let wide = |site_file: &SitemapTask, plan: &CrawlPlan| {
        let files: Vec<String> = (0..3_000)
            .map(|n| format!("http://site.example/s{n}.xml"))
            .collect();
        read(&[], if site_file.level == 1 { &files } else { &[] }, plan)
    };
    let site = TestSite {
        robots: &|_| rules(""),
        sitemap: &wide,
        page: &no_page,
    };
    let (log, ..) = site.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert_eq!(
        log.urls().iter().filter(|url| url.contains(".xml")).count(),
        1_000
    );
}

#[test]
fn with_sitemaps_only_links_are_not_followed() {
    let listed = |_: &SitemapTask, plan: &CrawlPlan| read(&["http://site.example/a"], &[], plan);
    let page = |_: &str| vec!["http://site.example/linked".to_owned()];
    let site = TestSite {
        robots: &|_| rules(""),
        sitemap: &listed,
        page: &page,
    };
    let (log, _, problem) = site.run(|spec| spec.sitemaps = SitemapPolicy::Only);
    assert_eq!(
        log.urls(),
        [
            "http://site.example/robots.txt",
            "http://site.example/sitemap.xml",
            "http://site.example/a"
        ]
    );
    assert_eq!(problem, None);

    let site = TestSite {
        robots: &|_| rules(""),
        sitemap: &no_sitemap,
        page: &page,
    };
    let (_, _, problem) = site.run(|spec| spec.sitemaps = SitemapPolicy::Only);
    assert!(matches!(problem, Some(SeedProblem::NoSitemap { .. })));
}

#[test]
fn no_page_of_depth_one_starts_before_the_sitemaps_are_read() {
    // Until the sitemap is read, pages of depth 1 do not start.
    let listed = |_: &SitemapTask, plan: &CrawlPlan| read(&["http://site.example/deep"], &[], plan);
    let page = |url: &str| match url {
        SEED => vec!["http://site.example/1".to_owned()],
        "http://site.example/1" => vec!["http://site.example/deep".to_owned()],
        _ => Vec::new(),
    };
    let site = TestSite {
        robots: &|_| rules(""),
        sitemap: &listed,
        page: &page,
    };
    let (log, ..) = site.run(|spec| {
        spec.sitemaps = SitemapPolicy::Include;
        spec.max_depth = Some(DepthLimit::Links(2));
    });
    let deep = log
        .pages
        .iter()
        .find(|page| page.url.as_str().ends_with("deep"))
        .unwrap();
    assert_eq!(deep.depth, 1, "found by the sitemap, not two links away");
}
