//! Connections inside TLS: HTTP/1.1 by our own hand, so that scripts work there too, and HTTP/2 by
//! hyper, because nothing we test needs a malformed frame.

use std::convert::Infallible;
use std::fmt::Write;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_rustls::server::TlsStream;

use crate::answer::{Kind, Reply};
use crate::connection::{self, Hall, Wire};
use crate::{Request, Server, Setup, Site, Step, Tls};

impl Wire for TlsStream<TcpStream> {
    fn arm_reset(&self) {
        self.get_ref().0.set_zero_linger().ok();
    }
}

impl Server {
    /// Serves the site over TLS on a free port of 127.0.0.1.
    pub fn start_tls(site: impl Site, tls: &Tls) -> Self {
        Self::start_tls_with(site, tls, Setup::default())
    }

    /// Serves the site over TLS as `setup` says.
    pub fn start_tls_with(site: impl Site, tls: &Tls, setup: Setup) -> Self {
        let acceptor = tls.acceptor();
        let manners = Manners {
            goaway_every: tls.goaway_every,
            max_streams: tls.max_streams,
        };
        let stalled = tls.stalled;
        Self::spawn(Arc::new(site), setup, true, move |mut stream, hall| {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if stalled {
                    let mut ignored = Vec::new();
                    stream.read_to_end(&mut ignored).await.ok();
                } else if let Ok(stream) = acceptor.accept(stream).await {
                    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                        serve_http2(stream, hall, manners).await;
                    } else {
                        connection::serve(stream, hall).await;
                    }
                }
            });
        })
    }
}

/// How an HTTP/2 connection behaves.
#[derive(Clone, Copy)]
struct Manners {
    goaway_every: Option<u32>,
    max_streams: Option<u32>,
}

async fn serve_http2(stream: TlsStream<TcpStream>, hall: Hall, manners: Manners) {
    let served = Arc::new(AtomicU32::new(0));
    let enough = Arc::new(Notify::new());
    let say_enough = Arc::clone(&enough);
    let service = service_fn(move |request: http::Request<Incoming>| {
        let count = served.fetch_add(1, Relaxed) + 1;
        if manners.goaway_every == Some(count) {
            say_enough.notify_one();
        }
        respond(request, hall.clone())
    });
    let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    if let Some(streams) = manners.max_streams {
        builder.max_concurrent_streams(streams);
    }
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = connection.as_mut() => return,
        () = enough.notified() => connection.as_mut().graceful_shutdown(),
    }
    connection.await.ok();
}

async fn respond(
    request: http::Request<Incoming>,
    hall: Hall,
) -> Result<http::Response<Full<Bytes>>, Reset> {
    let request = read(&request, &hall);
    let entry = hall.journal.open(&request);
    let answer = hall.site.answer(&request);
    if !answer.delay.is_zero() {
        tokio::time::sleep(answer.delay).await;
    }
    let response = match answer.kind {
        Kind::Reply(reply) => reply,
        Kind::Script(steps) => return Err(play(steps).await),
    };
    entry.sent(response.body.len());
    Ok(write(response))
}

/// Puts an HTTP/2 request into the words of HTTP/1.1, which is what sites read.
fn read(request: &http::Request<Incoming>, hall: &Hall) -> Request {
    let target = request
        .uri()
        .path_and_query()
        .map_or("/", http::uri::PathAndQuery::as_str);
    let mut head = format!("{} {target} HTTP/2\r\n", request.method());
    if let Some(authority) = request.uri().authority() {
        write!(head, "host: {authority}\r\n").ok();
    }
    for (name, value) in request.headers() {
        let value = String::from_utf8_lossy(value.as_bytes());
        write!(head, "{name}: {value}\r\n").ok();
    }
    Request::parse(head.trim_end().as_bytes(), Vec::new(), hall.address, true).unwrap()
}

fn write(reply: Reply) -> http::Response<Full<Bytes>> {
    let mut builder = http::Response::builder().status(reply.status);
    if !reply.content_type.is_empty() {
        builder = builder.header("content-type", reply.content_type);
    }
    for (name, value) in &reply.headers {
        builder = builder.header(name.as_str(), value.as_str());
    }
    builder.body(Full::new(reply.body)).unwrap()
}

/// A script on HTTP/2 has no socket to itself: it waits where it says so, and what it would send
/// becomes a reset of its stream.
async fn play(steps: Vec<Step>) -> Reset {
    for step in steps {
        match step {
            Step::Pause(pause) => tokio::time::sleep(pause).await,
            Step::Hang => match std::future::pending::<Infallible>().await {},
            _ => break,
        }
    }
    Reset
}

/// Makes hyper reset the stream.
#[derive(Debug)]
struct Reset;

impl std::fmt::Display for Reset {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the site asked for a reset")
    }
}

impl std::error::Error for Reset {}
