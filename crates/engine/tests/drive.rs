//! The crawl loop with a scripted fetcher and sink: exactly one report per URL, and all the ways a crawl can end.

#![expect(clippy::unwrap_used, reason = "a failing step should fail the test")]

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crawler_engine::{DriveError, OutputWriter, Progress, Stop, drive};
use crawler_fetch::{Body, Fetch, FetchRequest, Fetched};
use crawler_frontier::MemoryFrontier;
use crawler_model::{
    CrawlPlan, CrawlSpec, DepthLimit, FailKind, Failure, JsPolicy, PageReport, RequestSpec,
    RobotsPolicy, Sink, SinkError, StopReason, Summary,
};

const SEED: &str = "http://site.example/";

fn plan(change: impl FnOnce(&mut CrawlSpec)) -> CrawlPlan {
    let mut spec = CrawlSpec {
        seed: SEED.into(),
        request: RequestSpec {
            robots: RobotsPolicy::Ignore,
            ..RequestSpec::default()
        },
        max_pages: Some(0),
        max_depth: Some(DepthLimit::Unlimited),
        ..CrawlSpec::default()
    };
    change(&mut spec);
    CrawlPlan::resolve(&spec, "crawler/0", 1).unwrap()
}

fn html(body: String) -> Fetched {
    Fetched {
        status: 200,
        content_type: Some("text/html".into()),
        location: None,
        retry_after: None,
        wire_bytes: body.len() as u64,
        body: Body::Html(body.into()),
        truncated: false,
        moved_by_script: false,
        rendering: None,
        elapsed: Duration::ZERO,
    }
}

/// Responds by path and counts requests.
struct ScriptedFetch<A>(A, Arc<AtomicUsize>);

impl<A: Fn(&str) -> Result<Fetched, Failure> + Send + Sync + 'static> Fetch for ScriptedFetch<A> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        self.1.fetch_add(1, Ordering::SeqCst);
        (self.0)(request.url.parts().path())
    }
}

/// Never responds.
struct PendingFetch;

impl Fetch for PendingFetch {
    async fn fetch(&self, _request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        std::future::pending().await
    }
}

#[derive(Clone, Default)]
struct RecordingSink {
    pages: Arc<Mutex<Vec<PageReport>>>,
    finished: Arc<Mutex<Option<Summary>>>,
    fails_after: Option<(usize, io::ErrorKind)>,
    /// The sink blocks while the gate is closed.
    gate: Option<Arc<(Mutex<bool>, Condvar)>>,
}

impl Sink for RecordingSink {
    fn page(&mut self, report: &PageReport) -> Result<(), SinkError> {
        if let Some(gate) = &self.gate {
            let open = gate.0.lock().unwrap();
            drop(gate.1.wait_while(open, |open| !*open).unwrap());
        }
        let mut pages = self.pages.lock().unwrap();
        if let Some((after, kind)) = self.fails_after
            && pages.len() >= after
        {
            return Err(SinkError {
                target: "out.txt".into(),
                error: kind.into(),
            });
        }
        pages.push(report.clone());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), SinkError> {
        *self.finished.lock().unwrap() = Some(summary.clone());
        Ok(())
    }
}

async fn crawl<T: Fetch>(
    plan: CrawlPlan,
    fetch: T,
    sink: RecordingSink,
    stop: Stop,
) -> Result<Summary, DriveError> {
    let writer = Some(OutputWriter::start(Box::new(sink)).unwrap());
    let workers = plan.workers;
    let frontier = MemoryFrontier::new(&plan, 1);
    drive(
        frontier,
        Arc::new(fetch),
        workers,
        writer,
        stop,
        Arc::<Progress>::default(),
    )
    .await
}

/// Page `/n` links to `/n+1`, without end.
#[expect(clippy::unnecessary_wraps, reason = "used where a fetch may fail")]
fn endless(path: &str) -> Result<Fetched, Failure> {
    let number: u64 = path.trim_matches('/').parse().unwrap_or(0);
    Ok(html(format!("<a href=/{}>next</a>", number + 1)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panicking_worker_still_returns_one_report() {
    let sink = RecordingSink::default();
    let fetch = ScriptedFetch(
        |path: &str| match path {
            "/" => Ok(html("<a href=/bad>1</a><a href=/good>2</a>".into())),
            "/bad" => panic!("parser bug"),
            _ => Ok(html(String::new())),
        },
        Arc::default(),
    );
    let summary = crawl(plan(|_| ()), fetch, sink.clone(), Stop::new())
        .await
        .unwrap();
    assert_eq!(summary.stop, StopReason::Done);
    assert_eq!(
        (summary.pages, summary.fetched, summary.failures()),
        (3, 2, 1)
    );
    let pages = sink.pages.lock().unwrap();
    let by_url: BTreeMap<&str, &PageReport> = pages
        .iter()
        .map(|report| (report.url.as_str(), report))
        .collect();
    assert_eq!(by_url.len(), 3);
    let failure = by_url["http://site.example/bad"].outcome.failure().unwrap();
    assert_eq!(failure.kind, FailKind::Internal);
    assert!(failure.message.contains("parser bug"), "{failure}");
}

/// Holds a tab for two seconds, then fails, or panics on `/bad`.
struct FailingTab;

impl Fetch for FailingTab {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<Fetched, Failure> {
        if let Some(meter) = request.tab_meter {
            meter.add(Duration::from_secs(2));
        }
        match request.url.parts().path() {
            "/" => Ok(html("<a href=/bad>1</a><a href=/failing>2</a>".into())),
            "/bad" => panic!("a bug"),
            _ => Err(Failure::new(FailKind::RenderBudget, "too many requests")),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_has_the_time_of_its_tabs() {
    for (js, held) in [(JsPolicy::Auto, 2), (JsPolicy::Never, 0)] {
        let sink = RecordingSink::default();
        let plan = plan(|spec| spec.js = js);
        let crawled = crawl(plan, FailingTab, sink.clone(), Stop::new()).await;
        assert_eq!(crawled.unwrap().pages, 3);
        for report in sink.pages.lock().unwrap().iter() {
            let url = &report.url;
            assert_eq!(report.browser_time, Duration::from_secs(held), "{url}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocked_sink_stops_the_crawl_and_loses_no_page() {
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let requests = Arc::new(AtomicUsize::new(0));
    let sink = RecordingSink {
        gate: Some(Arc::clone(&gate)),
        ..RecordingSink::default()
    };
    let fetch = ScriptedFetch(endless, Arc::clone(&requests));
    let running = tokio::spawn(crawl(
        plan(|spec| spec.max_pages = Some(2_000)),
        fetch,
        sink.clone(),
        Stop::new(),
    ));
    // The gate is closed: requests stop when the queue of the writer is full.
    let mut before = usize::MAX;
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = requests.load(Ordering::SeqCst);
        if now == before {
            break;
        }
        before = now;
    }
    assert!(
        before < 600,
        "{before} pages were fetched although the sink was blocked"
    );
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    let summary = running.await.unwrap().unwrap();
    assert_eq!(summary.pages, 2_000);
    assert_eq!(sink.pages.lock().unwrap().len(), 2_000, "no page was lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_pipe_ends_the_crawl_and_a_full_disk_is_an_error() {
    let closed = RecordingSink {
        fails_after: Some((5, io::ErrorKind::BrokenPipe)),
        ..RecordingSink::default()
    };
    let fetch = ScriptedFetch(endless, Arc::default());
    let summary = crawl(plan(|_| ()), fetch, closed, Stop::new())
        .await
        .unwrap();
    assert_eq!(summary.stop, StopReason::OutputClosed);

    let full = RecordingSink {
        fails_after: Some((5, io::ErrorKind::StorageFull)),
        ..RecordingSink::default()
    };
    let fetch = ScriptedFetch(endless, Arc::default());
    let error = crawl(plan(|_| ()), fetch, full, Stop::new())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("out.txt"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_stop_drains_and_the_second_ends_at_once() {
    let sink = RecordingSink::default();
    let stop = Stop::new();
    let stop_clone = stop.clone();
    let fetch = ScriptedFetch(
        move |path: &str| {
            if path == "/20" {
                stop_clone.request();
            }
            endless(path)
        },
        Arc::default(),
    );
    let summary = crawl(plan(|_| ()), fetch, sink.clone(), stop)
        .await
        .unwrap();
    assert_eq!(summary.stop, StopReason::Signal);
    let pages = sink.pages.lock().unwrap().clone();
    assert_eq!(
        pages.len() as u64,
        summary.pages,
        "pages in flight were finished and reported"
    );
    assert!(
        pages
            .iter()
            .any(|report| report.url.as_str().ends_with("/20"))
    );
    assert!(summary.left >= 1);
    assert!(
        sink.finished.lock().unwrap().is_some(),
        "the output was closed"
    );

    let stop = Stop::new();
    stop.request();
    stop.request();
    let sink = RecordingSink::default();
    let ended = tokio::time::timeout(
        Duration::from_secs(10),
        crawl(plan(|_| ()), PendingFetch, sink.clone(), stop),
    );
    assert_eq!(ended.await.unwrap().unwrap().stop, StopReason::Signal);
}
