//! HTTP/2: one shared connection, its stream limit, and servers that shut down.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use crawler_model::FailKind;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::sync::{Barrier, Notify};
use tokio::task::JoinSet;

use crate::fetchers::{html, page, rules};
use crate::server::{Server, Stream};
use crate::tls::{Certified, trusting};

fn html_response(body: &'static str) -> Response<Full<Bytes>> {
    Response::builder()
        .header("content-type", "text/html")
        .body(Full::new(Bytes::from_static(body.as_bytes())))
        .unwrap()
}

/// Serves one small page to every request.
pub(crate) async fn serve_page(stream: Box<dyn Stream>) {
    let service = service_fn(|request: Request<Incoming>| async move {
        assert!(request.headers().get("host").is_none());
        Ok::<_, Infallible>(html_response("<p>tls"))
    });
    let server = http2::Builder::new(TokioExecutor::new());
    server
        .serve_connection(TokioIo::new(stream), service)
        .await
        .ok();
}

/// Starts an HTTP/2 server that serves every connection with `serve`.
async fn h2_server<F, S>(certified: &Certified, serve: F) -> Server
where
    F: Fn(Box<dyn Stream>) -> S + Send + Sync + 'static,
    S: Future<Output = ()> + Send + 'static,
{
    let acceptor = certified.acceptor("h2");
    let wrap = move |stream| {
        let acceptor = acceptor.clone();
        async move { Ok(Box::new(acceptor.accept(stream).await?) as _) }
    };
    Server::start_over(move |conn| serve(conn.stream), wrap).await
}

fn https(server: &Server) -> String {
    format!("https://127.0.0.1:{}/", server.port)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_requests_share_one_connection_within_its_stream_limit() {
    let certified = Certified::new(&["127.0.0.1"]);
    let (open, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, highest) = (Arc::clone(&open), Arc::clone(&peak));
    let server = h2_server(&certified, move |stream| {
        let (open, peak) = (Arc::clone(&counted), Arc::clone(&highest));
        async move {
            let service = service_fn(move |_| {
                let (open, peak) = (Arc::clone(&open), Arc::clone(&peak));
                async move {
                    peak.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    for _ in 0..5 {
                        tokio::task::yield_now().await;
                    }
                    open.fetch_sub(1, Ordering::SeqCst);
                    Ok::<_, Infallible>(html_response("<p>h2"))
                }
            });
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder.max_concurrent_streams(10);
            builder
                .serve_connection(TokioIo::new(stream), service)
                .await
                .ok();
        }
    })
    .await;
    let fetcher = Arc::new(trusting(&rules(&https(&server)), &certified));
    let mut all = JoinSet::new();
    for _ in 0..200 {
        let (fetcher, url) = (Arc::clone(&fetcher), https(&server));
        all.spawn(async move { html(&page(&fetcher, &url).await.unwrap()).to_vec() });
    }
    for body in all.join_all().await {
        assert_eq!(body, b"<p>h2");
    }
    assert_eq!(server.accepts(), 1, "only one fetch makes the first dial");
    let peak = peak.load(Ordering::SeqCst);
    assert!((2..=10).contains(&peak), "{peak}");
}

/// Sends this many requests to a server that responds only when all of them are in flight.
async fn fetch_at_once(streams: usize) {
    let certified = Certified::new(&["127.0.0.1"]);
    let barrier = Arc::new(Barrier::new(streams));
    let server = h2_server(&certified, move |stream| {
        let barrier = Arc::clone(&barrier);
        async move {
            let service = service_fn(move |_| {
                let barrier = Arc::clone(&barrier);
                async move {
                    barrier.wait().await;
                    Ok::<_, Infallible>(html_response("<p>h2"))
                }
            });
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder.max_concurrent_streams(u32::try_from(streams).unwrap());
            builder
                .serve_connection(TokioIo::new(stream), service)
                .await
                .ok();
        }
    })
    .await;
    let fetcher = Arc::new(trusting(&rules(&https(&server)), &certified));
    let mut all = JoinSet::new();
    for _ in 0..streams {
        let (fetcher, url) = (Arc::clone(&fetcher), https(&server));
        all.spawn(async move { page(&fetcher, &url).await });
    }
    for got in all.join_all().await {
        assert_eq!(html(&got.unwrap()), b"<p>h2");
    }
    assert_eq!(server.accepts(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_do_not_wait_for_the_first_response_of_a_connection() {
    fetch_at_once(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_server_limits_the_streams_of_a_connection() {
    fetch_at_once(150).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_lost_when_the_server_shuts_down_after_every_seventh() {
    let certified = Certified::new(&["127.0.0.1"]);
    let server = h2_server(&certified, |stream| async move {
        let enough = Arc::new(Notify::new());
        let (notify, count) = (Arc::clone(&enough), Arc::new(AtomicUsize::new(0)));
        let service = service_fn(move |_| {
            if count.fetch_add(1, Ordering::SeqCst) + 1 == 7 {
                notify.notify_one();
            }
            async { Ok::<_, Infallible>(html_response("<p>h2")) }
        });
        let server = http2::Builder::new(TokioExecutor::new());
        let mut run = std::pin::pin!(server.serve_connection(TokioIo::new(stream), service));
        tokio::select! {
            _ = run.as_mut() => return,
            () = enough.notified() => run.as_mut().graceful_shutdown(),
        }
        run.await.ok();
    })
    .await;
    let fetcher = Arc::new(trusting(&rules(&https(&server)), &certified));
    for round in 0..25 {
        let mut all = JoinSet::new();
        for _ in 0..20 {
            let (fetcher, url) = (Arc::clone(&fetcher), https(&server));
            all.spawn(async move { page(&fetcher, &url).await });
        }
        for got in all.join_all().await {
            assert!(got.is_ok(), "round {round}: {got:?}");
        }
    }
    assert!(server.accepts() > 10, "{}", server.accepts());
}

#[tokio::test]
async fn too_many_or_too_large_headers_are_refused() {
    let certified = Certified::new(&["127.0.0.1"]);
    let server = h2_server(&certified, |stream| async move {
        let service = service_fn(|request: Request<Incoming>| async move {
            let mut response = html_response("<p>h2");
            let headers = response.headers_mut();
            match request.uri().path() {
                "/many" => {
                    for _ in 0..300 {
                        headers.append("x", "y".parse().unwrap());
                    }
                }
                "/large" => drop(headers.insert("x", "y".repeat(400_000).parse().unwrap())),
                _ => drop(headers.insert("x", "y".repeat(100_000).parse().unwrap())),
            }
            Ok::<_, Infallible>(response)
        });
        let server = http2::Builder::new(TokioExecutor::new());
        server
            .serve_connection(TokioIo::new(stream), service)
            .await
            .ok();
    })
    .await;
    let fetcher = trusting(&rules(&https(&server)), &certified);
    for path in ["many", "large"] {
        let failure = page(&fetcher, &format!("{}{path}", https(&server)))
            .await
            .unwrap_err();
        assert_eq!(failure.kind, FailKind::Protocol, "{path}: {failure}");
    }
    let got = page(&fetcher, &format!("{}fine", https(&server)))
        .await
        .unwrap();
    assert_eq!(html(&got), b"<p>h2");
    assert_eq!(server.accepts(), 1, "the connection survives them");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_first_dial_fails_for_all_that_waited() {
    let certified = Certified::new(&["127.0.0.1"]);
    let server = Server::start(|mut conn| async move {
        conn.send(b"this is not tls at all").await;
        conn.disconnected().await;
    })
    .await;
    let fetcher = Arc::new(trusting(&rules(&https(&server)), &certified));
    let mut all = JoinSet::new();
    for _ in 0..50 {
        let (fetcher, url) = (Arc::clone(&fetcher), https(&server));
        all.spawn(async move { page(&fetcher, &url).await.unwrap_err().kind });
    }
    for kind in all.join_all().await {
        assert_eq!(kind, FailKind::Tls);
    }
    assert!(server.accepts() < 25, "{}", server.accepts());
}
