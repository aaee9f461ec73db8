//! Bodies with a wrong length, or none.

use crawler_fetch::Body;
use crawler_model::FailKind;

use crate::fetchers::{fetcher, html, page, rules};
use crate::server::{HTML, Server, response};

#[tokio::test]
async fn a_body_without_a_length_ends_with_the_connection() {
    for version in ["HTTP/1.0", "HTTP/1.1"] {
        let bytes = format!("{version} 200 OK\r\n{HTML}\r\n<p>all of it");
        let server = Server::closing(bytes).await;
        let fetcher = fetcher(&rules(&server.url("/")));
        for _ in 0..3 {
            let got = page(&fetcher, &server.url("/")).await.unwrap();
            assert_eq!(html(&got), b"<p>all of it");
            assert!(!got.truncated);
        }
        assert_eq!(server.accepts(), 3);
    }
}

#[tokio::test]
async fn a_body_that_ends_early_is_a_reset() {
    for (head, body, message) in [
        (
            "content-length: 10",
            "<p>",
            "the body ended after 3 of 10 bytes",
        ),
        (
            "transfer-encoding: chunked",
            "3\r\nabc\r\n",
            "the body ended after 3 bytes",
        ),
        (
            "transfer-encoding: chunked",
            "ff\r\nabc",
            "the body ended after 3 bytes",
        ),
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{HTML}{head}\r\n\r\n{body}");
        let server = Server::closing(bytes).await;
        let failure = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        let failure = failure.unwrap_err();
        assert_eq!(
            (failure.kind, failure.message.as_str()),
            (FailKind::Reset, message)
        );
    }
}

#[tokio::test]
async fn bad_chunks_are_a_protocol_failure() {
    let long_extension = format!("3;{}\r\nabc\r\n0\r\n\r\n", "x".repeat(100_000));
    for body in [
        "zz\r\nabc\r\n0\r\n\r\n",
        "-3\r\nabc\r\n0\r\n\r\n",
        "3\r\nabcXX3\r\n",
        "ffffffffffffffffff\r\nabc",
        &long_extension,
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{HTML}transfer-encoding: chunked\r\n\r\n{body}");
        let server = Server::closing(bytes).await;
        let failure = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        let failure = failure.unwrap_err();
        assert_eq!(failure.kind, FailKind::Protocol, "{failure}");
        assert_eq!(failure.message, "the body's chunks are not valid HTTP");
    }
}

#[tokio::test]
async fn bytes_beyond_the_content_length_are_not_taken_for_the_next_response() {
    // The rest looks like the response to a request that has not been sent yet.
    let mut bytes = response("200 OK", HTML, "<p>mine");
    bytes.extend(response("200 OK", HTML, "<p>planted"));
    let server = Server::responding(bytes).await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for _ in 0..5 {
        let got = page(&fetcher, &server.url("/")).await.unwrap();
        assert_eq!(html(&got), b"<p>mine");
    }
    assert_eq!(server.accepts(), 5, "such a connection is not reused");
}

#[tokio::test]
async fn a_content_length_is_ignored_in_a_chunked_response() {
    let bytes = format!(
        "HTTP/1.1 200 OK\r\n{HTML}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n\
         3\r\nabc\r\n0\r\n\r\n"
    );
    let server = Server::closing(bytes).await;
    let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
        .await
        .unwrap();
    assert_eq!(html(&got), b"abc");
}

#[tokio::test]
async fn unusual_statuses_are_responses_without_a_body() {
    for (status, rest) in [
        (
            "101 Switching Protocols",
            "upgrade: x\r\nconnection: upgrade\r\n\r\nraw",
        ),
        (
            "204 No Content",
            "content-type: text/html\r\ncontent-length: 3\r\n\r\nabc",
        ),
        (
            "205 Reset Content",
            "content-type: text/html\r\ncontent-length: 3\r\n\r\nabc",
        ),
        ("304 Not Modified", "content-length: 999999\r\n\r\n"),
        ("600 What", "content-length: 0\r\n\r\n"),
    ] {
        let server = Server::closing(format!("HTTP/1.1 {status}\r\n{rest}")).await;
        let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/"))
            .await
            .unwrap();
        assert_eq!(got.status.to_string(), status[..3]);
        assert_eq!(got.body, Body::Unread, "{status}");
    }
}
