//! Every kind of report survives a replay unchanged.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

use std::time::Duration;

use crawler_frontier::{
    Delivery, Frontier, Moment, RobotsFetchResult, SiteFileReport, SiteFileResult, SiteFileTask,
    SitemapFetchResult, Work,
};
use crawler_journal::JournaledFrontier;
use crawler_model::{
    CrawlPlan, CrawlSpec, FailKind, Failure, LinkFacts, LinkList, Outcome, PageReport,
    RenderReason, Rendering, RequestSpec, RobotsPolicy, SitemapPolicy, SkipReason,
};
use crawler_sitefiles::Robots;
use crawler_weburl::{CrawlUrl, UrlKey};

const SECOND: Duration = Duration::from_secs(1);

fn plan(robots: RobotsPolicy) -> CrawlPlan {
    let spec = CrawlSpec {
        seed: "http://a.example/".into(),
        request: RequestSpec {
            max_attempts: Some(1),
            robots,
            ..RequestSpec::default()
        },
        sitemaps: if robots == RobotsPolicy::Respect {
            SitemapPolicy::Include
        } else {
            SitemapPolicy::Skip
        },
        ..CrawlSpec::default()
    };
    CrawlPlan::resolve(&spec, "crawler/0", 5).unwrap()
}

fn url(text: &str) -> CrawlUrl {
    CrawlUrl::parse(text).unwrap()
}

fn links(plan: &CrawlPlan) -> LinkList {
    let mut links = LinkList::default();
    let web = LinkFacts {
        web: true,
        in_scope: true,
        nofollow: true,
        download: false,
    };
    let full = "http://a.example/b?q=ü#part";
    let page = url("http://a.example/b?q=ü");
    let full = full.replace("ü", "%C3%BC");
    links.push(&full, page.as_str().len(), plan.keys.key(page.parts()), web);
    let other = LinkFacts {
        download: true,
        ..LinkFacts::default()
    };
    links.push("mailto:me@a.example", 19, UrlKey(0), other);
    links.omit_many(7);
    links
}

/// The deliveries as debug text, and the marks.
fn split(out: Vec<Delivery>) -> (Vec<String>, Vec<Vec<u8>>) {
    let (mut delivered, mut marks) = (Vec::new(), Vec::new());
    for delivery in out {
        match delivery {
            Delivery::Mark(events) => marks.push(events),
            other => delivered.push(format!("{other:?}")),
        }
    }
    (delivered, marks)
}

/// Replays the marks, and compares the deliveries and the next dispatch.
async fn assert_replay_matches(
    mut frontier: JournaledFrontier,
    plan: &CrawlPlan,
    mut out: Vec<Delivery>,
) {
    frontier.close(&mut out);
    let (delivered, marks) = split(out);
    let mut replayed = JournaledFrontier::new(plan, 5);
    let mut out = Vec::new();
    for mark in &marks {
        replayed.replay(mark, &mut out).await.unwrap();
    }
    assert_eq!(split(out).0, delivered);
    assert_eq!(replayed.progress_counts(), frontier.progress_counts());
    let late = 100 * SECOND;
    assert_eq!(
        replayed.resume(Duration::ZERO),
        frontier.resume(Duration::ZERO)
    );
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let next = frontier.take(9, late, &mut one).await.unwrap();
    assert_eq!(replayed.take(9, late, &mut other).await.unwrap(), next);
    assert_eq!(split(other).0, split(one).0);
}

#[tokio::test]
async fn pages() {
    let plan = plan(RobotsPolicy::Ignore);
    let mut outcomes = vec![
        Outcome::Fetched { html: true },
        Outcome::Fetched { html: false },
        Outcome::Redirected {
            to: url("http://a.example/elsewhere"),
        },
        Outcome::Skipped(SkipReason::Robots {
            rule: "Disallow: /ä".into(),
        }),
        Outcome::Skipped(SkipReason::RobotsUnavailable {
            message: "server error (500)".into(),
        }),
    ];
    let failed = |kind| Outcome::Failed(Failure::new(kind, format!("message of {kind}")));
    outcomes.extend(FailKind::ALL.map(failed));
    for outcome in outcomes {
        for filled in [false, true] {
            let mut frontier = JournaledFrontier::new(&plan, 5);
            let mut out = Vec::new();
            let mut dispatch = frontier.take(1, Moment::ZERO, &mut out).await.unwrap();
            let Some(Work::Page(task)) = dispatch.work.pop() else {
                panic!("expected the seed");
            };
            let mut report = PageReport::new(task, outcome.clone());
            if filled {
                report.links = links(&plan);
                report.status = Some(299);
                report.content_type = Some("text/html; charset=ü".into());
                report.wire_bytes = 1 << 40;
                report.body_bytes = 300;
                report.truncated = true;
                let rendering = Rendering {
                    timed_out: true,
                    ..Rendering::because(RenderReason::BrowserFailed)
                };
                report.rendering = Some(rendering.after(2 * SECOND));
                report.elapsed = Duration::new(3, 999_999_999);
                report.retry_after = Some(9 * SECOND);
            }
            frontier.settle(report, SECOND, &mut out).await.unwrap();
            assert!(
                out.iter()
                    .any(|delivered| matches!(delivered, Delivery::Page(_)))
            );
            assert_replay_matches(frontier, &plan, out).await;
        }
    }
}

/// Takes the next site-file task and settles it.
async fn settle_site_file(
    frontier: &mut JournaledFrontier,
    now: Moment,
    out: &mut Vec<Delivery>,
    report: impl FnOnce(SiteFileTask) -> SiteFileReport,
) {
    let mut dispatch = frontier.take(1, now, out).await.unwrap();
    let Some(Work::SiteFile(site_file)) = dispatch.work.pop() else {
        panic!("expected a site-file task");
    };
    let settled = frontier.settle_site_file(report(site_file), now, out).await;
    settled.unwrap();
}

fn site_file_report(found: SiteFileResult, text: Option<&str>) -> SiteFileReport {
    SiteFileReport {
        found,
        status: Some(203),
        retry_after: None,
        elapsed: SECOND,
        wire_bytes: 77,
        text: text.map(str::to_owned),
    }
}

const RULES: &str = "User-agent: *\nDisallow: /private\nCrawl-delay: 3\nSitemap: /maps.xml\n";

fn robots(
    site_file: SiteFileTask,
    answer: RobotsFetchResult,
    text: Option<&str>,
) -> SiteFileReport {
    let SiteFileTask::Robots(site_file) = site_file else {
        panic!("expected robots.txt first");
    };
    site_file_report(SiteFileResult::Robots(site_file, answer), text)
}

#[tokio::test]
async fn robots_files() {
    let plan = plan(RobotsPolicy::Respect);
    let failure = || Failure::new(FailKind::ServerError, "server error (500)");
    let answers = [
        (
            RobotsFetchResult::Rules(Robots::parse(RULES.as_bytes(), "crawler")),
            Some(RULES),
        ),
        (RobotsFetchResult::Rules(Robots::allow_all()), None),
        (RobotsFetchResult::Throttled(failure()), None),
        (RobotsFetchResult::Unavailable(failure()), None),
        (RobotsFetchResult::Unreachable(failure()), None),
        (
            RobotsFetchResult::Moved(url("http://a.example/r.txt")),
            None,
        ),
    ];
    for (answer, text) in answers {
        let mut frontier = JournaledFrontier::new(&plan, 5);
        let mut out = Vec::new();
        settle_site_file(&mut frontier, SECOND, &mut out, |site_file| {
            robots(site_file, answer, text)
        })
        .await;
        assert_replay_matches(frontier, &plan, out).await;
    }
}

#[tokio::test]
async fn sitemaps() {
    let plan = plan(RobotsPolicy::Respect);
    let answers = [
        SitemapFetchResult::Read {
            pages: links(&plan),
            sitemaps: vec![url("http://a.example/1.xml"), url("http://a.example/2.xml")],
            problem: Some("not well-formed".into()),
        },
        SitemapFetchResult::Read {
            pages: LinkList::default(),
            sitemaps: Vec::new(),
            problem: None,
        },
        SitemapFetchResult::Failed(Failure::new(FailKind::Decode, "no sitemap")),
        SitemapFetchResult::Moved(url("http://a.example/moved.xml")),
    ];
    for answer in answers {
        let mut frontier = JournaledFrontier::new(&plan, 5);
        let mut out = Vec::new();
        settle_site_file(&mut frontier, SECOND, &mut out, |site_file| {
            let rules = RobotsFetchResult::Rules(Robots::parse(RULES.as_bytes(), "crawler"));
            robots(site_file, rules, Some(RULES))
        })
        .await;
        settle_site_file(&mut frontier, 9 * SECOND, &mut out, |site_file| {
            let SiteFileTask::Sitemap(site_file) = site_file else {
                panic!("expected a sitemap next");
            };
            site_file_report(SiteFileResult::Sitemap(site_file, answer), None)
        })
        .await;
        assert_replay_matches(frontier, &plan, out).await;
    }
}

#[tokio::test]
async fn a_second_report_for_the_same_task_is_an_error() {
    let plan = plan(RobotsPolicy::Ignore);
    let mut frontier = JournaledFrontier::new(&plan, 5);
    let mut out = Vec::new();
    let mut dispatch = frontier.take(1, Moment::ZERO, &mut out).await.unwrap();
    let Some(Work::Page(task)) = dispatch.work.pop() else {
        panic!("expected the seed");
    };
    let report = PageReport::new(task, Outcome::Fetched { html: true });
    let duplicate = report.clone();
    frontier.settle(report, SECOND, &mut out).await.unwrap();
    let refused = frontier.settle(duplicate, SECOND, &mut out).await;
    assert!(refused.unwrap_err().0.contains("http://a.example/"));
}
