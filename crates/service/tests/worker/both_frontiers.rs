//! The in-memory frontier and the stored one implement the same contract: the same site with the same plan gives the
//! same crawl, whatever the order in which its pages are fetched. Only which page of a redirect loop closes it, and so
//! fails, depends on the order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use crawler_engine::{OutputWriter, Progress, Stop, drive};
use crawler_fetch::FakeFetch;
use crawler_frontier::{MemoryFrontier, Rng};
use crawler_model::{CrawlPlan, FailKind, Outcome, PageReport, Sink, SinkError, Summary};
use crawler_service::job_params::{JobDefaults, JobParams, SitemapsChoice};
use crawler_store::{Access, JobKind, Results, StoredTask, TaskState};

use crate::test_store::{RunningWorker, TestStore, fast, settings};

const SITE: &str = "http://site.test";
const WORLDS: u64 = 40;

/// Outcome of each page: its depth and the stable spelling of the outcome.
type Crawled = BTreeMap<String, (u32, String)>;

/// The target of each redirect.
type Targets = BTreeMap<String, String>;

fn pick(rng: &mut Rng, of: usize) -> usize {
    // The bits of a random fraction are random as well.
    let bits = usize::try_from(rng.fraction().to_bits() >> 20).unwrap_or(0);
    bits % of.max(1)
}

/// A random site of pages, redirects, loops, failures, disallowed paths and external links.
fn world(rng: &mut Rng) -> FakeFetch {
    let pages = 5 + pick(rng, 40);
    let mut site = FakeFetch::default().file(
        &format!("{SITE}/robots.txt"),
        "User-agent: *\nDisallow: /private\n",
    );
    let sitemap = (0..3)
        .map(|_| format!("<url><loc>{SITE}/p{}</loc></url>", pick(rng, pages + 5)))
        .collect::<Vec<_>>()
        .join("\n");
    site = site.file(
        &format!("{SITE}/sitemap.xml"),
        &format!("<urlset>{sitemap}</urlset>"),
    );
    for page in 0..pages {
        let path = match page {
            0 => String::new(),
            _ => format!("p{page}"),
        };
        let kind = pick(rng, 12);
        let to = link(rng, pages);
        let links = (0..pick(rng, 8))
            .map(|_| format!("<a href=\"{}\">a</a>", link(rng, pages)))
            .collect::<Vec<_>>()
            .join(" ");
        // The spelling found first is the one that is requested.
        for ending in ["", "?visit=1", "/", "/?visit=1"] {
            let url = format!("{SITE}/{path}{ending}");
            site = match kind {
                0 if page > 0 => site.redirect(&url, &to),
                1 if page > 0 => site.failure(&url, FailKind::Protocol, "not HTTP"),
                _ => site.page(&url, &format!("<title>{page}</title><p>words {links}")),
            };
        }
    }
    // A redirect loop, whose pages may all be found as links.
    let loop_pages = 2 + pick(rng, 3);
    for page in 0..loop_pages {
        for ending in ["", "/"] {
            let url = format!("{SITE}/loop{page}{ending}");
            site = site.redirect(&url, &format!("/loop{}", (page + 1) % loop_pages));
        }
    }
    site
}

/// A random link; the last few pages do not exist.
fn link(rng: &mut Rng, pages: usize) -> String {
    let page = pick(rng, pages + 5);
    match pick(rng, 15) {
        0 => format!("{SITE}/p{page}?visit=1"),
        1 => format!("/p{page}#part"),
        2 => format!("/private/{page}"),
        3 => format!("http://elsewhere.test/p{page}"),
        4 => format!("/p{page}.pdf"),
        5 => format!("//site.test/p{page}/"),
        6 => "/".to_owned(),
        7 => "mailto:a@site.test".to_owned(),
        8 => format!("/loop{}", page % 4),
        _ => format!("/p{page}"),
    }
}

fn spelling(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fetched { .. } => "done".to_owned(),
        Outcome::Redirected { .. } => "skipped redirected".to_owned(),
        Outcome::Skipped(reason) => format!("skipped {}", reason.as_str()),
        Outcome::Failed(failure) => format!("failed {}", failure.kind.as_str()),
    }
}

struct Collector {
    plan: CrawlPlan,
    crawled: Arc<Mutex<(Crawled, Targets)>>,
}

impl Sink for Collector {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        let key = self.plan.keys.key_text(report.url.parts());
        let end = (report.depth, spelling(&report.outcome));
        let mut crawled = self.crawled.lock().unwrap();
        if !matches!(report.outcome, Outcome::Fetched { .. })
            && let Some(link) = report.links.get(0)
            && let Some(target) = link.parts()
        {
            let target = self.plan.keys.key_text(target);
            crawled.1.insert(key.clone(), target);
        }
        let before = crawled.0.insert(key, end);
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

async fn in_memory(plan: CrawlPlan, site: Arc<FakeFetch>) -> (Crawled, Targets) {
    let crawled = Arc::<Mutex<(Crawled, Targets)>>::default();
    let sink = Collector {
        plan: plan.clone(),
        crawled: Arc::clone(&crawled),
    };
    let writer = Some(OutputWriter::start(Box::new(sink)).unwrap());
    let frontier = MemoryFrontier::new(&plan, 1);
    let progress = Arc::<Progress>::default();
    drive(frontier, site, 4, writer, Stop::new(), progress)
        .await
        .unwrap();
    std::mem::take(&mut *crawled.lock().unwrap())
}

fn stored(task: &StoredTask) -> (String, (u32, String)) {
    let end = match (task.state, task.reason.as_deref()) {
        (TaskState::Done, _) => "done".to_owned(),
        // For a redirect that may not be followed, the row contains the reason and the report the target.
        (TaskState::Skipped, Some("out_of_scope" | "blocked_extension")) => {
            "skipped redirected".to_owned()
        }
        (state, reason) => format!("{} {}", state.as_str(), reason.unwrap_or("?")),
    };
    (task.final_url.clone(), (task.depth, end))
}

/// The loops that these redirects form.
fn loops(targets: &Targets) -> BTreeSet<BTreeSet<String>> {
    let next = |at: &&String| targets.get(*at);
    targets
        .keys()
        .filter_map(|page| {
            let chain = std::iter::successors(next(&page), next);
            let chain: Vec<&String> = chain.take(targets.len()).collect();
            let end = chain.iter().position(|at| *at == page)?;
            Some(chain.into_iter().take(end + 1).cloned().collect())
        })
        .collect()
}

/// Checks that one page of each loop has failed, and makes all pages of a loop alike.
fn check_loops(crawled: &mut Crawled, loops: &BTreeSet<BTreeSet<String>>, seed: u64) {
    for pages in loops {
        let mut outcomes: Vec<String> = Vec::new();
        for page in pages {
            let outcome = &mut crawled.get_mut(page).unwrap().1;
            outcomes.push(std::mem::replace(outcome, "in a loop".to_owned()));
        }
        outcomes.sort();
        let mut expected = vec!["skipped redirected"; pages.len()];
        expected[0] = "failed too_many_redirects";
        assert_eq!(outcomes, expected, "world {seed}: {pages:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_frontiers_crawl_a_site_alike() {
    let test_store = TestStore::fresh(fast()).await;
    let (mut pages, mut loop_count) = (0, 0);
    for seed in 0..WORLDS {
        let mut rng = Rng::new(seed);
        let site = Arc::new(world(&mut rng));
        let params = JobParams {
            max_depth: Some(1 + u32::try_from(pick(&mut rng, 6)).unwrap()),
            sitemaps: (seed % 3 == 0).then_some(SitemapsChoice::Include),
            ignore_query: Some(seed % 2 == 0),
            same_domain: Some(seed % 5 > 0),
            ..JobParams::for_url(format!("{SITE}/"))
        };
        let spec = params.spec(JobKind::Crawl, &JobDefaults::default());
        let plan = CrawlPlan::resolve(&spec, "crawler/0", 0).unwrap();
        let (mut expected, targets) = in_memory(plan, Arc::clone(&site)).await;
        let loops = loops(&targets);
        check_loops(&mut expected, &loops, seed);
        loop_count += loops.len();
        let job = test_store.start(JobKind::Crawl, &params).await;
        let workers: Vec<RunningWorker> = (0..2)
            .map(|_| RunningWorker::start(&test_store.store, Arc::clone(&site), settings(fast())))
            .collect();
        test_store.finished(job).await;
        for worker in workers {
            worker.stop().await;
        }
        let tasks = test_store
            .store
            .tasks(&Access::AllOwners, job, None, 1_000, None)
            .await
            .unwrap();
        let mut found: Crawled = tasks.entries.iter().map(stored).collect();
        check_loops(&mut found, &loops, seed);
        assert_eq!(found, expected, "world {seed}, {params:?}");
        pages += found.len();
    }
    assert!(pages > 200, "only {pages} pages in {WORLDS} worlds");
    assert!(loop_count >= 5, "only {loop_count} redirect loops");
}
