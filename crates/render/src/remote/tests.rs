//! The client against servers that misbehave, and the messages. Real pages: `tests/pages/remote.rs`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_fetch::{Accept, Fetch, FetchRequest, Guard, HttpFetch, TabMeter};
use crawler_model::{Deadlines, FailKind, Failure, FetchRules, JsPolicy};
use crawler_weburl::CrawlUrl;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::{Instant, sleep};

use super::RemoteRenderer;
use super::server::check_egress;
use crate::{BrowserState, RenderSettings};

struct Fixture {
    folder: TempDir,
    renderer: RemoteRenderer,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let rules = FetchRules {
            deadlines: Deadlines::within(Duration::from_secs(5)),
            max_body: 1_000,
            user_agent: "testbot/1.0".into(),
            headers: Vec::new(),
            userinfo: None,
            proxies: Vec::new(),
            seed: None,
        };
        let http = HttpFetch::new(&rules, 1, Guard::anywhere(), |_| true).unwrap();
        let settings = RenderSettings {
            max_body: 1_000,
            ..RenderSettings::default()
        };
        let renderer = RemoteRenderer::new(socket(&folder), settings, Arc::new(http));
        Self { folder, renderer }
    }

    async fn page(&self) -> Failure {
        self.metered_page(None).await
    }

    async fn metered_page(&self, tab_meter: Option<&TabMeter>) -> Failure {
        let url = CrawlUrl::parse("http://e.x/").unwrap();
        let request = FetchRequest {
            js: JsPolicy::Always,
            tab_meter,
            ..FetchRequest::new(&url, Accept::Page)
        };
        self.renderer.fetch(request).await.unwrap_err()
    }

    /// Serves one connection with these bytes, and then `after`.
    fn serving<F>(&self, bytes: Vec<u8>, after: impl FnOnce(UnixStream) -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send,
    {
        let listener = UnixListener::bind(socket(&self.folder)).unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let length = stream.read_u32().await.unwrap();
            let mut request = vec![0; length as usize];
            stream.read_exact(&mut request).await.unwrap();
            let _ = stream.write_all(&bytes).await;
            after(stream).await;
        });
    }
}

fn socket(folder: &TempDir) -> PathBuf {
    folder.path().join("render.sock")
}

fn message(text: &str) -> Vec<u8> {
    let mut bytes = u32::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

fn page_head(body: &str) -> Vec<u8> {
    message(&format!(
        r#"{{"page":{{"status":200,"content_type":null,"location":null,"retry_after":null,"wire_bytes":0,"truncated":false,
        "moved_by_script":false,"rendered":true,"timed_out":false,"waited":{{"secs":0,"nanos":0}},
        "browser_time":{{"secs":0,"nanos":0}},"body":{body}}}}}"#
    ))
}

#[tokio::test]
async fn a_server_that_ends_or_sends_nonsense_fails_the_page() {
    let ended = "the render process ended";
    let invalid = "the render process sent an invalid answer";
    let started = message(r#""started""#);
    for (bytes, expected) in [
        (started.clone(), ended),
        ([started, page_head("10")].concat(), ended),
        (message("not JSON"), invalid),
        (message(r#"{"status":{"running":true}}"#), invalid),
        // Longer than any message, and longer than a page may be.
        (vec![0xff; 4], invalid),
        (page_head("100000"), invalid),
    ] {
        let fixture = Fixture::new();
        fixture.serving(bytes, async |stream| drop(stream));
        let failure = fixture.page().await;
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (FailKind::Browser, expected)
        );
    }
}

#[tokio::test]
async fn a_failure_is_passed_on() {
    let fixture = Fixture::new();
    let answer = r#"{"failed":{"kind":"render_budget","message":"too much"}}"#;
    // After a heartbeat.
    let bytes = [vec![0; 4], message(answer)].concat();
    fixture.serving(bytes, async |_stream| {
        std::future::pending::<()>().await;
    });
    let failure = fixture.page().await;
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailKind::RenderBudget, "too much")
    );
}

/// The time of a tab counts from when the page has one, or as the server reports it: not while the server is away, and not while the
/// page waits.
#[tokio::test(start_paused = true)]
async fn only_the_time_of_a_tab_is_counted() {
    let (held, taken) = (
        Arc::<Mutex<Vec<Duration>>>::default(),
        Arc::<AtomicUsize>::default(),
    );
    let (times, count) = (Arc::clone(&held), Arc::clone(&taken));
    let meter = TabMeter::new(move |time| times.lock().unwrap().push(time));
    let meter = meter.on_taken(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let counted = || {
        (
            std::mem::take(&mut *held.lock().unwrap()),
            taken.swap(0, Ordering::SeqCst),
        )
    };
    let failed = |seconds: u64| {
        message(&format!(
            r#"{{"failed":{{"kind":"busy","message":"on purpose","browser_time":{{"secs":{seconds},"nanos":0}}}}}}"#
        ))
    };
    // There is no server.
    let fixture = Fixture::new();
    fixture.metered_page(Some(&meter)).await;
    assert_eq!(counted(), (Vec::new(), 0));
    // It ends while the page waits for a tab.
    let fixture = Fixture::new();
    fixture.serving(vec![0; 4], async |stream| {
        sleep(Duration::from_secs(5)).await;
        drop(stream);
    });
    fixture.metered_page(Some(&meter)).await;
    assert_eq!(counted(), (Vec::new(), 0));
    // It fails without a tab.
    let fixture = Fixture::new();
    fixture.serving(failed(0), async |_stream| {
        std::future::pending::<()>().await;
    });
    fixture.metered_page(Some(&meter)).await;
    assert_eq!(counted(), (vec![Duration::ZERO], 0));
    // It fails with one that was held for a part of the time.
    let fixture = Fixture::new();
    let answer = failed(2);
    fixture.serving(message(r#""started""#), async move |mut stream| {
        sleep(Duration::from_secs(5)).await;
        stream.write_all(&answer).await.unwrap();
        std::future::pending::<()>().await;
    });
    fixture.metered_page(Some(&meter)).await;
    assert_eq!(counted(), (vec![Duration::from_secs(2)], 1));
    // It reports more time than has passed.
    let fixture = Fixture::new();
    fixture.serving(failed(9_999), async |_stream| {
        std::future::pending::<()>().await;
    });
    fixture.metered_page(Some(&meter)).await;
    let (times, count) = counted();
    assert!(times[0] < Duration::from_mins(1), "{times:?}");
    assert_eq!(count, 1);
    // It ends after the page had a tab.
    let fixture = Fixture::new();
    fixture.serving(message(r#""started""#), async |stream| {
        sleep(Duration::from_secs(5)).await;
        drop(stream);
    });
    fixture.metered_page(Some(&meter)).await;
    let (times, count) = counted();
    assert!(times[0] >= Duration::from_secs(5), "{times:?}");
    assert_eq!(count, 1);
}

/// The guard of the render process decides what pages load: it may not allow more than that of the process that asks.
#[test]
fn a_render_process_that_allows_more_is_refused() {
    let own = |allowed: &[&str], allow_private| RenderSettings {
        allowed: allowed.iter().map(|entry| (*entry).to_owned()).collect(),
        allow_private,
        ..RenderSettings::default()
    };
    let fixture = Fixture::new();
    let url = CrawlUrl::parse("http://e.x/").unwrap();
    let request = FetchRequest::new(&url, Accept::Page);
    let mut page = fixture.renderer.message(&request);
    page.allowed = vec!["10.0.0.0/8".to_owned()];
    assert_eq!(check_egress(&page, &own(&[], false)), Ok(()));
    assert_eq!(check_egress(&page, &own(&["10.0.0.0/8"], false)), Ok(()));
    let error = check_egress(&page, &own(&["10.0.0.0/8", "db.test"], false)).unwrap_err();
    assert!(
        error.contains("egress.allow of the render process lists db.test"),
        "{error}"
    );
    let error = check_egress(&page, &own(&[], true)).unwrap_err();
    assert!(error.contains("egress.allow_private"), "{error}");
    page.allow_private = true;
    assert_eq!(check_egress(&page, &own(&["10.0.0.0/8"], true)), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_falls_silent_fails_the_page() {
    let fixture = Fixture::new();
    fixture.serving(vec![0; 8], async |_stream| {
        std::future::pending::<()>().await;
    });
    let failure = fixture.page().await;
    assert_eq!(failure.kind, FailKind::BrowserUnavailable);
    assert_eq!(failure.message, "the render process does not respond");
    // A page that had a tab may be the reason.
    let fixture = Fixture::new();
    fixture.serving(message(r#""started""#), async |_stream| {
        std::future::pending::<()>().await;
    });
    assert_eq!(fixture.page().await.kind, FailKind::Browser);
}

#[tokio::test(start_paused = true)]
async fn a_page_without_a_tab_is_not_blamed_for_the_end_of_the_server() {
    for bytes in [Vec::new(), vec![0, 0], vec![0; 4]] {
        let fixture = Fixture::new();
        fixture.serving(bytes, async |stream| drop(stream));
        let failure = fixture.page().await;
        assert_eq!(failure.kind, FailKind::BrowserUnavailable, "{failure}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_waits_for_a_server_that_is_away_but_not_forever() {
    let fixture = Fixture::new();
    let start = Instant::now();
    let failure = fixture.page().await;
    assert_eq!(failure.kind, FailKind::BrowserUnavailable);
    // Callers see the message.
    let path = fixture.folder.path().to_str().unwrap();
    assert!(!failure.message.contains(path), "{failure}");
    let waited = start.elapsed();
    assert!(waited >= Duration::from_secs(2) && waited < Duration::from_secs(3));
    let (state, _) = fixture.renderer.status().await;
    assert_eq!(state, BrowserState::Down(failure.message));
    // The next pages do not wait.
    let start = Instant::now();
    assert_eq!(fixture.page().await.kind, FailKind::BrowserUnavailable);
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn a_server_that_comes_back_is_used_again() {
    let fixture = Fixture::new();
    let page = fixture.page();
    let back = async {
        // As soon as the first attempt has failed.
        tokio::task::yield_now().await;
        let answer = message(r#"{"failed":{"kind":"dns","message":"on purpose"}}"#);
        fixture.serving(answer, async |_stream| {
            std::future::pending::<()>().await;
        });
    };
    let (failure, ()) = tokio::join!(page, back);
    assert_eq!(failure.kind, FailKind::Dns);
}
