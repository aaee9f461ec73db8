//! Connections are reused, and a pooled connection that was closed loses no page.

use std::sync::Arc;
use std::time::Duration;

use crawler_model::FailKind;

use crate::fetchers::{fetcher, html, page, rules};
use crate::server::{HTML, Server, response};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_requests_in_a_row_use_one_connection() {
    let server = Server::responding(response("200 OK", HTML, "<p>hi")).await;
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
async fn chunked_empty_and_small_skipped_bodies_keep_the_connection() {
    let chunked =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n\
        3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n";
    let responses = [
        chunked.to_vec(),
        response("204 No Content", "", ""),
        response("301 Moved", "location: /x\r\n", "moved"),
        response("404 Not Found", HTML, "<p>gone"),
        response("200 OK", "content-type: image/png\r\n", "tiny"),
        b"HTTP/1.1 500 Oops\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".to_vec(),
        b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
        response("200 OK", HTML, ""),
    ];
    let server = Server::start(move |mut conn| {
        let responses = responses.clone();
        async move {
            for bytes in responses.iter().cycle() {
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
async fn a_pooled_connection_that_was_closed_loses_no_page() {
    // Every connection answers two requests and closes after reading the third, which is the worst case.
    let server = Server::start(|mut conn| async move {
        for _ in 0..2 {
            conn.request().await;
            conn.send(&response("200 OK", HTML, "<p>ok")).await;
        }
        conn.request().await;
    })
    .await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for number in 0..400 {
        let got = page(&fetcher, &server.url("/")).await;
        assert!(got.is_ok(), "page {number}: {got:?}");
    }
    assert_eq!(server.accepts(), 200, "one retry, on a new connection");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_closed_while_idle_is_noticed_or_retried() {
    // The close races with the next request: either way no page is lost.
    let server = Server::closing(response("200 OK", HTML, "<p>ok")).await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for number in 0..200 {
        let got = page(&fetcher, &server.url("/")).await;
        assert!(got.is_ok(), "page {number}: {got:?}");
    }
}

#[tokio::test]
async fn a_new_connection_closed_without_a_response_is_a_reset_and_not_retried() {
    let server = Server::start(|mut conn| async move {
        conn.request().await;
    })
    .await;
    let fetcher = fetcher(&rules(&server.url("/")));
    let failure = page(&fetcher, &server.url("/")).await.unwrap_err();
    assert_eq!(failure.kind, FailKind::Reset);
    assert_eq!(
        failure.message,
        "the connection was closed before the response"
    );
    assert_eq!(server.accepts(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pool_keeps_as_many_connections_as_there_are_workers() {
    let server = Server::responding(response("200 OK", HTML, "<p>hi")).await;
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
async fn dropping_a_fetch_closes_its_connection() {
    let (events, mut received) = tokio::sync::mpsc::channel(1);
    let server = Server::start(move |mut conn| {
        let events = events.clone();
        async move {
            conn.request().await;
            events.send("requested").await.unwrap();
            conn.disconnected().await;
            events.send("gone").await.unwrap();
        }
    })
    .await;
    let fetcher = fetcher(&rules(&server.url("/")));
    let url = server.url("/");
    tokio::select! {
        _ = page(&fetcher, &url) => panic!("the server never responds"),
        event = received.recv() => assert_eq!(event, Some("requested")),
    }
    assert_eq!(received.recv().await, Some("gone"));
}

#[tokio::test]
async fn a_connection_idle_for_half_a_minute_is_not_reused() {
    let server = Server::responding(response("200 OK", HTML, "<p>hi")).await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for (wait, accepts) in [(0, 1), (29, 1), (31, 2), (1, 2)] {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(wait)).await;
        tokio::time::resume();
        page(&fetcher, &server.url("/")).await.unwrap();
        assert_eq!(server.accepts(), accepts, "after {wait} s");
    }
}
