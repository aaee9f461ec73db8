//! Connections are kept, and a kept one that was closed costs no page.

use std::sync::Arc;
use std::time::Duration;

use model::FailKind;

use crate::rules::{fetcher, html, page, rules};
use crate::server::{HTML, Server, answer};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_in_a_row_take_one_connection() {
    let server = Server::answering(answer("200 OK", HTML, "<p>hi")).await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for number in 0..20 {
        let got = page(&fetcher, &server.url(&format!("/{number}")))
            .await
            .unwrap();
        assert_eq!(html(&got), b"<p>hi");
        assert_eq!((got.status, got.wire_bytes), (200, 5));
    }
    assert_eq!((server.accepts(), server.heads().len()), (1, 20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chunked_empty_and_small_unwanted_bodies_keep_the_connection() {
    let chunked =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n\
        3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
    let answers = [
        chunked.to_vec(),
        answer("204 No Content", "", ""),
        answer("301 Moved", "location: /x\r\n", "moved"),
        answer("404 Not Found", HTML, "<p>gone"),
        answer("200 OK", "content-type: image/png\r\n", "tiny"),
        b"HTTP/1.1 500 Oops\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".to_vec(),
        b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
        answer("200 OK", HTML, ""),
    ];
    let server = Server::start(move |mut conn| {
        let answers = answers.clone();
        async move {
            for bytes in answers.iter().cycle() {
                if conn.request().await.is_none() || !conn.send(bytes).await {
                    break;
                }
            }
        }
    })
    .await;
    let fetcher = fetcher(&rules(&server.url("/")));
    let mut statuses = Vec::new();
    for _ in 0..16 {
        statuses.push(page(&fetcher, &server.url("/")).await.unwrap().status);
    }
    assert_eq!(statuses[..8], [200, 204, 301, 404, 200, 500, 304, 200]);
    assert_eq!(server.accepts(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_connection_that_was_closed_costs_no_page() {
    // Every connection answers two requests; the third is read and met with a close, the unkindest way.
    let server = Server::start(|mut conn| async move {
        for _ in 0..2 {
            conn.request().await;
            conn.send(&answer("200 OK", HTML, "<p>ok")).await;
        }
        conn.request().await;
    })
    .await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for number in 0..400 {
        let got = page(&fetcher, &server.url("/")).await;
        assert!(got.is_ok(), "page {number}: {got:?}");
    }
    assert_eq!(
        server.accepts(),
        200,
        "one free retry, on a fresh connection"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_closed_while_idle_is_seen_or_retried() {
    // The close races with the next request: either way no page is lost.
    let server = Server::closing(answer("200 OK", HTML, "<p>ok")).await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for number in 0..200 {
        let got = page(&fetcher, &server.url("/")).await;
        assert!(got.is_ok(), "page {number}: {got:?}");
    }
}

#[tokio::test]
async fn a_fresh_connection_closed_without_a_byte_is_a_reset_and_not_retried() {
    let server = Server::start(|mut conn| async move {
        conn.request().await;
    })
    .await;
    let fetcher = fetcher(&rules(&server.url("/")));
    let failure = page(&fetcher, &server.url("/")).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::Reset);
    assert_eq!(failure.words, "the connection was closed before the answer");
    assert_eq!(server.accepts(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_keep_as_many_as_there_are_workers() {
    let server = Server::answering(answer("200 OK", HTML, "<p>hi")).await;
    let fetcher = Arc::new(fetcher(&rules(&server.url("/"))));
    for _ in 0..4 {
        let all: Vec<_> = (0..16)
            .map(|_| {
                let (fetcher, url) = (Arc::clone(&fetcher), server.url("/"));
                tokio::spawn(async move { page(&fetcher, &url).await.unwrap().status })
            })
            .collect();
        for one in all {
            assert_eq!(one.await.unwrap(), 200);
        }
    }
    assert!(server.accepts() <= 16, "{}", server.accepts());
}

#[tokio::test]
async fn giving_up_a_fetch_closes_its_connection() {
    let (tell, mut told) = tokio::sync::mpsc::channel(1);
    let server = Server::start(move |mut conn| {
        let tell = tell.clone();
        async move {
            conn.request().await;
            tell.send("asked").await.unwrap();
            conn.gone().await;
            tell.send("gone").await.unwrap();
        }
    })
    .await;
    let fetcher = fetcher(&rules(&server.url("/")));
    let url = server.url("/");
    tokio::select! {
        _ = page(&fetcher, &url) => panic!("nobody answers"),
        word = told.recv() => assert_eq!(word, Some("asked")),
    }
    assert_eq!(told.recv().await, Some("gone"));
}

#[tokio::test]
async fn a_connection_idle_for_half_a_minute_is_not_used_again() {
    let server = Server::answering(answer("200 OK", HTML, "<p>hi")).await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for (wait, accepts) in [(0, 1), (29, 1), (31, 2), (1, 2)] {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(wait)).await;
        tokio::time::resume();
        page(&fetcher, &server.url("/")).await.unwrap();
        assert_eq!(server.accepts(), accepts, "after {wait} s");
    }
}
