//! Connections over TLS: HTTP/1.1 with our own implementation, so that scripts work, and HTTP/2 with hyper, because no
//! test needs malformed frames.

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

use crate::connection::{self, ResettableStream, ServerContext};
use crate::site_response::{HttpReply, ResponseKind};
use crate::{Request, Server, ServerSetup, Site, SocketStep, Tls};

impl ResettableStream for TlsStream<TcpStream> {
    fn arm_reset(&self) {
        self.get_ref().0.set_zero_linger().ok();
    }
}

impl Server {
    /// Serves the site over TLS on a free port of 127.0.0.1.
    pub fn start_tls(site: impl Site, tls: &Tls) -> Self {
        Self::start_tls_with(site, tls, ServerSetup::default())
    }

    /// Serves the site over TLS with a setup.
    pub fn start_tls_with(site: impl Site, tls: &Tls, setup: ServerSetup) -> Self {
        let acceptor = tls.acceptor();
        let options = Http2Options {
            goaway_every: tls.goaway_every,
            max_streams: tls.max_streams,
        };
        let stalled = tls.stalled;
        Self::spawn(Arc::new(site), setup, true, move |mut stream, context| {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if stalled {
                    let mut ignored = Vec::new();
                    stream.read_to_end(&mut ignored).await.ok();
                } else if let Ok(stream) = acceptor.accept(stream).await {
                    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                        serve_http2(stream, context, options).await;
                    } else {
                        connection::serve(stream, context).await;
                    }
                }
            });
        })
    }
}

/// Options of an HTTP/2 connection.
#[derive(Clone, Copy)]
struct Http2Options {
    goaway_every: Option<u32>,
    max_streams: Option<u32>,
}

async fn serve_http2(stream: TlsStream<TcpStream>, context: ServerContext, options: Http2Options) {
    let served = Arc::new(AtomicU32::new(0));
    let limit_reached = Arc::new(Notify::new());
    let notify_limit = Arc::clone(&limit_reached);
    let service = service_fn(move |request: http::Request<Incoming>| {
        let count = served.fetch_add(1, Relaxed) + 1;
        if options.goaway_every == Some(count) {
            notify_limit.notify_one();
        }
        respond(request, context.clone())
    });
    let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    if let Some(streams) = options.max_streams {
        builder.max_concurrent_streams(streams);
    }
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = connection.as_mut() => return,
        () = limit_reached.notified() => connection.as_mut().graceful_shutdown(),
    }
    connection.await.ok();
}

async fn respond(
    request: http::Request<Incoming>,
    context: ServerContext,
) -> Result<http::Response<Full<Bytes>>, Reset> {
    let request = read(&request, &context);
    let entry = context.log.open(&request);
    let response = context.site.respond(&request);
    if !response.delay.is_zero() {
        tokio::time::sleep(response.delay).await;
    }
    let response = match response.kind {
        ResponseKind::Reply(reply) => reply,
        ResponseKind::Script(steps) => return Err(play(steps).await),
    };
    entry.sent(response.body.len());
    Ok(write(response))
}

/// Converts an HTTP/2 request to the HTTP/1.1 form that sites expect.
fn read(request: &http::Request<Incoming>, context: &ServerContext) -> Request {
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
    Request::parse(
        head.trim_end().as_bytes(),
        Vec::new(),
        context.address,
        true,
    )
    .unwrap()
}

fn write(reply: HttpReply) -> http::Response<Full<Bytes>> {
    let mut builder = http::Response::builder().status(reply.status);
    if !reply.content_type.is_empty() {
        builder = builder.header("content-type", reply.content_type);
    }
    for (name, value) in &reply.headers {
        builder = builder.header(name.as_str(), value.as_str());
    }
    builder.body(Full::new(reply.body)).unwrap()
}

/// Runs a script on HTTP/2, where it has no socket of its own: pauses are observed, and anything else resets the stream.
async fn play(steps: Vec<SocketStep>) -> Reset {
    for step in steps {
        match step {
            SocketStep::Pause(pause) => tokio::time::sleep(pause).await,
            SocketStep::Hang => match std::future::pending::<Infallible>().await {},
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
        out.write_str("reset requested by the site")
    }
}

impl std::error::Error for Reset {}
