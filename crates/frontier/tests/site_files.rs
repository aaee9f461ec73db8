//! robots.txt and sitemaps as the frontier sees them: what is asked for, when, how often, and what follows.

#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crawler_frontier::{
    Delivery, Frontier, MemoryFrontier, Moment, Next, RobotsAnswer, SiteFileReport, SiteFileResult,
    SiteFileTask, SitemapAnswer, SitemapTask, Work,
};
use crawler_model::{
    CrawlPlan, CrawlSpec, FailKind, Failure, LinkFacts, LinkList, Notice, Outcome, PageReport,
    RobotsErrors, SeedProblem, SitemapPolicy, StopReason,
};
use crawler_sitefiles::Robots;
use crawler_weburl::CrawlUrl;

const SEED: &str = "http://site.example/";

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a frontier in memory waited"),
    }
}

/// Plays a crawl in which everything is answered at once.
struct Play<'a> {
    robots: &'a dyn Fn(u32) -> RobotsAnswer,
    sitemap: &'a dyn Fn(&SitemapTask, &CrawlPlan) -> SitemapAnswer,
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
struct Told {
    /// Every request, in order.
    asked: Vec<(Moment, String)>,
    pages: Vec<PageReport>,
    notices: Vec<Notice>,
}

impl Told {
    fn asked(&self) -> Vec<&str> {
        self.asked.iter().map(|(_, url)| url.as_str()).collect()
    }
}

impl Play<'_> {
    fn run(&self, change: impl FnOnce(&mut CrawlSpec)) -> (Told, StopReason, Option<SeedProblem>) {
        let mut spec = CrawlSpec {
            seed: SEED.into(),
            ..CrawlSpec::default()
        };
        change(&mut spec);
        let plan = CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap();
        let mut frontier = MemoryFrontier::new(&plan, 1);
        let mut told = Told::default();
        let (mut now, mut out) = (Moment::ZERO, Vec::new());
        let stop = loop {
            let turn = ready(frontier.take(10, now, &mut out)).unwrap();
            let idle = turn.work.is_empty();
            for work in turn.work {
                match work {
                    Work::Page(task) => {
                        told.asked.push((now, task.url.to_string()));
                        let mut report = PageReport::new(task, Outcome::Fetched { html: true });
                        report.status = Some(200);
                        report.links = list((self.page)(report.url.as_str()), &plan);
                        ready(frontier.settle(report, now, &mut out)).unwrap();
                    }
                    Work::SiteFile(SiteFileTask::Robots(site_file)) => {
                        told.asked.push((now, site_file.url.to_string()));
                        let answer = (self.robots)(site_file.attempt);
                        let report = found(SiteFileResult::Robots(site_file, answer));
                        ready(frontier.settle_site_file(report, now, &mut out)).unwrap();
                    }
                    Work::SiteFile(SiteFileTask::Sitemap(site_file)) => {
                        told.asked.push((now, site_file.url.to_string()));
                        let answer = (self.sitemap)(&site_file, &plan);
                        let report = found(SiteFileResult::Sitemap(site_file, answer));
                        ready(frontier.settle_site_file(report, now, &mut out)).unwrap();
                    }
                }
            }
            match turn.next {
                Next::Finished(reason) => break reason,
                Next::Until(at) if idle => now = now.max(at),
                _ => (),
            }
            assert!(told.asked.len() < 5_000, "does not end");
        };
        for delivery in out {
            match delivery {
                Delivery::Page(report) => told.pages.push(*report),
                Delivery::Notice(notice) => told.notices.push(notice),
                Delivery::Mark(_) => panic!("a frontier in memory keeps nothing"),
            }
        }
        (told, stop, frontier.summary(now).seed_problem)
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

fn rules(text: &str) -> RobotsAnswer {
    RobotsAnswer::Rules(Robots::parse(text.as_bytes(), "crawler"))
}

fn no_page(_: &str) -> Vec<String> {
    Vec::new()
}

fn no_sitemap(_: &SitemapTask, _: &CrawlPlan) -> SitemapAnswer {
    SitemapAnswer::Failed(Failure::of_status(404))
}

fn read(pages: &[&str], sitemaps: &[String], plan: &CrawlPlan) -> SitemapAnswer {
    SitemapAnswer::Read {
        pages: list(pages.iter().map(|url| (*url).to_owned()).collect(), plan),
        sitemaps: sitemaps
            .iter()
            .map(|url| CrawlUrl::parse(url).unwrap())
            .collect(),
        problem: None,
    }
}

#[test]
fn robots_comes_before_the_first_page_and_once() {
    let play = Play {
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
    let (told, stop, problem) = play.run(|_| ());
    assert_eq!(
        told.asked(),
        [
            "http://site.example/robots.txt",
            SEED,
            "http://site.example/yes"
        ]
    );
    assert_eq!((stop, problem), (StopReason::Done, None));
    let skipped = told
        .pages
        .iter()
        .find(|page| page.url.as_str().ends_with("/no/1"))
        .unwrap();
    assert!(
        matches!(&skipped.outcome, Outcome::Skipped(reason) if reason.to_string().contains("Disallow: /no"))
    );
}

#[test]
fn a_broken_robots_is_tried_again_and_then_blocks_its_origin() {
    let unavailable = |_: u32| RobotsAnswer::Unavailable(Failure::of_status(503));
    let play = Play {
        robots: &unavailable,
        sitemap: &no_sitemap,
        page: &no_page,
    };
    let (told, _, problem) = play.run(|spec| spec.max_attempts = Some(3));
    assert_eq!(told.asked().len(), 3, "{:?}", told.asked);
    assert!(
        told.asked[1].0 >= Duration::from_millis(250),
        "with a pause"
    );
    assert!(matches!(problem, Some(SeedProblem::Robots { .. })));
    assert!(matches!(told.notices[0], Notice::RobotsUnavailable { .. }));

    let recovers = |attempt| {
        if attempt == 1 {
            unavailable(attempt)
        } else {
            rules("")
        }
    };
    let play = Play {
        robots: &recovers,
        sitemap: &no_sitemap,
        page: &no_page,
    };
    let (told, _, problem) = play.run(|_| ());
    assert_eq!(told.asked().last(), Some(&SEED));
    assert_eq!(problem, None);
}

#[test]
fn where_the_plan_says_so_a_broken_robots_allows() {
    for answer in [RobotsAnswer::Unavailable, RobotsAnswer::Unreachable] {
        let broken = |_| answer(Failure::of_status(503));
        let play = Play {
            robots: &broken,
            sitemap: &no_sitemap,
            page: &no_page,
        };
        let (told, _, problem) = play.run(|spec| spec.robots_errors = RobotsErrors::Allow);
        assert_eq!(told.asked().last(), Some(&SEED));
        assert_eq!(problem, None);
    }
}

#[test]
fn no_answer_for_robots_is_a_network_failure_of_the_page() {
    let refused =
        |_| RobotsAnswer::Unreachable(Failure::new(FailKind::Connect, "connection refused"));
    let play = Play {
        robots: &refused,
        sitemap: &no_sitemap,
        page: &no_page,
    };
    let (told, _, problem) = play.run(|_| ());
    assert_eq!(told.pages.len(), 1);
    assert_eq!(
        told.pages[0].outcome.failure().unwrap().kind,
        FailKind::Connect
    );
    assert!(matches!(problem, Some(SeedProblem::Failed { .. })));
}

#[test]
fn a_crawl_delay_is_kept_and_a_huge_one_parks_the_host() {
    let page = |url: &str| match url {
        SEED => (1..5).map(|n| format!("http://site.example/{n}")).collect(),
        _ => Vec::new(),
    };
    let slow = |_| rules("User-agent: *\nCrawl-delay: 2.5");
    let play = Play {
        robots: &slow,
        sitemap: &no_sitemap,
        page: &page,
    };
    let (told, ..) = play.run(|_| ());
    assert_eq!(told.asked.len(), 6);
    for pair in told.asked.windows(2) {
        assert!(
            pair[1].0 >= pair[0].0 + Duration::from_millis(2_500),
            "{:?}",
            told.asked
        );
    }
    let never = |_| rules("User-agent: *\nCrawl-delay: 999999999");
    let play = Play {
        robots: &never,
        sitemap: &no_sitemap,
        page: &page,
    };
    let (told, stop, _) = play.run(|_| ());
    assert_eq!(told.asked().len(), 1);
    assert!(matches!(stop, StopReason::HostParked { .. }), "{stop:?}");
}

#[test]
fn sitemaps_named_by_robots_else_the_usual_place() {
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
    let play = Play {
        robots: &named,
        sitemap: &listed,
        page: &no_page,
    };
    let (told, ..) = play.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    let asked = told.asked();
    for url in [
        "http://site.example/a.xml",
        "http://other.example/b.xml",
        "http://site.example/listed",
    ] {
        assert!(asked.contains(&url), "{asked:?}");
    }
    assert!(
        !asked.contains(&"http://elsewhere.example/"),
        "out of scope"
    );
    assert!(!asked.contains(&"http://site.example/sitemap.xml"));
    let listed = told
        .pages
        .iter()
        .find(|page| page.url.as_str().ends_with("listed"))
        .unwrap();
    assert_eq!(listed.depth, 1);

    let play = Play {
        robots: &|_| rules(""),
        sitemap: &no_sitemap,
        page: &no_page,
    };
    let (told, ..) = play.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert!(told.asked().contains(&"http://site.example/sitemap.xml"));
    assert!(
        told.notices.is_empty(),
        "a missing one that nobody named is not worth a line"
    );
    let (told, ..) = play.run(|_| ());
    assert_eq!(told.asked(), ["http://site.example/robots.txt", SEED]);
}

#[test]
fn an_index_that_lists_itself_or_goes_on_for_ever_ends() {
    let itself =
        |site_file: &SitemapTask, plan: &CrawlPlan| read(&[], &[site_file.url.to_string()], plan);
    let play = Play {
        robots: &|_| rules(""),
        sitemap: &itself,
        page: &no_page,
    };
    let (told, ..) = play.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert_eq!(
        told.asked()
            .iter()
            .filter(|url| url.ends_with("sitemap.xml"))
            .count(),
        1
    );

    let deeper = |site_file: &SitemapTask, plan: &CrawlPlan| {
        read(&[], &[format!("{}x", site_file.url)], plan)
    };
    let play = Play {
        robots: &|_| rules(""),
        sitemap: &deeper,
        page: &no_page,
    };
    let (told, ..) = play.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert_eq!(
        told.asked()
            .iter()
            .filter(|url| url.contains("sitemap.xml"))
            .count(),
        3
    );
    assert!(
        told.notices
            .iter()
            .any(|notice| notice.to_string().contains("nested"))
    );

    let wide = |site_file: &SitemapTask, plan: &CrawlPlan| {
        let files: Vec<String> = (0..3_000)
            .map(|n| format!("http://site.example/s{n}.xml"))
            .collect();
        read(&[], if site_file.level == 1 { &files } else { &[] }, plan)
    };
    let play = Play {
        robots: &|_| rules(""),
        sitemap: &wide,
        page: &no_page,
    };
    let (told, ..) = play.run(|spec| spec.sitemaps = SitemapPolicy::Include);
    assert_eq!(
        told.asked()
            .iter()
            .filter(|url| url.contains(".xml"))
            .count(),
        1_000
    );
}

#[test]
fn with_sitemaps_only_links_are_not_followed() {
    let listed = |_: &SitemapTask, plan: &CrawlPlan| read(&["http://site.example/a"], &[], plan);
    let page = |_: &str| vec!["http://site.example/linked".to_owned()];
    let play = Play {
        robots: &|_| rules(""),
        sitemap: &listed,
        page: &page,
    };
    let (told, _, problem) = play.run(|spec| spec.sitemaps = SitemapPolicy::Only);
    assert_eq!(
        told.asked(),
        [
            "http://site.example/robots.txt",
            "http://site.example/sitemap.xml",
            "http://site.example/a"
        ]
    );
    assert_eq!(problem, None);

    let play = Play {
        robots: &|_| rules(""),
        sitemap: &no_sitemap,
        page: &page,
    };
    let (_, _, problem) = play.run(|spec| spec.sitemaps = SitemapPolicy::Only);
    assert!(matches!(problem, Some(SeedProblem::NoSitemap { .. })));
}

#[test]
fn no_page_of_depth_one_starts_before_the_sitemaps_are_read() {
    // The sitemap fails once and comes back later; until it is read or waiting, level 1 is held back.
    let listed = |_: &SitemapTask, plan: &CrawlPlan| read(&["http://site.example/deep"], &[], plan);
    let page = |url: &str| match url {
        SEED => vec!["http://site.example/1".to_owned()],
        "http://site.example/1" => vec!["http://site.example/deep".to_owned()],
        _ => Vec::new(),
    };
    let play = Play {
        robots: &|_| rules(""),
        sitemap: &listed,
        page: &page,
    };
    let (told, ..) = play.run(|spec| {
        spec.sitemaps = SitemapPolicy::Include;
        spec.max_depth = Some(2);
    });
    let deep = told
        .pages
        .iter()
        .find(|page| page.url.as_str().ends_with("deep"))
        .unwrap();
    assert_eq!(deep.depth, 1, "found by the sitemap, not two links away");
}
