//! A long `Retry-After` of a robots.txt or a sitemap: nothing else is requested from the host before the pause is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crawler_engine::{OutputWriter, Progress, Stop, drive};
use crawler_fetch::{FakeFetch, Fetch, FetchRequest, Fetched, fake};
use crawler_frontier::MemoryFrontier;
use crawler_model::{CrawlPlan, CrawlSpec, Failure, RequestSpec, RobotsErrors, SitemapPolicy};
use crawler_service::job_params::{JobParams, SitemapsChoice};
use crawler_store::{HostTurn, HostTurns, JobKind};
use crawler_weburl::HostKey;

use crate::test_store::{RunningWorker, TestStore, fast, settings};

const SEED: &str = "http://seed.test/";

/// Counts the requests for the seed.
struct CountedFetch {
    site: FakeFetch,
    seed_requests: AtomicU32,
}

impl CountedFetch {
    fn seed_requests(&self) -> u32 {
        self.seed_requests.load(Ordering::SeqCst)
    }
}

impl Fetch for CountedFetch {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if request.url.as_str() == SEED {
            self.seed_requests.fetch_add(1, Ordering::SeqCst);
        }
        self.site.fetch(request).await
    }
}

/// A robots.txt or a sitemap that asks for a long pause.
fn pausing(status: u16, path: &str) -> Arc<CountedFetch> {
    let mut response = fake::status(status);
    response.retry_after = Some(Duration::from_mins(50));
    let mut site = FakeFetch::default().page(SEED, "<p>words");
    site.responses.insert(format!("{SEED}{path}"), Ok(response));
    let seed_requests = AtomicU32::new(0);
    Arc::new(CountedFetch {
        site,
        seed_requests,
    })
}

const PAUSING: [(u16, &str); 4] = [
    (429, "robots.txt"),
    (503, "robots.txt"),
    (429, "sitemap.xml"),
    (503, "sitemap.xml"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_pause_from_a_site_file_pauses_the_host_in_a_worker() {
    for (status, path) in PAUSING {
        let test_store = TestStore::fresh(fast()).await;
        let params = JobParams {
            sitemaps: Some(SitemapsChoice::Include),
            ..JobParams::for_url(SEED.to_owned())
        };
        test_store.start(JobKind::Crawl, &params).await;
        let site = pausing(status, path);
        let worker = RunningWorker::start(&test_store.store, Arc::clone(&site), settings(fast()));
        let host = HostKey::new("seed.test");
        let paused = async || {
            let turn = test_store.store.take_turn(&host, Duration::from_mins(1));
            matches!(turn.await.unwrap(), HostTurn::Later { pause, .. } if pause > Duration::from_mins(40))
        };
        let started = std::time::Instant::now();
        while !paused().await {
            assert!(
                started.elapsed() < Duration::from_mins(1),
                "{status} {path}"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        worker.stop().await;
        assert_eq!(site.seed_requests(), 0, "{status} {path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_pause_from_a_site_file_pauses_the_host_in_a_crawl() {
    for (status, path) in PAUSING {
        let mut spec = CrawlSpec {
            seed: SEED.to_owned(),
            sitemaps: SitemapPolicy::Include,
            request: RequestSpec {
                robots_errors: RobotsErrors::Allow,
                ..RequestSpec::default()
            },
            // Less than the pause.
            max_duration: Some(Duration::from_secs(2_900)),
            ..CrawlSpec::default()
        };
        let requested = async |spec: &CrawlSpec| {
            let plan = CrawlPlan::resolve(spec, "crawler/0", 1).unwrap();
            let site = pausing(status, path);
            let frontier = MemoryFrontier::new(&plan, 1);
            let progress = Arc::<Progress>::default();
            drive(
                frontier,
                Arc::clone(&site),
                4,
                None::<OutputWriter>,
                Stop::new(),
                progress,
            )
            .await
            .unwrap();
            site.seed_requests()
        };
        // A sitemap is read at the same time as the seed.
        let before_the_pause = u32::from(path == "sitemap.xml");
        assert!(
            requested(&spec).await <= before_the_pause,
            "{status} {path}"
        );
        spec.max_duration = None;
        assert_eq!(requested(&spec).await, 1, "{status} {path}");
    }
}
