//! Slow clients and clients that never finish are disconnected, and do not delay others.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::call;
use crate::service::{TestService, service_with};

const SLOW: usize = 300;
const TIMEOUT: Duration = Duration::from_mins(1);

async fn short_timeouts() -> TestService {
    service_with(|config| {
        config.server.head_timeout = Duration::from_secs(2);
        config.server.body_timeout = Duration::from_secs(2);
        config.server.stall_timeout = Duration::from_secs(2);
    })
    .await
}

async fn connect(service: &TestService, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", service.port))
        .await
        .unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Reads until the service closes the connection, which it must.
async fn rest(mut stream: TcpStream) -> String {
    let mut response = Vec::new();
    let reading = stream.read_to_end(&mut response);
    let read = tokio::time::timeout(TIMEOUT, reading).await;
    // A reset closes the connection as well.
    let _ = read.expect("the service does not close the connection");
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_slow_clients_do_not_delay_a_healthy_one() {
    // Default timeouts, so that all slow clients stay connected during the test.
    let service = service_with(|_| ()).await;
    let body = "POST /v1/crawl HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    let mut slow = Vec::new();
    for n in 0..SLOW {
        let request = ["", "P", "GET /v1/jobs HT", body][n % 4];
        slow.push(connect(&service, request).await);
    }
    let mut times = Vec::new();
    for _ in 0..100 {
        let started = Instant::now();
        let reply = call(service.port, "GET", "/v1/jobs", &[], "").await;
        assert_eq!(reply.status, 200);
        times.push(started.elapsed());
    }
    assert_eq!(slow.len(), SLOW);
    times.sort();
    // A request that waits for slow clients waits for their timeouts, which are longer.
    assert!(times[98] < Duration::from_secs(5), "p99 {:?}", times[98]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_finish_its_request_is_disconnected() {
    let service = short_timeouts().await;
    for request in [
        "",
        "P",
        "PRI * HTTP/2.0\r\n",
        "GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\nx-slow: 1",
    ] {
        let stream = connect(&service, request).await;
        rest(stream).await;
    }
    // A client that stops in the middle of the body gets an error.
    let request = "POST /v1/crawl HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    let response = rest(connect(&service, request).await).await;
    assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
    assert!(response.contains("request_timeout"), "{response}");
    // The same timeout applies between two requests.
    let request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let response = rest(connect(&service, request).await).await;
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_of_slow_clients_become_available_again() {
    let service = service_with(|config| {
        config.server.head_timeout = Duration::from_secs(2);
        config.server.max_connections = 16;
    })
    .await;
    let mut slow = Vec::new();
    for _ in 0..40 {
        slow.push(connect(&service, "GET /").await);
    }
    let healthy = call(service.port, "GET", "/v1/jobs", &[], "");
    let reply = tokio::time::timeout(TIMEOUT, healthy).await.unwrap();
    assert_eq!(reply.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_reads_an_export_is_disconnected() {
    let service = short_timeouts().await;
    // Far more than fits into the socket buffers.
    let id = service.long_batch(60, 500_000).await;
    let request = format!("GET /v1/jobs/{id}/export HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let stream = connect(&service, &request).await;
    // The timeout itself is tested: a client that reads again after it gets an incomplete response.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let response = rest(stream).await;
    assert!(response.starts_with("HTTP/1.1 200 "));
    assert!(
        response.len() < 60 * 500_000,
        "{} bytes received",
        response.len()
    );
    // A client that reads gets everything.
    let complete = service.get(&format!("/v1/jobs/{id}/export")).await.body;
    assert!(complete.len() > 60 * 500_000, "{}", complete.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oversized_bodies_are_rejected() {
    let service = service_with(|_| ()).await;
    let deep = format!("{{\"url\":{}", "[".repeat(100_000));
    let headers = [("content-type", "application/json")];
    for path in ["/v1/scrape", "/v1/batch/scrape", "/v1/crawl", "/v1/map"] {
        let reply = call(service.port, "POST", path, &headers, &deep).await;
        reply.problem(400, "invalid_json");
    }
    // 50 MB are rejected before they are sent.
    let request = "POST /v1/crawl HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50000000\r\n\r\n{";
    let response = rest(connect(&service, request).await).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    assert!(response.contains("server.max_body_bytes"), "{response}");
    // A million URLs are too many even if the body may be that long.
    let urls: Vec<String> = (0..1_000_000)
        .map(|n| format!("http://a.example/{n}"))
        .collect();
    let body = json!({"urls": urls}).to_string();
    let wide = service_with(|config| config.server.max_body_bytes = 100_000_000).await;
    let reply = call(wide.port, "POST", "/v1/batch/scrape", &headers, &body).await;
    let problem = reply.problem(422, "invalid_request");
    assert_eq!(problem["pointer"], "/urls");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("1000000") && detail.contains("100000"),
        "{detail}"
    );
}
