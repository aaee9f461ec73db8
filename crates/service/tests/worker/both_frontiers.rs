//! The frontier in memory and the one over a store are one contract: the same site, by the same plan, is the same
//! crawl, whatever the order in which its pages were had.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use engine::{Progress, Shelf, Stop, drive};
use fetch::FakeFetch;
use frontier::{Chance, MemoryFrontier};
use model::{CrawlPlan, FailKind, Outcome, PageReport, Sink, SinkError, Summary};
use service::job_params::{JobDefaults, JobParams, SitemapsChoice};
use store::{JobKind, Store, StoredTask, TaskState};

use crate::stage::{AtWork, Ground, fast, settings};

const SITE: &str = "http://site.test";
const WORLDS: u64 = 40;

/// What became of each page: its depth and the stable spelling of its end.
type Crawled = BTreeMap<String, (u32, String)>;

fn pick(chance: &mut Chance, of: usize) -> usize {
    // A fraction's bits are as random as it is.
    let bits = usize::try_from(chance.fraction().to_bits() >> 20).unwrap_or(0);
    bits % of.max(1)
}

/// A site of pages, redirects, loops, failures, forbidden paths and links that lead out.
fn world(chance: &mut Chance) -> FakeFetch {
    let pages = 5 + pick(chance, 40);
    let mut site = FakeFetch::default().file(
        &format!("{SITE}/robots.txt"),
        "User-agent: *\nDisallow: /private\n",
    );
    let sitemap = (0..3)
        .map(|_| format!("<url><loc>{SITE}/p{}</loc></url>", pick(chance, pages + 5)))
        .collect::<Vec<_>>()
        .concat();
    site = site.file(
        &format!("{SITE}/sitemap.xml"),
        &format!("<urlset>{sitemap}</urlset>"),
    );
    for page in 0..pages {
        let path = match page {
            0 => String::new(),
            _ => format!("p{page}"),
        };
        let kind = pick(chance, 12);
        let to = link(chance, pages);
        let links = (0..pick(chance, 8))
            .map(|_| format!("<a href=\"{}\">a</a>", link(chance, pages)))
            .collect::<Vec<_>>()
            .join(" ");
        // Whichever spelling is met first is the one that is asked for.
        for ending in ["", "?visit=1", "/", "/?visit=1"] {
            let url = format!("{SITE}/{path}{ending}");
            site = match kind {
                0 if page > 0 => site.redirect(&url, &to),
                1 if page > 0 => site.failure(&url, FailKind::Protocol, "not HTTP"),
                _ => site.page(&url, &format!("<title>{page}</title><p>words {links}")),
            };
        }
    }
    site
}

/// Some link; the last few pages do not exist.
fn link(chance: &mut Chance, pages: usize) -> String {
    let page = pick(chance, pages + 5);
    match pick(chance, 14) {
        0 => format!("{SITE}/p{page}?visit=1"),
        1 => format!("/p{page}#part"),
        2 => format!("/private/{page}"),
        3 => format!("http://elsewhere.test/p{page}"),
        4 => format!("/p{page}.pdf"),
        5 => format!("//site.test/p{page}/"),
        6 => "/".to_owned(),
        7 => "mailto:a@site.test".to_owned(),
        _ => format!("/p{page}"),
    }
}

fn ending(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fetched { .. } => "done".to_owned(),
        Outcome::Redirected { .. } => "skipped redirected".to_owned(),
        Outcome::Skipped(reason) => format!("skipped {}", reason.as_str()),
        Outcome::Failed(failure) => format!("failed {}", failure.kind.as_str()),
    }
}

struct Collector {
    plan: CrawlPlan,
    crawled: Arc<Mutex<Crawled>>,
}

impl Sink for Collector {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        let key = self.plan.keys.key_text(report.url.parts());
        let end = (report.depth, ending(&report.outcome));
        let before = self.crawled.lock().unwrap().insert(key, end);
        assert!(before.is_none(), "{} was reported twice", report.url);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary) -> Result<(), SinkError> {
        Ok(())
    }
}

async fn in_memory(plan: CrawlPlan, site: Arc<FakeFetch>) -> Crawled {
    let crawled = Arc::<Mutex<Crawled>>::default();
    let sink = Collector {
        plan: plan.clone(),
        crawled: Arc::clone(&crawled),
    };
    let shelf = Shelf::start(Box::new(sink)).unwrap();
    let frontier = MemoryFrontier::new(plan, 1);
    let progress = Arc::<Progress>::default();
    drive(frontier, site, 4, shelf, Stop::new(), progress)
        .await
        .unwrap();
    std::mem::take(&mut *crawled.lock().unwrap())
}

fn stored(task: &StoredTask) -> (String, (u32, String)) {
    let end = match (task.state, task.reason.as_deref()) {
        (TaskState::Done, _) => "done".to_owned(),
        // Where a redirect's target may not be followed, the row says why; a report says where it leads.
        (TaskState::Skipped, Some("out_of_scope" | "blocked_extension")) => {
            "skipped redirected".to_owned()
        }
        (state, reason) => format!("{} {}", state.as_str(), reason.unwrap_or("?")),
    };
    (task.final_url.clone(), (task.depth, end))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_frontiers_crawl_a_site_alike() {
    let ground = Ground::fresh(fast()).await;
    let mut pages = 0;
    for seed in 0..WORLDS {
        let mut chance = Chance::new(seed);
        let site = Arc::new(world(&mut chance));
        let params = JobParams {
            max_depth: Some(1 + u32::try_from(pick(&mut chance, 6)).unwrap()),
            sitemaps: (seed % 3 == 0).then_some(SitemapsChoice::Include),
            ignore_query: Some(seed % 2 == 0),
            same_domain: Some(seed % 5 > 0),
            ..JobParams::site(format!("{SITE}/"))
        };
        let plan = params
            .plan(JobKind::Crawl, &JobDefaults::default())
            .unwrap();
        let expected = in_memory(plan, Arc::clone(&site)).await;
        let job = ground.start(JobKind::Crawl, &params).await;
        let crew: Vec<AtWork> = (0..2)
            .map(|_| AtWork::begin(&ground.store, Arc::clone(&site), settings(fast())))
            .collect();
        ground.finished(job).await;
        for worker in crew {
            worker.end().await;
        }
        let tasks = ground.store.tasks(job, None, 1_000, None).await.unwrap();
        let found: Crawled = tasks.entries.iter().map(stored).collect();
        assert_eq!(found, expected, "world {seed}, {params:?}");
        pages += found.len();
    }
    assert!(pages > 200, "only {pages} pages in {WORLDS} worlds");
}
