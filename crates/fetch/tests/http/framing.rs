//! Bodies whose length is told wrongly, or not at all.

use fetch::Body;
use model::FailKind;

use crate::rules::{fetcher, html, page, rules};
use crate::server::{HTML, Server, answer};

#[tokio::test]
async fn without_a_length_the_close_ends_the_body() {
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
async fn a_body_that_breaks_off_is_a_reset() {
    for (head, body, words) in [
        (
            "content-length: 10",
            "<p>",
            "the body broke off after 3 of 10 bytes",
        ),
        (
            "transfer-encoding: chunked",
            "3\r\nabc\r\n",
            "the body broke off after 3 bytes",
        ),
        (
            "transfer-encoding: chunked",
            "ff\r\nabc",
            "the body broke off after 3 bytes",
        ),
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{HTML}{head}\r\n\r\n{body}");
        let server = Server::closing(bytes).await;
        let failure = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        let failure = failure.unwrap_err();
        assert_eq!(
            (failure.kind, failure.words.as_str()),
            (FailKind::Reset, words)
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
        assert_eq!(failure.words, "the body's chunks are not valid http");
    }
}

#[tokio::test]
async fn bytes_beyond_the_told_length_are_nobodys_answer() {
    // The rest looks like the answer to a request that has not been made yet.
    let mut bytes = answer("200 OK", HTML, "<p>mine");
    bytes.extend(answer("200 OK", HTML, "<p>planted"));
    let server = Server::answering(bytes).await;
    let fetcher = fetcher(&rules(&server.url("/")));
    for _ in 0..5 {
        let got = page(&fetcher, &server.url("/")).await.unwrap();
        assert_eq!(html(&got), b"<p>mine");
    }
    assert_eq!(server.accepts(), 5, "such a connection is not used again");
}

#[tokio::test]
async fn a_length_beside_chunks_does_not_count() {
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
async fn odd_statuses_are_answers_without_a_body() {
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
