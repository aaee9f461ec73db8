//! Crawls sites of many kinds without limits: nearly all of the pages that are wanted are fetched, few requests are spent in traps,
//! and every URL that is not fetched is reported with the reason.

#![expect(clippy::unwrap_used, reason = "a failing step should fail the test")]

#[macro_use]
mod each_kind;
mod space_fetch;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};

use crawler_engine::{Output, OutputEnded, Progress, Stop, drive};
use crawler_frontier::{Delivery, MemoryFrontier};
use crawler_model::{
    CrawlPlan, CrawlSpec, DepthLimit, Outcome, PageReport, RefuseReason, RequestSpec, RobotsPolicy,
    SinkError, SitemapPolicy, SkipReason, StopReason, Summary,
};
use testsite::url_spaces::SiteKind;

use each_kind::{bar, limit, seeds};
use space_fetch::{Measured, ORIGIN, SpaceFetch};

/// A crawl that reaches this is caught in a trap.
const MAX_PAGES: u64 = 20_000;

fn plan(has_sitemap: bool, max_pages: u64) -> CrawlPlan {
    let spec = CrawlSpec {
        seed: format!("{ORIGIN}/"),
        request: RequestSpec {
            robots: RobotsPolicy::Ignore,
            ..RequestSpec::default()
        },
        max_pages: Some(max_pages),
        max_depth: Some(DepthLimit::Unlimited),
        sitemaps: if has_sitemap {
            SitemapPolicy::Include
        } else {
            SitemapPolicy::Skip
        },
        traps: Some(true),
        ..CrawlSpec::default()
    };
    CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap()
}

/// Keeps all reports.
#[derive(Clone, Default)]
struct Reports(Arc<Mutex<Vec<PageReport>>>);

impl Output for Reports {
    async fn put(&mut self, deliveries: Vec<Delivery>) -> Result<(), OutputEnded> {
        let mut reports = self.0.lock().unwrap();
        for delivery in deliveries {
            if let Delivery::Page(report) = delivery {
                reports.push(*report);
            }
        }
        Ok(())
    }

    async fn close(self, _summary: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}

fn crawl(fetch: &Arc<SpaceFetch>, workers: usize, max_pages: u64) -> (Summary, Vec<PageReport>) {
    let plan = plan(fetch.site.has_sitemap(), max_pages);
    let reports = Reports::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let summary = runtime.block_on(drive(
        MemoryFrontier::new(&plan, 1),
        Arc::clone(fetch),
        workers,
        reports.clone(),
        Stop::new(),
        Arc::<Progress>::default(),
    ));
    let reports = std::mem::take(&mut *reports.0.lock().unwrap());
    (summary.unwrap(), reports)
}

fn check(kind: &SiteKind) {
    let mut failures = Vec::new();
    for seed in seeds() {
        for workers in [1, 25] {
            let fetch = Arc::new(SpaceFetch::new((kind.make)(seed), workers > 1));
            let name = format!("{} (seed {seed}, {workers} workers)", kind.name);
            let (max_pages, expected) = if bar(kind, &[]).ends {
                (MAX_PAGES, StopReason::Done)
            } else {
                (limit(&fetch.site) as u64, StopReason::MaxPages)
            };
            let (summary, reports) = crawl(&fetch, workers, max_pages);
            if summary.stop != expected {
                failures.push(format!("{name}: stopped: {:?}", summary.stop));
            }
            failures.extend(Measured::of(&fetch).failures(&name, bar(kind, &[])));
            check_told(&name, &summary, &reports);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every URL that was found has a report, or the page it was found on says why it is refused; the summary counts the same. What is
/// left at a limit has no report.
fn check_told(name: &str, summary: &Summary, reports: &[PageReport]) {
    let reported: HashSet<&str> = reports.iter().map(|report| report.url.as_str()).collect();
    let mut refused = BTreeMap::<RefuseReason, u64>::new();
    let mut told = HashSet::new();
    for report in reports {
        if let Outcome::Skipped(SkipReason::Trap(reason)) = &report.outcome {
            *refused.entry(*reason).or_default() += 1;
        }
        for (index, reason) in report.links.refused() {
            if reason.is_trap() {
                *refused.entry(*reason).or_default() += 1;
                told.insert(report.links.get(*index as usize).unwrap().page);
            }
        }
    }
    let all = reports.iter().filter(|_| summary.stop == StopReason::Done);
    for report in all {
        for link in report.links.iter().filter(|link| link.facts.in_scope) {
            // The key ignores a slash at the end.
            let is_reported =
                reported.contains(link.page) || reported.contains(link.page.trim_end_matches('/'));
            assert!(
                is_reported || told.contains(link.page),
                "{name}: {} is lost",
                link.page
            );
        }
    }
    let counted = summary
        .refused
        .iter()
        .filter(|(reason, _)| reason.is_trap());
    let counted: BTreeMap<RefuseReason, u64> = counted.map(|(r, count)| (*r, *count)).collect();
    assert_eq!(counted, refused, "{name}");
}

all_kinds! { check }
