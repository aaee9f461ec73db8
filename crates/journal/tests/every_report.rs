//! Every kind of report comes back as it was: settled once, written down, replayed, compared.

#![expect(clippy::unwrap_used, reason = "a test's own helpers may stop it")]

use std::time::Duration;

use crawler_frontier::{
    Delivery, Frontier, Moment, RobotsAnswer, SiteFileReport, SiteFileResult, SiteFileTask,
    SitemapAnswer, Work,
};
use crawler_journal::JournaledFrontier;
use crawler_model::{
    CrawlPlan, CrawlSpec, FailKind, Failure, LinkFacts, LinkList, Outcome, PageReport,
    RenderReason, Rendering, RobotsPolicy, SitemapPolicy, SkipReason,
};
use crawler_sitefiles::Robots;
use crawler_weburl::{CrawlUrl, UrlKey};

const SECOND: Duration = Duration::from_secs(1);

fn plan(robots: RobotsPolicy) -> CrawlPlan {
    let spec = CrawlSpec {
        seed: "http://a.example/".into(),
        max_attempts: Some(1),
        robots,
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

/// What was delivered, in words, and the marks.
fn split(out: Vec<Delivery>) -> (Vec<String>, Vec<Vec<u8>>) {
    let (mut told, mut marks) = (Vec::new(), Vec::new());
    for delivery in out {
        match delivery {
            Delivery::Mark(events) => marks.push(events),
            other => told.push(format!("{other:?}")),
        }
    }
    (told, marks)
}

/// Replays, and compares what is delivered and what comes next.
async fn same_again(mut frontier: JournaledFrontier, plan: &CrawlPlan, mut out: Vec<Delivery>) {
    frontier.close(&mut out);
    let (told, marks) = split(out);
    let mut again = JournaledFrontier::new(plan, 5);
    let mut out = Vec::new();
    for mark in &marks {
        again.replay(mark, &mut out).await.unwrap();
    }
    assert_eq!(split(out).0, told);
    assert_eq!(again.progress_counts(), frontier.progress_counts());
    let late = 100 * SECOND;
    assert_eq!(again.resume(), frontier.resume());
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let next = frontier.take(9, late, &mut one).await.unwrap();
    assert_eq!(again.take(9, late, &mut other).await.unwrap(), next);
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
    let failed = |kind| Outcome::Failed(Failure::new(kind, format!("words of {kind}")));
    outcomes.extend(FailKind::ALL.map(failed));
    for outcome in outcomes {
        for filled in [false, true] {
            let mut frontier = JournaledFrontier::new(&plan, 5);
            let mut out = Vec::new();
            let mut turn = frontier.take(1, Moment::ZERO, &mut out).await.unwrap();
            let Some(Work::Page(task)) = turn.work.pop() else {
                panic!("the seed is handed out");
            };
            let mut report = PageReport::new(task, outcome.clone());
            if filled {
                report.links = links(&plan);
                report.status = Some(299);
                report.content_type = Some("text/html; charset=ü".into());
                report.wire_bytes = 1 << 40;
                report.body_bytes = 300;
                report.truncated = true;
                report.rendering =
                    Some(Rendering::because(RenderReason::BrowserFailed).after(2 * SECOND));
                report.elapsed = Duration::new(3, 999_999_999);
                report.retry_after = Some(9 * SECOND);
            }
            frontier.settle(report, SECOND, &mut out).await.unwrap();
            assert!(out.iter().any(|told| matches!(told, Delivery::Page(_))));
            same_again(frontier, &plan, out).await;
        }
    }
}

/// Settles the site-file task that is out.
async fn settled(
    frontier: &mut JournaledFrontier,
    now: Moment,
    out: &mut Vec<Delivery>,
    report: impl FnOnce(SiteFileTask) -> SiteFileReport,
) {
    let mut turn = frontier.take(1, now, out).await.unwrap();
    let Some(Work::SiteFile(site_file)) = turn.work.pop() else {
        panic!("a file of the site is asked for");
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

fn robots(site_file: SiteFileTask, answer: RobotsAnswer, text: Option<&str>) -> SiteFileReport {
    let SiteFileTask::Robots(site_file) = site_file else {
        panic!("robots.txt is asked for first");
    };
    site_file_report(SiteFileResult::Robots(site_file, answer), text)
}

#[tokio::test]
async fn robots_files() {
    let plan = plan(RobotsPolicy::Respect);
    let failure = || Failure::new(FailKind::ServerError, "server error (500)");
    let answers = [
        (
            RobotsAnswer::Rules(Robots::parse(RULES.as_bytes(), "crawler")),
            Some(RULES),
        ),
        (RobotsAnswer::Rules(Robots::allow_all()), None),
        (RobotsAnswer::Unavailable(failure()), None),
        (RobotsAnswer::Unreachable(failure()), None),
        (RobotsAnswer::Moved(url("http://a.example/r.txt")), None),
    ];
    for (answer, text) in answers {
        let mut frontier = JournaledFrontier::new(&plan, 5);
        let mut out = Vec::new();
        settled(&mut frontier, SECOND, &mut out, |site_file| {
            robots(site_file, answer, text)
        })
        .await;
        same_again(frontier, &plan, out).await;
    }
}

#[tokio::test]
async fn sitemaps() {
    let plan = plan(RobotsPolicy::Respect);
    let answers = [
        SitemapAnswer::Read {
            pages: links(&plan),
            sitemaps: vec![url("http://a.example/1.xml"), url("http://a.example/2.xml")],
            problem: Some("not well-formed".into()),
        },
        SitemapAnswer::Read {
            pages: LinkList::default(),
            sitemaps: Vec::new(),
            problem: None,
        },
        SitemapAnswer::Failed(Failure::new(FailKind::Decode, "no sitemap")),
        SitemapAnswer::Moved(url("http://a.example/moved.xml")),
    ];
    for answer in answers {
        let mut frontier = JournaledFrontier::new(&plan, 5);
        let mut out = Vec::new();
        settled(&mut frontier, SECOND, &mut out, |site_file| {
            let rules = RobotsAnswer::Rules(Robots::parse(RULES.as_bytes(), "crawler"));
            robots(site_file, rules, Some(RULES))
        })
        .await;
        settled(&mut frontier, 9 * SECOND, &mut out, |site_file| {
            let SiteFileTask::Sitemap(site_file) = site_file else {
                panic!("a sitemap is asked for next");
            };
            site_file_report(SiteFileResult::Sitemap(site_file, answer), None)
        })
        .await;
        same_again(frontier, &plan, out).await;
    }
}

#[tokio::test]
async fn a_report_nobody_asked_for_is_an_error() {
    let plan = plan(RobotsPolicy::Ignore);
    let mut frontier = JournaledFrontier::new(&plan, 5);
    let mut out = Vec::new();
    let mut turn = frontier.take(1, Moment::ZERO, &mut out).await.unwrap();
    let Some(Work::Page(task)) = turn.work.pop() else {
        panic!("the seed is handed out");
    };
    let report = PageReport::new(task, Outcome::Fetched { html: true });
    let again = report.clone();
    frontier.settle(report, SECOND, &mut out).await.unwrap();
    let refused = frontier.settle(again, SECOND, &mut out).await;
    assert!(refused.unwrap_err().0.contains("http://a.example/"));
}
