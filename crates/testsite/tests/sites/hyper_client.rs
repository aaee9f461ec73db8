//! Compares the expectations with the behavior of hyper: a behavior that is not invalid as declared would test nothing.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper_util::rt::TokioIo;
use testsite::Server;
use testsite::hostile::{Expect, Hostile, behaviors};
use tokio::task::JoinSet;

/// hyper checks its buffer before a read, not after it, so a head that arrives in one piece may exceed the limit.
const EXCEEDS_READ_BUFFER: &str = "header-line-300k";

async fn fetch(server: &Server, path: &str) -> Result<(), hyper::Error> {
    let socket = tokio::net::TcpStream::connect(server.addr()).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::Builder::new()
        .max_headers(256)
        .max_buf_size(256 << 10)
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .handshake(TokioIo::new(socket))
        .await?;
    tokio::spawn(connection);
    let request = http::Request::get(path).header("host", "x");
    let request = request.body(Empty::<bytes::Bytes>::new()).unwrap();
    let mut body = sender.send_request(request).await?.into_body();
    let mut remaining = 2_usize << 20;
    while let Some(frame) = body.frame().await {
        remaining = remaining.saturating_sub(frame?.data_ref().map_or(0, bytes::Bytes::len));
        if remaining == 0 {
            break;
        }
    }
    Ok(())
}

fn kind(problem: &hyper::Error) -> &'static str {
    use std::io::ErrorKind::{ConnectionReset, UnexpectedEof};
    let cause = std::error::Error::source(problem);
    let inner = cause.and_then(|cause| cause.downcast_ref::<std::io::Error>());
    let broke = inner.is_some_and(|io| matches!(io.kind(), ConnectionReset | UnexpectedEof));
    if broke || problem.is_incomplete_message() {
        "reset"
    } else {
        "protocol"
    }
}

#[test]
fn hyper_fails_where_a_failure_is_expected() {
    let server = Arc::new(Server::start(Hostile::new()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut results = JoinSet::new();
        for behavior in behaviors() {
            let server = Arc::clone(&server);
            results.spawn(async move {
                let fetched = fetch(&server, &behavior.path);
                let seen = match tokio::time::timeout(Duration::from_secs(3), fetched).await {
                    Err(_) => "timeout",
                    Ok(Err(problem)) => kind(&problem),
                    Ok(Ok(())) => "fine",
                };
                (behavior, seen)
            });
        }
        while let Some(result) = results.join_next().await {
            let (behavior, seen) = result.unwrap();
            let by_status = behavior.name.starts_with("status-");
            match behavior.expect {
                Expect::Failed(kind @ ("protocol" | "reset" | "timeout"))
                    if !by_status && behavior.name != EXCEEDS_READ_BUFFER =>
                {
                    assert_eq!(seen, kind, "{}", behavior.name);
                }
                Expect::Fetched { .. } if behavior.name != "close-at-first" => {
                    assert_eq!(seen, "fine", "{}", behavior.name);
                }
                _ => {}
            }
        }
    });
}
