//! Shares of a worker's places: an owner whose requests hold them keeps nobody waiting.
//!
//! The requests of the owner `slow` never end, and those of `fast` end when as many of them as its share are in flight at once. So
//! a job of `fast` that ends at all had its share of the places.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crawler_fetch::{Accept, Body, Fetch, FetchRequest, Fetched, Guard, HttpFetch};
use crawler_model::Failure;
use crawler_service::AddressLimits;
use crawler_service::config::Config;
use crawler_service::job_params::{JobDefaults, JobParams};
use crawler_service::worker::Worker;
use crawler_store::{HostDefaults, JobId, JobKind, Jobs, Owner};
use tokio::sync::Barrier;

use crate::test_store::{RunningWorker, TestStore, fast, settings, until};

/// The places of a worker by default.
const PLACES: usize = 8;

/// A web in which requests to `slow` hosts never end, and those to `fast` ones end together.
struct HeldWeb {
    /// Requests that never end.
    held: AtomicUsize,
    together: Barrier,
    /// Whether the robots.txt of slow hosts never ends either.
    slow_robots: bool,
}

impl HeldWeb {
    fn new(together: usize, slow_robots: bool) -> Arc<Self> {
        Arc::new(Self {
            held: AtomicUsize::new(0),
            together: Barrier::new(together),
            slow_robots,
        })
    }

    fn held(&self) -> usize {
        self.held.load(Ordering::SeqCst)
    }
}

impl Fetch for HeldWeb {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        let is_robots = matches!(request.accept, Accept::File { .. });
        let is_slow = request.url.as_str().contains("slow");
        if is_slow && (self.slow_robots || !is_robots) {
            self.held.fetch_add(1, Ordering::SeqCst);
            std::future::pending::<()>().await;
        }
        if !is_slow && !is_robots {
            self.together.wait().await;
        }
        Ok(Fetched {
            status: if is_robots { 404 } else { 200 },
            content_type: Some("text/html".to_owned()),
            location: None,
            retry_after: None,
            body: Body::Html("<p>words".into()),
            wire_bytes: 8,
            truncated: false,
            moved_by_script: false,
            rendering: None,
            elapsed: Duration::ZERO,
        })
    }
}

async fn batch(test_store: &TestStore, owner: &str, urls: impl Iterator<Item = String>) -> JobId {
    let params = JobParams::batch(urls);
    let name = Owner::parse(owner).unwrap();
    let prepared = params.new_job(JobKind::BatchScrape, name, &JobDefaults::default());
    let job = prepared.unwrap().job;
    let id = job.id;
    test_store.store.create_job(job).await.unwrap();
    id
}

/// One page of each of 200 hosts.
fn slow_urls() -> impl Iterator<Item = String> {
    (0..200).map(|number| format!("http://www.slow{number}.test/"))
}

fn fast_urls(pages: usize) -> impl Iterator<Item = String> {
    (0..pages).map(|page| format!("http://www.fast.test/{page}"))
}

/// Stops a worker without waiting for its requests.
async fn stop_at_once(worker: RunningWorker) {
    worker.stop.request();
    worker.stop.request();
    worker.stop().await;
}

/// Half of the places are for the second owner, at once: the first one holds all of them, with pages or with their robots.txt,
/// and none of them ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_with_slow_hosts_does_not_hold_up_another_one() {
    for slow_robots in [false, true] {
        let web = HeldWeb::new(PLACES / 2, slow_robots);
        let test_store = TestStore::fresh(fast()).await;
        batch(&test_store, "slow", slow_urls()).await;
        let worker = RunningWorker::start(&test_store.store, Arc::clone(&web), settings(fast()));
        until("all places are held", || web.held() == PLACES).await;
        let job = batch(&test_store, "fast", fast_urls(12)).await;
        assert_eq!(test_store.finished(job).await.documents, 12);
        assert_eq!(web.held(), PLACES, "no more than there are places");
        stop_at_once(worker).await;
    }
}

/// Names of one machine that wait for their limit hold no places.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_wait_for_their_address_hold_no_places() {
    let hosts = HostDefaults {
        in_flight: 1,
        interval: Duration::from_millis(1),
    };
    // All places at once, but those of the first names: a process notices that there are several with its second or third request.
    let web = HeldWeb::new(PLACES - 4, false);
    let one_machine = Arc::new(|_: &str| vec![IpAddr::from(Ipv4Addr::LOCALHOST)]);
    let plan = JobParams::default()
        .plan(JobKind::Scrape, &JobDefaults::default(), 0, 0)
        .unwrap();
    let (guard, sniff) = (Guard::anywhere(), crawler_html::looks_like_html);
    let http = HttpFetch::resolving(&plan.fetch, 8, guard, sniff, one_machine).unwrap();
    let test_store = TestStore::fresh(hosts).await;
    let names = (0..40).map(|number| format!("http://n{number}.slow.test/"));
    // One owner: its share is all places.
    batch(&test_store, "one", names).await;
    let limits = AddressLimits::new(test_store.store.clone(), &Config::default(), Arc::new(http));
    let worker = Worker::new(test_store.store.clone(), Arc::clone(&web), settings(hosts));
    let worker = RunningWorker::run(worker.unwrap().limiting_addresses(limits));
    until("a request of the group is held", || web.held() >= 1).await;
    let urls = (0..12).map(|number| format!("http://www.fast{number}.test/"));
    let job = batch(&test_store, "one", urls).await;
    assert_eq!(test_store.finished(job).await.documents, 12);
    assert!(web.held() <= 4, "{}", web.held());
    stop_at_once(worker).await;
}
