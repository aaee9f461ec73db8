//! Each deadline fires and is named in the message.

use std::time::{Duration, Instant};

use crawler_model::{Deadlines, FailKind, FetchRules};
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::fetchers::{fetcher, file, page, rules};
use crate::server::{HTML, Server, response};

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(200);

fn rules_with_long_deadlines(url: &str) -> FetchRules {
    let mut rules = rules(url);
    rules.deadlines = Deadlines {
        connect: LONG,
        head: LONG,
        idle: LONG,
        total: LONG,
    };
    rules
}

/// Asserts that the fetch fails at a deadline, soon after it, with this message.
async fn times_out(rules: &FetchRules, url: &str, message: &str) {
    let start = Instant::now();
    let failure = page(&fetcher(rules), url).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailKind::Timeout, message)
    );
    assert!(start.elapsed() < LONG, "{message}: {:?}", start.elapsed());
}

#[tokio::test]
async fn a_server_that_does_not_respond_times_out() {
    let server = Server::start(|mut conn| async move { conn.disconnected().await }).await;
    let mut rules = rules_with_long_deadlines(&server.url("/"));
    rules.deadlines.head = SHORT;
    times_out(&rules, &server.url("/"), "no response within 200 ms").await;
    let mut rules = rules_with_long_deadlines(&server.url("/"));
    rules.deadlines.total = SHORT;
    times_out(&rules, &server.url("/"), "no response within 200 ms").await;
}

#[tokio::test]
async fn a_slowly_sent_head_times_out() {
    let server = Server::start(|mut conn| async move {
        conn.request().await;
        for byte in b"HTTP/1.1 200 OK\r\nx: ".iter().chain([b'y'; 500].iter()) {
            conn.send(&[*byte]).await;
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let mut rules = rules_with_long_deadlines(&server.url("/"));
    rules.deadlines.head = SHORT;
    times_out(&rules, &server.url("/"), "no response within 200 ms").await;
}

#[tokio::test]
async fn endless_interim_responses_time_out() {
    let server = Server::start(|mut conn| async move {
        conn.request().await;
        while conn
            .send(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n")
            .await
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let mut rules = rules_with_long_deadlines(&server.url("/"));
    rules.deadlines.head = SHORT;
    times_out(&rules, &server.url("/"), "no response within 200 ms").await;
}

#[tokio::test]
async fn a_stalled_body_times_out() {
    let server = Server::start(|mut conn| async move {
        conn.request().await;
        conn.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9\r\n\r\n<p>")
            .await;
        conn.disconnected().await;
    })
    .await;
    let mut rules = rules_with_long_deadlines(&server.url("/"));
    rules.deadlines.idle = SHORT;
    times_out(&rules, &server.url("/"), "the body stalled for 200 ms").await;
}

#[tokio::test]
async fn a_slowly_sent_body_times_out() {
    let server = Server::start(|mut conn| async move {
        conn.request().await;
        conn.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")
            .await;
        while conn.send(b"x").await {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let mut rules = rules_with_long_deadlines(&server.url("/"));
    rules.deadlines.idle = SHORT;
    rules.deadlines.total = SHORT * 2;
    times_out(&rules, &server.url("/"), "not finished within 400 ms").await;
}

#[tokio::test]
async fn a_stalled_handshake_times_out() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/", silent.local_addr().unwrap().port());
    let mut rules = rules_with_long_deadlines(&url);
    rules.deadlines.connect = SHORT;
    times_out(&rules, &url, "no connection within 200 ms").await;
}

#[tokio::test]
async fn a_skipped_body_that_stalls_does_not_delay_the_response() {
    let server = Server::start(|mut conn| async move {
        conn.request().await;
        conn.send(b"HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\n<p>")
            .await;
        conn.disconnected().await;
    })
    .await;
    let start = Instant::now();
    let got = page(
        &fetcher(&rules_with_long_deadlines(&server.url("/"))),
        &server.url("/"),
    )
    .await
    .unwrap();
    assert_eq!(got.status, 404);
    assert!(start.elapsed() < LONG);
}

#[tokio::test]
async fn a_prompt_response_is_not_affected_by_short_deadlines() {
    let server = Server::responding(response("200 OK", HTML, "<p>hi")).await;
    let mut rules = rules(&server.url("/"));
    rules.deadlines = Deadlines::within(Duration::from_secs(2));
    let fetcher = fetcher(&rules);
    for _ in 0..50 {
        assert!(page(&fetcher, &server.url("/")).await.is_ok());
    }
}

#[tokio::test]
async fn a_large_file_gets_more_total_time_than_a_page() {
    let server = Server::start(|mut conn| async move {
        conn.request().await;
        conn.send(format!("HTTP/1.1 200 OK\r\n{HTML}content-length: 20\r\n\r\n").as_bytes())
            .await;
        for _ in 0..20 {
            sleep(Duration::from_millis(30)).await;
            conn.send(b"x").await;
        }
    })
    .await;
    let mut rules = rules_with_long_deadlines(&server.url("/"));
    rules.deadlines.total = SHORT;
    times_out(&rules, &server.url("/"), "not finished within 200 ms").await;
    let got = file(&fetcher(&rules), &server.url("/"), 50 << 20).await;
    assert_eq!(got.unwrap().wire_bytes, 20);
}
