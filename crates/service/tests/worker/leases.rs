//! A worker that comes too late writes nothing; one that is asked to go leaves nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fetch::{Fetch, FetchRequest, Fetched, fake};
use model::Failure;
use service::job_params::JobParams;
use service::worker::WorkerSettings;
use store::{JobKind, JobState, Store, TaskState};
use tokio::sync::Semaphore;

use crate::stage::{AtWork, Ground, fast, settings, until};

/// Answers pages when it is let; everything else is a 404 at once.
struct Gated {
    gate: Semaphore,
    asked: AtomicUsize,
    words: &'static str,
}

impl Gated {
    fn new(open: bool, words: &'static str) -> Arc<Self> {
        Arc::new(Self {
            gate: Semaphore::new(if open { Semaphore::MAX_PERMITS } else { 0 }),
            asked: AtomicUsize::new(0),
            words,
        })
    }
}

impl Fetch for Gated {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if request.url.parts().path() == "/robots.txt" {
            return Ok(fake::status(404));
        }
        self.asked.fetch_add(1, Ordering::SeqCst);
        let passed = self.gate.acquire().await;
        drop(passed);
        let mut answer = fake::status(200);
        answer.content_type = Some("text/html".into());
        answer.body = fetch::Body::Html(format!("<p>{}", self.words).into());
        Ok(answer)
    }
}

/// Leases that end soon and are never renewed.
fn hasty() -> WorkerSettings {
    let mut settings = settings(fast());
    settings.frontier.lease = Duration::from_millis(300);
    settings.frontier.heartbeat = Duration::from_hours(1);
    settings.frontier.housekeeping = Duration::from_millis(50);
    settings
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_write_is_dropped_and_counted() {
    let ground = Ground::fresh(fast()).await;
    let params = JobParams::scrape("http://a.test/page");
    let job = ground.start(JobKind::Scrape, &params).await;
    let slow = Gated::new(false, "late");
    let mut quiet = hasty();
    // It does not rescue its own lease either.
    quiet.frontier.housekeeping = Duration::from_hours(1);
    let late = AtWork::begin(&ground.store, slow.clone(), quiet);
    until("the first worker asks", || {
        slow.asked.load(Ordering::SeqCst) == 1
    })
    .await;
    let mut patient = hasty();
    patient.frontier.lease = Duration::from_secs(30);
    let successor = AtWork::begin(&ground.store, Gated::new(true, "in time"), patient);
    let job = ground.finished(job).await;
    assert_eq!(job.state, JobState::Completed);
    slow.gate.add_permits(1);
    let counts = late.counts.clone();
    until("the late write is dropped", || counts.numbers().lost == 1).await;
    assert_eq!(late.end().await.done, 0);
    assert_eq!(successor.end().await.done, 1);
    let documents = ground.documents(job.id).await;
    assert_eq!(documents.len(), 1);
    let content = documents[0].content.content_md.as_ref().unwrap();
    assert!(content.contains("in time"), "{content}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_are_renewed_while_a_page_takes_long() {
    let ground = Ground::fresh(fast()).await;
    let job = ground
        .start(JobKind::Scrape, &JobParams::scrape("http://a.test/page"))
        .await;
    let slow = Gated::new(false, "slow");
    let mut renewing = hasty();
    renewing.frontier.lease = Duration::from_millis(600);
    renewing.frontier.heartbeat = Duration::from_millis(100);
    let worker = AtWork::begin(&ground.store, slow.clone(), renewing);
    until("it asks", || slow.asked.load(Ordering::SeqCst) == 1).await;
    let begun = Instant::now();
    until("three leases' time is over", || {
        begun.elapsed() > Duration::from_millis(1_800)
    })
    .await;
    slow.gate.add_permits(1);
    let job = ground.finished(job).await;
    let numbers = worker.end().await;
    assert_eq!(job.state, JobState::Completed);
    assert_eq!((numbers.done, numbers.lost, numbers.rescued), (1, 0, 0));
    assert_eq!(slow.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_hands_back_what_it_cannot_finish() {
    let ground = Ground::fresh(fast()).await;
    let urls = (0..30).map(|number| format!("http://a.test/{number}"));
    let job = ground
        .start(JobKind::BatchScrape, &JobParams::batch(urls))
        .await;
    let slow = Gated::new(false, "never");
    let mut brief = settings(fast());
    brief.frontier.drain = Duration::from_millis(200);
    let worker = AtWork::begin(&ground.store, slow.clone(), brief);
    until("all its page workers are busy", || {
        slow.asked.load(Ordering::SeqCst) == 8
    })
    .await;
    let begun = Instant::now();
    let numbers = worker.end().await;
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!((numbers.done, numbers.lost), (0, 0));
    assert_eq!(numbers.handed_back, numbers.claimed);
    let tasks = ground.store.tasks(job, None, 100, None).await.unwrap();
    for task in tasks.entries {
        assert_eq!(
            (task.state, task.attempt),
            (TaskState::Queued, 0),
            "{task:?}"
        );
    }
    let next = AtWork::begin(&ground.store, Gated::new(true, "words"), settings(fast()));
    let job = ground.finished(job).await;
    next.end().await;
    assert_eq!((job.state, job.documents), (JobState::Completed, 30));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelling_takes_a_page_from_its_worker() {
    let ground = Ground::fresh(fast()).await;
    let job = ground
        .start(JobKind::Scrape, &JobParams::scrape("http://a.test/page"))
        .await;
    let slow = Gated::new(false, "late");
    let worker = AtWork::begin(&ground.store, slow.clone(), settings(fast()));
    until("it asks", || slow.asked.load(Ordering::SeqCst) == 1).await;
    ground.store.cancel(job).await.unwrap();
    slow.gate.add_permits(1);
    let counts = worker.counts.clone();
    until("the page is dropped", || counts.numbers().lost == 1).await;
    worker.end().await;
    assert_eq!(ground.finished(job).await.state, JobState::Cancelled);
    assert_eq!(ground.documents(job).await.len(), 0);
}
