//! Pages of `/v1/scrape` that wait for browser tabs, with a render process that gives them none.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use crate::quotas::{add_key, call_as, quota_of, send, until_used};
use crate::service::{TestService, service_with};
use crate::site::{Site, page};

/// Limit for every wait.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Requests of a process at one time.
const SLOTS: u32 = 64;

/// A render process whose pages wait for a tab until the connection is closed, except those with `failed` in their URL: these get a
/// tab, and fail.
struct NoTabs {
    folder: TempDir,
    /// Pages that wait.
    waiting: Arc<AtomicUsize>,
}

impl NoTabs {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("render.sock")).unwrap();
        let waiting = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&waiting);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&counted)));
            }
        });
        Self { folder, waiting }
    }

    fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// Waits until so many pages wait.
    async fn until_waiting(&self, count: usize) {
        let waiting = async {
            while self.waiting.load(Ordering::SeqCst) != count {
                tokio::task::yield_now().await;
            }
        };
        let waited = timeout(TIMEOUT, waiting).await;
        waited.unwrap_or_else(|_| panic!("{count} pages never wait: {:?}", self.waiting));
    }
}

async fn answer(mut stream: UnixStream, waiting: Arc<AtomicUsize>) {
    let length = stream.read_u32().await.unwrap();
    let mut request = vec![0; length as usize];
    stream.read_exact(&mut request).await.unwrap();
    let request: Value = serde_json::from_slice(&request).unwrap();
    if request["page"]["url"].as_str().unwrap().contains("failed") {
        let held = json!({"secs": 0, "nanos": 1});
        let failed = json!({"kind": "dns", "message": "on purpose", "browser_time": held});
        for answer in [json!("started"), json!({"failed": failed})] {
            let text = answer.to_string();
            stream
                .write_u32(text.len().try_into().unwrap())
                .await
                .unwrap();
            stream.write_all(text.as_bytes()).await.unwrap();
        }
        return;
    }
    waiting.fetch_add(1, Ordering::SeqCst);
    // Until the other process gives up.
    while matches!(stream.read(&mut [0; 16]).await, Ok(1..)) {}
    waiting.fetch_sub(1, Ordering::SeqCst);
}

async fn service_of(render: &NoTabs, scrape_wait: Duration) -> TestService {
    let socket = render.socket().join("render.sock");
    let service = service_with(|config| {
        config.browser.enabled = true;
        config.browser.socket = Some(socket);
        config.crawl.respect_robots = false;
        config.egress.allow_private = true;
        config.server.scrape_wait = scrape_wait;
        config.worker.per_host_concurrency = SLOTS;
    });
    let service = service.await;
    for key in ["alice", "bob"] {
        add_key(&service, key, &["requests_in_flight=0", "pages_per_day=9"]).await;
    }
    service
}

/// However many pages wait for tabs, others are fetched by HTTP.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_wait_for_tabs_hold_no_slots_of_the_process() {
    let (render, site) = (
        NoTabs::start(),
        Site::start(|_| page("<p>Some words.")).await,
    );
    let service = service_of(&render, TIMEOUT).await;
    let mut waiting = Vec::new();
    let count = SLOTS as usize + 6;
    for number in 0..count {
        // One host each, so that they do not wait for the limits of one.
        let (high, low) = (number / 200, number % 200 + 1);
        let url = format!("http://127.0.{high}.{low}:{}/", site.port);
        let body = json!({"url": url, "use_js": true});
        let key = if number < 9 { "alice" } else { "carol" };
        if number == 9 {
            add_key(&service, "carol", &["requests_in_flight=0"]).await;
        }
        waiting.push(send(&service, key, "/v1/scrape", &body).await);
    }
    render.until_waiting(count).await;
    let body = json!({"url": site.url("/"), "use_js": false});
    let reply = call_as(&service, "bob", "POST", "/v1/scrape", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    // A client that leaves is not charged for a page that was never requested.
    drop(waiting);
    render.until_waiting(0).await;
    until_used(&service, "alice", "requests_in_flight", 0).await;
    assert_eq!(quota_of(&service, "alice", "pages_per_day").await.1, 0);
}

/// A page that gets no tab in time is refused like any request that waits too long, and counts only if it had one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_gets_no_tab_is_busy_and_does_not_count() {
    let (render, site) = (
        NoTabs::start(),
        Site::start(|_| page("<p>Some words.")).await,
    );
    let service = service_of(&render, Duration::from_millis(300)).await;
    let body = json!({"url": site.url("/"), "use_js": true});
    let reply = call_as(&service, "alice", "POST", "/v1/scrape", &body).await;
    let problem = reply.problem(503, "busy");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("waited 0.") && detail.contains("browser tabs"),
        "{detail}"
    );
    assert!(reply.header("retry-after").is_some());
    render.until_waiting(0).await;
    assert_eq!(quota_of(&service, "alice", "pages_per_day").await.1, 0);
    let body = json!({"url": site.url("/failed"), "use_js": true});
    let reply = call_as(&service, "alice", "POST", "/v1/scrape", &body).await;
    reply.problem(502, "fetch_failed");
    until_used(&service, "alice", "pages_per_day", 1).await;
}
