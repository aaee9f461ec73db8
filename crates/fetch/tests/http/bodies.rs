//! How much of a body is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crawler_fetch::Body;

use crate::fetchers::{fetcher, file, html, page, rules};
use crate::server::{HTML, Server, response};

/// Starts a server that sends a head and an endless body. Returns it and a counter of the bytes it sent.
async fn endless(head: &'static str) -> (Server, Arc<AtomicU64>) {
    let sent = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&sent);
    let server = Server::start(move |mut conn| {
        let sent = Arc::clone(&counted);
        async move {
            conn.request().await;
            conn.send(head.as_bytes()).await;
            let chunk = format!("4000\r\n{}\r\n", "x".repeat(0x4000));
            while conn.send(chunk.as_bytes()).await {
                sent.fetch_add(0x4000, Ordering::SeqCst);
            }
        }
    })
    .await;
    (server, sent)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_html_bodies_are_read() {
    let (server, _) =
        endless("HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ntransfer-encoding: chunked\r\n\r\n")
            .await;
    let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
        .await
        .unwrap();
    assert_eq!(got.body, Body::Unread);
    assert_eq!(got.content_type.as_deref(), Some("video/mp4"));
    assert_eq!((got.wire_bytes, got.truncated), (0, false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_page_is_truncated_at_the_cap() {
    let (server, _) =
        endless("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n")
            .await;
    let mut rules = rules(&server.url("/"));
    rules.max_body = 300_000;
    let got = page(&fetcher(&rules), &server.url("/")).await.unwrap();
    assert_eq!(html(&got).len(), 300_000);
    assert!(got.truncated);
    assert!(got.wire_bytes < 700_000, "{}", got.wire_bytes);
}

#[tokio::test]
async fn a_body_of_exactly_the_cap_is_complete_and_one_byte_more_is_truncated() {
    for (length, truncated) in [(1_000, false), (1_001, true)] {
        let server = Server::responding(response("200 OK", HTML, "x".repeat(length))).await;
        let mut rules = rules(&server.url("/"));
        rules.max_body = 1_000;
        let got = page(&fetcher(&rules), &server.url("/")).await.unwrap();
        assert_eq!((html(&got).len(), got.truncated), (1_000, truncated));
    }
}

#[tokio::test]
async fn a_file_is_read_whatever_its_type_up_to_its_own_cap() {
    let headers = "content-type: application/octet-stream\r\n";
    let server = Server::responding(response("200 OK", headers, "User-agent: *")).await;
    let fetcher = fetcher(&rules(&server.url("/")));
    let got = file(&fetcher, &server.url("/robots.txt"), 100)
        .await
        .unwrap();
    assert_eq!(got.body, Body::File(b"User-agent: *"[..].into()));
    let got = file(&fetcher, &server.url("/robots.txt"), 4).await.unwrap();
    assert_eq!(got.body, Body::File(b"User"[..].into()));
    assert!(got.truncated);
}

#[tokio::test]
async fn bodies_of_redirects_and_errors_are_not_read() {
    for status in [
        "301 Moved",
        "302 Found",
        "300 Many",
        "404 Gone",
        "503 Busy",
        "999 Odd",
    ] {
        let headers = "content-type: text/html\r\nlocation: /caf\u{e9}?x\r\nretry-after: 7\r\n";
        let server = Server::responding(response(status, headers, "<p>no")).await;
        let fetcher = fetcher(&rules(&server.url("/")));
        let got = page(&fetcher, &server.url("/")).await.unwrap();
        assert_eq!(got.body, Body::Unread, "{status}");
        assert_eq!(got.location.as_deref(), Some("/caf\u{e9}?x"));
        assert_eq!(got.retry_after.unwrap().as_secs(), 7);
    }
}

#[tokio::test]
async fn a_location_that_is_not_utf8_is_latin1() {
    let mut bytes =
        b"HTTP/1.1 302 Found\r\nlocation: /caf\xe9\r\ncontent-length: 0\r\n\r\n".to_vec();
    let server = Server::responding(std::mem::take(&mut bytes)).await;
    let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
        .await
        .unwrap();
    assert_eq!(got.location.as_deref(), Some("/caf\u{e9}"));
}

#[tokio::test]
async fn without_a_type_the_first_bytes_decide() {
    let long = format!("<html>{}", "x".repeat(5_000));
    for (headers, body, is_html) in [
        ("", "<html>short", true),
        ("", long.as_str(), true),
        ("content-type: \r\n", "<html>", true),
        ("", "%PDF-1.7", false),
        ("", "", false),
        ("content-type: text/plain\r\n", "<html>", false),
        (
            "content-type: APPLICATION/XHTML+XML; q=1\r\n",
            "<?xml",
            true,
        ),
    ] {
        let server = Server::responding(response("200 OK", headers, body)).await;
        let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
            .await
            .unwrap();
        if is_html {
            assert_eq!(html(&got), body.as_bytes(), "{headers:?}");
        } else {
            assert_eq!(got.body, Body::Unread, "{headers:?} {body:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_body_without_a_type_is_abandoned_after_its_first_bytes() {
    let (server, _) = endless("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
    let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
        .await
        .unwrap();
    assert_eq!(got.body, Body::Unread);
    assert!(got.wire_bytes < 300_000, "{}", got.wire_bytes);
}
