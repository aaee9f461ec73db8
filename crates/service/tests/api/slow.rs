//! Callers who take their time, or never finish: they are let go, and nobody else waits for them.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::call;
use crate::stage::{Stage, stage_with};

const SLOW: usize = 300;
const PATIENCE: Duration = Duration::from_mins(1);

async fn hasty() -> Stage {
    stage_with(|config| {
        config.server.head_timeout = Duration::from_secs(2);
        config.server.body_timeout = Duration::from_secs(2);
        config.server.stall_timeout = Duration::from_secs(2);
    })
    .await
}

async fn connect(stage: &Stage, words: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", stage.port)).await.unwrap();
    stream.write_all(words.as_bytes()).await.unwrap();
    stream
}

/// Everything until the service hangs up, which it must.
async fn rest(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let reading = stream.read_to_end(&mut answer);
    let read = tokio::time::timeout(PATIENCE, reading).await;
    // A reset is an end as well.
    let _ = read.expect("the service never hangs up");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_healthy_caller_is_answered_beside_hundreds_of_slow_ones() {
    // As it comes, so that all of them are still there while the healthy one calls.
    let stage = stage_with(|_| ()).await;
    let body = "POST /v1/crawl HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    let mut slow = Vec::new();
    for n in 0..SLOW {
        let words = ["", "P", "GET /v1/jobs HT", body][n % 4];
        slow.push(connect(&stage, words).await);
    }
    let mut times = Vec::new();
    for _ in 0..100 {
        let begun = Instant::now();
        let reply = call(stage.port, "GET", "/v1/jobs", &[], "").await;
        assert_eq!(reply.status, 200);
        times.push(begun.elapsed());
    }
    assert_eq!(slow.len(), SLOW);
    times.sort();
    assert!(times[98] < Duration::from_secs(1), "p99 {:?}", times[98]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_finish_a_request_is_let_go() {
    let stage = hasty().await;
    for words in [
        "",
        "P",
        "PRI * HTTP/2.0\r\n",
        "GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\nx-slow: 1",
    ] {
        let stream = connect(&stage, words).await;
        rest(stream).await;
    }
    // A body that stops in the middle is told so.
    let words = "POST /v1/crawl HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    let told = rest(connect(&stage, words).await).await;
    assert!(told.starts_with("HTTP/1.1 408 "), "{told}");
    assert!(told.contains("request_timeout"), "{told}");
    // Between two requests the same patience holds.
    let words = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let told = rest(connect(&stage, words).await).await;
    assert!(told.starts_with("HTTP/1.1 200 "), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_house_has_room_again_when_slow_callers_are_let_go() {
    let stage = stage_with(|config| {
        config.server.head_timeout = Duration::from_secs(2);
        config.server.max_connections = 16;
    })
    .await;
    let mut slow = Vec::new();
    for _ in 0..40 {
        slow.push(connect(&stage, "GET /").await);
    }
    let healthy = call(stage.port, "GET", "/v1/jobs", &[], "");
    let reply = tokio::time::timeout(PATIENCE, healthy).await.unwrap();
    assert_eq!(reply.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_never_reads_an_export_is_let_go() {
    let stage = hasty().await;
    // Far more than the sockets' buffers hold.
    let id = stage.long_batch(60, 500_000).await;
    let words = format!("GET /v1/jobs/{id}/export HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let stream = connect(&stage, &words).await;
    // The time limit itself is on trial: whoever reads again after it finds the answer broken off.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let told = rest(stream).await;
    assert!(told.starts_with("HTTP/1.1 200 "));
    assert!(told.len() < 60 * 500_000, "{} bytes came", told.len());
    // Somebody who reads gets all of it.
    let whole = stage.get(&format!("/v1/jobs/{id}/export")).await.body;
    assert!(whole.len() > 60 * 500_000, "{}", whole.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_are_too_much() {
    let stage = stage_with(|_| ()).await;
    let deep = format!("{{\"url\":{}", "[".repeat(100_000));
    let headers = [("content-type", "application/json")];
    for path in ["/v1/scrape", "/v1/batch/scrape", "/v1/crawl", "/v1/map"] {
        let reply = call(stage.port, "POST", path, &headers, &deep).await;
        reply.problem(400, "invalid_json");
    }
    // 50 MB are refused before they are sent.
    let words = "POST /v1/crawl HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50000000\r\n\r\n{";
    let told = rest(connect(&stage, words).await).await;
    assert!(told.starts_with("HTTP/1.1 413 "), "{told}");
    assert!(told.contains("server.max_body_bytes"), "{told}");
    // A million URLs: too long a body as it comes, too many URLs where bodies may be long.
    let urls: Vec<String> = (0..1_000_000)
        .map(|n| format!("http://a.example/{n}"))
        .collect();
    let body = json!({"urls": urls}).to_string();
    let wide = stage_with(|config| config.server.max_body_bytes = 100_000_000).await;
    let reply = call(wide.port, "POST", "/v1/batch/scrape", &headers, &body).await;
    let problem = reply.problem(422, "invalid_request");
    assert_eq!(problem["pointer"], "/urls");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("1000000") && detail.contains("100000"),
        "{detail}"
    );
}
