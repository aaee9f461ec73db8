//! A worker that has lost its lease writes nothing; a worker that stops returns its tasks to the queue.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crawler_fetch::{Fetch, FetchRequest, Fetched, fake};
use crawler_model::Failure;
use crawler_service::job_params::JobParams;
use crawler_service::worker::WorkerSettings;
use crawler_store::{Access, JobKind, JobState, Jobs, Results, TaskState};
use tokio::sync::Semaphore;
use tracing::Level;

use crate::recorded_log::RecordedLog;
use crate::test_store::{RunningWorker, TestStore, fast, settings, until};

/// Returns pages only after the gate is opened; robots.txt is a 404 without delay.
struct Gated {
    gate: Semaphore,
    requests: AtomicUsize,
    text: &'static str,
}

impl Gated {
    fn new(open: bool, text: &'static str) -> Arc<Self> {
        Arc::new(Self {
            gate: Semaphore::new(if open { Semaphore::MAX_PERMITS } else { 0 }),
            requests: AtomicUsize::new(0),
            text,
        })
    }
}

impl Fetch for Gated {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if request.url.parts().path() == "/robots.txt" {
            return Ok(fake::status(404));
        }
        self.requests.fetch_add(1, Ordering::SeqCst);
        let permit = self.gate.acquire().await;
        drop(permit);
        let mut response = fake::status(200);
        response.content_type = Some("text/html".into());
        response.body = crawler_fetch::Body::Html(format!("<p>{}", self.text).into());
        Ok(response)
    }
}

/// Leases that expire soon and are never renewed.
fn short_leases() -> WorkerSettings {
    let mut settings = settings(fast());
    settings.frontier.lease = Duration::from_millis(300);
    settings.frontier.heartbeat = Duration::from_hours(1);
    settings.frontier.housekeeping = Duration::from_millis(50);
    settings
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_write_is_dropped_and_counted() {
    let test_store = TestStore::fresh(fast()).await;
    let params = JobParams::for_url("http://a.test/page");
    let job = test_store.start(JobKind::Scrape, &params).await;
    let slow = Gated::new(false, "late");
    let mut isolated = short_leases();
    // It does not reclaim its own lease either.
    isolated.frontier.housekeeping = Duration::from_hours(1);
    let late = RunningWorker::start(&test_store.store, slow.clone(), isolated);
    until("the first worker requests the page", || {
        slow.requests.load(Ordering::SeqCst) == 1
    })
    .await;
    let mut long_lease = short_leases();
    long_lease.frontier.lease = Duration::from_secs(30);
    let successor =
        RunningWorker::start(&test_store.store, Gated::new(true, "in time"), long_lease);
    let job = test_store.finished(job).await;
    assert_eq!(job.state, JobState::Completed);
    slow.gate.add_permits(1);
    let counts = late.counts.clone();
    until("the late write is dropped", || counts.numbers().lost == 1).await;
    assert_eq!(late.stop().await.done, 0);
    assert_eq!(successor.stop().await.done, 1);
    let documents = test_store.documents(job.id).await;
    assert_eq!(documents.len(), 1);
    let content = documents[0].content_md.as_ref().unwrap();
    assert!(content.contains("in time"), "{content}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_are_renewed_while_a_page_takes_long() {
    let test_store = TestStore::fresh(fast()).await;
    let job = test_store
        .start(JobKind::Scrape, &JobParams::for_url("http://a.test/page"))
        .await;
    let slow = Gated::new(false, "slow");
    let mut renewing = short_leases();
    renewing.frontier.lease = Duration::from_millis(600);
    renewing.frontier.heartbeat = Duration::from_millis(100);
    let worker = RunningWorker::start(&test_store.store, slow.clone(), renewing);
    until("the page is requested", || {
        slow.requests.load(Ordering::SeqCst) == 1
    })
    .await;
    let started = Instant::now();
    until("three lease durations have passed", || {
        started.elapsed() > Duration::from_millis(1_800)
    })
    .await;
    slow.gate.add_permits(1);
    let job = test_store.finished(job).await;
    let numbers = worker.stop().await;
    assert_eq!(job.state, JobState::Completed);
    assert_eq!((numbers.done, numbers.lost, numbers.rescued), (1, 0, 0));
    assert_eq!(slow.requests.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_returns_unfinished_tasks_to_the_queue() {
    let test_store = TestStore::fresh(fast()).await;
    let urls = (0..30).map(|number| format!("http://a.test/{number}"));
    let job = test_store
        .start(JobKind::BatchScrape, &JobParams::batch(urls))
        .await;
    let slow = Gated::new(false, "never");
    let mut short_drain = settings(fast());
    short_drain.frontier.drain = Duration::from_millis(200);
    let worker = RunningWorker::start(&test_store.store, slow.clone(), short_drain);
    until("all its page workers are busy", || {
        slow.requests.load(Ordering::SeqCst) == 8
    })
    .await;
    let started = Instant::now();
    let numbers = worker.stop().await;
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    assert_eq!((numbers.done, numbers.lost), (0, 0));
    assert_eq!(numbers.handed_back, numbers.claimed);
    let tasks = test_store
        .store
        .tasks(&Access::AllOwners, job, None, 100, None)
        .await
        .unwrap();
    for task in tasks.entries {
        assert_eq!(
            (task.state, task.attempt),
            (TaskState::Queued, 0),
            "{task:?}"
        );
    }
    let next = RunningWorker::start(
        &test_store.store,
        Gated::new(true, "words"),
        settings(fast()),
    );
    let job = test_store.finished(job).await;
    next.stop().await;
    assert_eq!((job.state, job.documents), (JobState::Completed, 30));
}

/// Its owner has asked for that: it is nothing to warn about.
#[tokio::test]
async fn a_page_of_a_cancelled_job_is_dropped() {
    let log = RecordedLog::default();
    // Of this thread, which is the only one of the runtime.
    let _recording = tracing::subscriber::set_default(log.clone());
    let test_store = TestStore::fresh(fast()).await;
    let job = test_store
        .start(JobKind::Scrape, &JobParams::for_url("http://a.test/page"))
        .await;
    let slow = Gated::new(false, "late");
    let worker = RunningWorker::start(&test_store.store, slow.clone(), settings(fast()));
    until("the page is requested", || {
        slow.requests.load(Ordering::SeqCst) == 1
    })
    .await;
    test_store
        .store
        .cancel(&Access::AllOwners, job)
        .await
        .unwrap();
    slow.gate.add_permits(1);
    let counts = worker.counts.clone();
    until("the page is dropped", || counts.numbers().lost == 1).await;
    worker.stop().await;
    assert_eq!(test_store.finished(job).await.state, JobState::Cancelled);
    assert_eq!(test_store.documents(job).await.len(), 0);
    let lines = log.lines();
    let dropped = lines
        .iter()
        .find(|(_, line)| line.contains("result dropped"));
    let (level, line) = dropped.expect("a line about the result");
    assert!(line.contains("cancelled"), "{line}");
    assert_eq!(*level, Level::DEBUG, "{line}");
    let warnings = lines.iter().filter(|(level, _)| *level <= Level::WARN);
    assert_eq!(warnings.count(), 0, "{lines:?}");
}
