//! The response head: limits, and invalid HTTP.

use crawler_model::FailKind;

use crate::fetchers::{fetcher, html, page, rules};
use crate::server::{HTML, Server, response};

#[tokio::test]
async fn the_number_of_headers_is_limited() {
    for (count, accepted) in [(250, true), (257, false), (10_000, false)] {
        let many = format!("{HTML}{}", "set-cookie: a=b\r\n".repeat(count - 1));
        let server = Server::responding(response("200 OK", &many, "<p>hi")).await;
        let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        match got {
            Ok(got) => assert!(accepted && html(&got) == b"<p>hi", "{count}"),
            Err(failure) => {
                assert!(!accepted, "{count}: {failure}");
                assert_eq!(failure.kind, FailKind::Protocol);
                assert_eq!(failure.message, "the response headers are too large");
            }
        }
    }
}

#[tokio::test]
async fn the_size_of_the_head_is_limited() {
    for (length, accepted) in [(200_000, true), (300_000, false), (5_000_000, false)] {
        let large = format!("{HTML}x: {}\r\n", "y".repeat(length));
        let server = Server::responding(response("200 OK", &large, "<p>hi")).await;
        let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        match got {
            Ok(got) => assert!(accepted && html(&got) == b"<p>hi", "{length}"),
            Err(failure) => {
                assert!(!accepted, "{length}: {failure}");
                assert_eq!(failure.message, "the response headers are too large");
            }
        }
    }
}

#[tokio::test]
async fn invalid_http_is_a_protocol_failure() {
    for bytes in [
        "<html>an HTTP/0.9 response</html>",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "ICY 200 OK\r\n\r\n",
    ] {
        let server = Server::closing(bytes).await;
        let failure = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        let failure = failure.unwrap_err();
        assert_eq!(failure.kind, FailKind::Protocol, "{bytes:?}: {failure}");
        assert_eq!(
            failure.message, "the response is not valid HTTP",
            "{bytes:?}"
        );
    }
}

#[tokio::test]
async fn heads_that_browsers_accept_are_accepted() {
    for head in [
        "HTTP/1.1 200 OK\r\ncontent-type : text/html\r\n",
        "HTTP/1.1 200\r\ncontent-type: text/html\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nbroken header line\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type:\r\n text/html\r\n",
        "HTTP/1.1 200 OK\ncontent-type: text/html\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nlink: </a>\r\n\r\n\
         HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n",
        "HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n",
    ] {
        let server = Server::closing(format!("{head}content-length: 5\r\n\r\n<p>hi")).await;
        let got = page(&fetcher(&rules(&server.url("/"))), &server.url("/")).await;
        let got = got.unwrap_or_else(|failure| panic!("{head:?}: {failure}"));
        assert_eq!(html(&got), b"<p>hi", "{head:?}");
    }
}
