//! Requests that are made to keep the service busy: none is an error of the service, and none delays the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use crate::client::call;
use crate::service::service;

const JSON: (&str, &str) = ("content-type", "application/json");
/// Number of hostile requests at once. One owner may have five with long bodies in progress; more are refused with 429.
const AT_ONCE: usize = 4;
/// CPU time that the thread of the API may use between two responses of `/healthz`, whatever else the machine does. It is one
/// thread here, and what takes longer belongs on another.
const MAX_CPU: Duration = Duration::from_secs(1);
/// How much longer `/healthz` may take, on average while a hostile request is handled, than without one.
const MAX_SLOWDOWN: u32 = 200;
/// A shorter time is never too long: the machine may have become busy in the meantime.
const MIN_BOUND: Duration = Duration::from_secs(2);
/// Calls of `/healthz` before the hostile requests.
const IDLE_CALLS: usize = 100;

/// Which response a request must have.
enum Expected {
    Status(u16),
    /// 422 with the name of the field, or success.
    FieldOrSuccess,
    Refusal,
}

/// A hostile request.
struct Hostile {
    path: &'static str,
    body: String,
    expected: Expected,
}

impl Hostile {
    /// Sends it and checks the response; returns when it was sent and when it was answered.
    async fn send(self, port: u16) -> (Instant, Instant) {
        let started = Instant::now();
        let reply = call(port, "POST", self.path, &[JSON], &self.body).await;
        let ended = Instant::now();
        let text = format!("{}: {}{}", self.path, reply.head, reply.body);
        assert!((200..500).contains(&reply.status), "{text}");
        assert!(text.len() < 500_000, "a response is limited in size");
        match self.expected {
            Expected::Status(status) => assert_eq!(reply.status, status, "{text}"),
            Expected::Refusal => assert!(reply.status >= 400, "{text}"),
            Expected::FieldOrSuccess if reply.status == 422 => {
                reply.names_field(reply.json()["field"].as_str().unwrap());
            }
            Expected::FieldOrSuccess => {}
        }
        (started, ended)
    }
}

/// CPU time of this thread so far; zero where the system does not tell.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|ran| ran.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

/// Responses of `/healthz`.
#[derive(Default)]
struct Probed {
    answered: Vec<Instant>,
    /// The most CPU time that the thread of the API used between two of them.
    longest: Duration,
}

impl Probed {
    /// Calls it again and again until it is stopped. Must run on the thread of the API.
    async fn until(port: u16, stop: Arc<AtomicBool>) -> Self {
        let mut probed = Self::default();
        let mut before = cpu_time();
        while !stop.load(Ordering::SeqCst) {
            assert_eq!(call(port, "GET", "/healthz", &[], "").await.status, 200);
            probed.answered.push(Instant::now());
            let now = cpu_time();
            probed.longest = probed.longest.max(now.saturating_sub(before));
            before = now;
        }
        probed
    }

    /// Average time between two responses within this time.
    fn interval(&self, (started, ended): (Instant, Instant)) -> Duration {
        let before = |time| self.answered.partition_point(|answered| *answered < time);
        let count = before(ended) - before(started);
        (ended - started) / u32::try_from(count + 1).unwrap()
    }
}

/// Patterns that take long to compile or to match, or much memory.
fn patterns() -> Vec<Vec<String>> {
    let crafted = |pattern: &dyn Fn(usize) -> String| (0..100).map(pattern).collect();
    vec![
        crafted(&|number| format!(r"{number}\w{{1000}}")),
        crafted(&|number| format!("{number}(a{{1000}}){{1000}}")),
        crafted(&|number| format!("{number}(a|b)*a(a|b){{30}}")),
        crafted(&|number| format!("{number}[ab]*a[ab]{{7}}c")),
        crafted(&|number| format!("{number}{}", ".*x".repeat(30))),
        vec![r"(?i)[\pL&&[^\pN]]{500}".repeat(10)],
        vec![format!("{}a{}", "(".repeat(400), ")".repeat(400))],
        vec!["(a?){900}a{900}".to_owned()],
        vec!["(?:){1000}{1000}{1000}".to_owned()],
        vec!["\u{1d400}\u{202e}[\u{0}-\u{10ffff}]+".to_owned()],
        vec!["(?u:\\w)+".to_owned()],
    ]
}

/// Bodies of batches, and the status of each response.
fn batches() -> Vec<(Value, u16)> {
    let numbered = |format: &dyn Fn(usize) -> String| -> Value {
        json!({"urls": (0..95_000).map(format).collect::<Vec<_>>()})
    };
    vec![
        (numbered(&|number| format!("http://{number}.a")), 422),
        (numbered(&|number| format!("http://a/{number}")), 202),
        (numbered(&|_| "http://a.test/".to_owned()), 202),
        (numbered(&|number| format!("x{number}")), 422),
        (
            json!({"urls": [format!("http://a.test/{}", "é".repeat(400_000))]}),
            202,
        ),
        (
            json!({"urls": [format!("http://{}/", "a.".repeat(500_000))]}),
            202,
        ),
        (
            json!({"urls": ["http://\u{202e}\u{0}\u{fffd}/", "http://[::1", "http://a.test:99999/"]}),
            422,
        ),
        (json!({"urls": "http://a.test/".repeat(100_000)}), 422),
        (json!({"urls": vec![json!([]); 400_000]}), 422),
    ]
}

/// Bodies of crawls that are not what the API describes.
fn bodies() -> Vec<String> {
    let nested =
        |open: &str, close: &str| format!("{}{}", open.repeat(200_000), close.repeat(200_000));
    vec![
        nested("[", "]"),
        "[".repeat(1_000_000),
        r#"{"a":"#.repeat(200_000),
        format!(r#"{{"url":{}}}"#, nested("[", "]")),
        format!(r#"{{"max_pages":{}}}"#, "9".repeat(1_000_000)),
        r#"{"url":"http://a.test/","max_pages":1e400}"#.to_owned(),
        r#"{"url":"http://a.test/","max_depth":-0.5}"#.to_owned(),
        r#"{"url":"\ud800\udfff\u0000"}"#.to_owned(),
        r#"{"url":"http://a.test/\ud800"}"#.to_owned(),
        format!("{{{}}}", r#""url":"http://a.test/","#.repeat(50_000)),
        format!(r#"{{"{}":1}}"#, "k".repeat(1_000_000)),
        format!("{}{{}}", " ".repeat(1_500_000)),
        "\u{feff}{}".to_owned(),
    ]
}

/// All hostile requests, each kind among the others.
fn hostile_requests() -> Vec<Hostile> {
    let mut requests = Vec::new();
    for list in patterns() {
        let body = json!({"url": "http://a.test/", "include": list, "exclude": list});
        for path in ["/v1/crawl", "/v1/map"] {
            requests.push(Hostile {
                path,
                body: body.to_string(),
                expected: Expected::FieldOrSuccess,
            });
        }
    }
    requests.extend(batches().into_iter().map(|(body, status)| Hostile {
        path: "/v1/batch/scrape",
        body: body.to_string(),
        expected: Expected::Status(status),
    }));
    requests.extend(bodies().into_iter().map(|body| Hostile {
        path: "/v1/crawl",
        body,
        expected: Expected::Refusal,
    }));
    requests
}

/// Many hostile requests at once, while `/healthz` is called. What is measured does not depend on what else the machine does:
/// CPU time of the thread that responds, and response times compared with those before.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn hostile_bodies_delay_nobody() {
    let service = service().await;
    let port = service.port;
    let stop = Arc::new(AtomicBool::new(false));
    let idle_since = Instant::now();
    for _ in 0..IDLE_CALLS {
        assert_eq!(call(port, "GET", "/healthz", &[], "").await.status, 200);
    }
    let idle = idle_since.elapsed() / u32::try_from(IDLE_CALLS).unwrap();
    let probing = tokio::spawn(Probed::until(port, Arc::clone(&stop)));
    let sent: Vec<(Instant, Instant)> = stream::iter(hostile_requests())
        .map(|request| request.send(port))
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    stop.store(true, Ordering::SeqCst);
    let probed = probing.await.unwrap();
    let intervals = sent.iter().map(|during| probed.interval(*during));
    let slowest = intervals.max().unwrap();
    let bound = MIN_BOUND.max(idle * MAX_SLOWDOWN);
    assert!(
        slowest < bound,
        "/healthz took {slowest:?} while a request was handled, {idle:?} without"
    );
    let longest = probed.longest;
    assert!(longest < MAX_CPU, "/healthz waited for {longest:?} of work");
}

#[tokio::test]
async fn hostile_headers_and_queries_are_rejected() {
    let service = service().await;
    let long = "x".repeat(60_000);
    let odd = "\u{e9}".repeat(100);
    for headers in [
        [("authorization", long.as_str())],
        [("authorization", odd.as_str())],
        [("idempotency-key", long.as_str())],
        [("x-request-id", long.as_str())],
        [("origin", "null")],
        [("host", "a.test, b.test")],
        [("transfer-encoding", "gzip, chunked")],
        [("content-type", long.as_str())],
        [("last-event-id", "99999999999999999999999")],
        [("accept-encoding", "br;q=9e999")],
    ] {
        for (method, path) in [("GET", "/v1/jobs"), ("POST", "/v1/crawl")] {
            let body = if method == "POST" { "{}" } else { "" };
            let reply = call(service.port, method, path, &headers, body).await;
            assert!(reply.status < 500, "{headers:?} {path}: {}", reply.head);
        }
    }
    for query in [
        format!("cursor={}", "%00".repeat(10_000)),
        format!("limit={}", "9".repeat(10_000)),
        "status=%ff%fe".to_owned(),
        "limit=1&".repeat(5_000),
    ] {
        let path = format!("/v1/jobs?{query}");
        let reply = call(service.port, "GET", &path, &[], "").await;
        assert!((400..500).contains(&reply.status), "{}", reply.head);
    }
}

#[tokio::test]
async fn invalid_urls_are_counted_and_listed_up_to_a_limit() {
    let service = service().await;
    let mut urls: Vec<String> = (0..3_000).map(|number| format!("x{number}")).collect();
    urls.push("http://a.test/".to_owned());
    let reply = service
        .post("/v1/batch/scrape", &json!({"urls": urls}))
        .await;
    assert_eq!(reply.status, 202);
    let created = reply.json();
    assert_eq!(created["invalid_url_count"], 3_000);
    assert_eq!(created["invalid_urls"].as_array().unwrap().len(), 1_000);
}
