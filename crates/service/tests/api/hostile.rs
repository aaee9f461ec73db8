//! Requests that are made to keep the service busy: none is an error of the service, and none delays the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Reply, call};
use crate::service::{TestService, service};

const JSON: (&str, &str) = ("content-type", "application/json");
/// Much longer than a request may delay others, for machines that are busy; the requests here used to take longer.
/// `cargo xtask api-fuzz` measures it.
const MAX_DELAY: Duration = Duration::from_secs(5);

async fn post(service: &TestService, path: &str, body: &str) -> Reply {
    let reply = call(service.port, "POST", path, &[JSON], body).await;
    assert!(
        (200..500).contains(&reply.status),
        "{path}: {}{}",
        reply.head,
        reply.body
    );
    reply
}

/// Calls `/healthz` until it is stopped; returns the longest time that one took.
async fn probe(port: u16, stop: Arc<AtomicBool>) -> Duration {
    let mut longest = Duration::ZERO;
    while !stop.load(Ordering::SeqCst) {
        let started = Instant::now();
        assert_eq!(call(port, "GET", "/healthz", &[], "").await.status, 200);
        longest = longest.max(started.elapsed());
    }
    longest
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

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn hostile_bodies_delay_nobody() {
    let service = service().await;
    let stop = Arc::new(AtomicBool::new(false));
    let probing = tokio::spawn(probe(service.port, Arc::clone(&stop)));
    for list in patterns() {
        for path in ["/v1/crawl", "/v1/map"] {
            let body = json!({"url": "http://a.test/", "include": list, "exclude": list});
            let reply = post(&service, path, &body.to_string()).await;
            if reply.status == 422 {
                reply.names_field(reply.json()["field"].as_str().unwrap());
            }
        }
    }
    for (body, status) in batches() {
        let reply = post(&service, "/v1/batch/scrape", &body.to_string()).await;
        assert_eq!(reply.status, status, "{}", reply.body);
        assert!(reply.body.len() < 500_000, "a response is limited in size");
    }
    for body in bodies() {
        let reply = post(&service, "/v1/crawl", &body).await;
        assert!(reply.status >= 400, "{}", reply.body);
    }
    stop.store(true, Ordering::SeqCst);
    let longest = probing.await.unwrap();
    assert!(longest < MAX_DELAY, "/healthz took {longest:?}");
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
