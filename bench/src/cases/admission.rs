//! Taking and settling a page in the frontier, including admission of its links.
//!
//! The crawl uses default settings (robots.txt with a few rules, limited depth, traps refused) and has progressed so far
//! that most links are known.

use std::time::Duration;

use crawler_frontier::{
    Delivery, Frontier, MemoryFrontier, RobotsFetchResult, SiteFileReport, SiteFileResult,
    SiteFileTask, Work,
};
use crawler_model::{LinkFacts, LinkList, Outcome, PageReport};
use crawler_sitefiles::Robots;
use futures_util::FutureExt;

use crate::case::{Case, Step};
use crate::pages::{CONTENT_TYPE, plan, url};

const SEED: &str = "https://docs.example.org/";
const ROBOTS: &str =
    "User-agent: *\nDisallow: /search\nDisallow: /*.cgi\nAllow: /docs/\nDisallow: /cart/\n";
const NOW: Duration = Duration::from_secs(1);

pub(crate) fn cases() -> Vec<Case> {
    // Name, number of links on a page, number of new links among them.
    [
        ("settle-20", 20, 1),
        ("settle-120", 120, 2),
        ("settle-20-new", 20, 20),
    ]
    .map(|(name, links, new)| {
        Case::new(name, 100, new, move |max_times| step(max_times, links, new))
    })
    .into()
}

fn step(max_times: usize, links: usize, new: usize) -> Step {
    let mut frontier = MemoryFrontier::new(&plan(SEED), 7);
    let mut out = Vec::new();
    // Enough queued pages and known links for every step.
    let known = max_times.max(links);
    settle_seed(&mut frontier, known, &mut out);
    let mut pages: Vec<LinkList> = (0..max_times)
        .map(|page| {
            let old = (0..links - new).map(|link| (page * 31 + link * 7) % known);
            let new = (0..new).map(|link| known + page * new + link);
            list(old.chain(new))
        })
        .collect();
    Box::new(move || {
        let admitted = frontier.admitted();
        let links = pages.pop().unwrap_or_default();
        take_and_settle(&mut frontier, links, &mut out);
        out.clear();
        usize::try_from(frontier.admitted() - admitted).unwrap_or_default()
    })
}

/// Settles robots.txt, then the seed with `known` links.
fn settle_seed(frontier: &mut MemoryFrontier, known: usize, out: &mut Vec<Delivery>) {
    let Some(Work::SiteFile(SiteFileTask::Robots(site_file))) = take(frontier, out) else {
        unreachable!("robots.txt comes first")
    };
    let rules = Robots::parse(ROBOTS.as_bytes(), "crawler");
    let report = SiteFileReport {
        found: SiteFileResult::Robots(site_file, RobotsFetchResult::Rules(rules)),
        status: Some(200),
        retry_after: None,
        elapsed: Duration::from_millis(20),
        wire_bytes: ROBOTS.len() as u64,
        text: None,
    };
    run_now(frontier.settle_site_file(report, NOW, out));
    take_and_settle(frontier, list(0..known), out);
}

fn take_and_settle(frontier: &mut MemoryFrontier, links: LinkList, out: &mut Vec<Delivery>) {
    let Some(Work::Page(task)) = take(frontier, out) else {
        unreachable!("a page is queued")
    };
    let mut report = PageReport::new(task, Outcome::Fetched { html: true });
    report.links = links;
    report.status = Some(200);
    report.content_type = Some(CONTENT_TYPE.into());
    report.wire_bytes = 3_000;
    report.body_bytes = 3_000;
    run_now(frontier.settle(report, NOW, out));
}

fn take(frontier: &mut MemoryFrontier, out: &mut Vec<Delivery>) -> Option<Work> {
    run_now(frontier.take(1, NOW, out)).work.pop()
}

/// Polls a future of the memory frontier, which never waits.
fn run_now<T, E: std::fmt::Debug>(step: impl Future<Output = Result<T, E>>) -> T {
    let result = step
        .now_or_never()
        .expect("the memory frontier never waits");
    result.expect("the memory frontier cannot fail")
}

fn list(numbers: impl Iterator<Item = usize>) -> LinkList {
    let keys = plan(SEED).keys;
    let facts = LinkFacts {
        web: true,
        in_scope: true,
        ..LinkFacts::default()
    };
    let mut list = LinkList::default();
    for number in numbers {
        let url = url(&format!("{SEED}docs/guides/harbour-ledger-{number}/"));
        list.push(
            url.as_str(),
            url.as_str().len(),
            keys.key(url.parts()),
            facts,
        );
    }
    list
}
