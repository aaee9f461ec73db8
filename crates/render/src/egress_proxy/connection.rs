//! One connection from the browser: plain requests in sequence, or one tunnel.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use crawler_fetch::Egress;
use crawler_model::{Failure, lock};
use http::header::CONNECTION;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body_util::{Either, Empty};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::copy_bidirectional_with_sizes;
use tokio::net::TcpStream;

use super::counting_stream::CountingStream;
use super::hop_headers::remove_hop_headers;
use super::idle_timer::IdleTimer;
use super::proxy_stats::ProxyStats;
use super::upstream::{Destination, Upstream};
use super::{MAX_HEAD, MAX_HEADERS};

/// Time limit for a request head, from the start of the connection or the previous response.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// Buffer size of a tunnel, for each direction.
const TUNNEL_BUFFER: usize = 16 * 1024;

type ProxyResponse = Response<Either<Incoming, Empty<Bytes>>>;

/// One connection from the browser. Canceling [`Self::serve`] closes both ends.
#[derive(Debug)]
pub(super) struct Connection {
    /// `None`: every request is refused.
    egress: Option<Egress>,
    stats: Arc<ProxyStats>,
    /// Shared by both ends.
    pub(super) idle_timer: Arc<IdleTimer>,
    /// The connection of the previous request, for reuse.
    upstream: Mutex<Option<Upstream>>,
    /// Set when the connection becomes a tunnel.
    tunnel: Mutex<Option<Tunnel>>,
}

#[derive(Debug)]
struct Tunnel {
    browser: OnUpgrade,
    network: CountingStream,
}

impl Connection {
    pub(super) fn new(egress: Option<Egress>, stats: Arc<ProxyStats>) -> Self {
        Self {
            egress,
            stats,
            idle_timer: Arc::new(IdleTimer::new()),
            upstream: Mutex::default(),
            tunnel: Mutex::default(),
        }
    }

    /// Serves the connection until it ends.
    pub(super) async fn serve(&self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let browser = CountingStream::browser_side(stream, Arc::clone(&self.idle_timer));
        let service =
            service_fn(async |request| Ok::<_, hyper::Error>(self.respond(request).await));
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_LIMIT)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD)
            .preserve_header_case(true)
            .auto_date_header(false)
            .serve_connection(TokioIo::new(browser), service)
            .with_upgrades()
            .await;
        if let Err(error) = served {
            tracing::debug!(%error, "a connection from the browser ended early");
        }
        let tunnel = lock(&self.tunnel).take();
        if let Some(Tunnel {
            browser,
            mut network,
        }) = tunnel
            && let Ok(browser) = browser.await
        {
            let mut browser = TokioIo::new(browser);
            let size = TUNNEL_BUFFER;
            // The result does not matter: the tunnel has ended.
            let _ = copy_bidirectional_with_sizes(&mut browser, &mut network, size, size).await;
        }
    }

    async fn respond(&self, request: Request<Incoming>) -> ProxyResponse {
        let target = request.uri();
        self.stats.count_request();
        let is_tunnel = request.method() == Method::CONNECT;
        let to = match (is_tunnel, target.scheme_str()) {
            (true, _) => Destination::of(target, None),
            (false, Some("http")) => Destination::of(target, Some(80)),
            (false, _) => None,
        };
        let Some(to) = to else {
            return empty_and_close(StatusCode::BAD_REQUEST);
        };
        let Some(egress) = &self.egress else {
            tracing::debug!(host = %to.host, port = to.port, "refused a request of the browser itself");
            return empty_and_close(StatusCode::BAD_GATEWAY);
        };
        if !self.stats.admit(&to.host) {
            return empty_and_close(StatusCode::BAD_GATEWAY);
        }
        if is_tunnel {
            self.tunnel(egress, &to, request).await
        } else {
            self.forward(egress, &to, request).await
        }
    }

    async fn tunnel(
        &self,
        egress: &Egress,
        to: &Destination,
        mut request: Request<Incoming>,
    ) -> ProxyResponse {
        match egress.tunnel(&to.host, to.port).await {
            Ok(stream) => {
                let (idle_timer, stats) = (Arc::clone(&self.idle_timer), Arc::clone(&self.stats));
                *lock(&self.tunnel) = Some(Tunnel {
                    browser: hyper::upgrade::on(&mut request),
                    network: CountingStream::network_side(stream, idle_timer, stats),
                });
                empty(StatusCode::OK)
            }
            Err(failure) => {
                self.stats.record_failure(&to.host, to.port, failure);
                empty(StatusCode::BAD_GATEWAY)
            }
        }
    }

    async fn forward(
        &self,
        egress: &Egress,
        to: &Destination,
        request: Request<Incoming>,
    ) -> ProxyResponse {
        let target = request.uri().clone();
        let (mut head, body) = request.into_parts();
        remove_hop_headers(&mut head.headers);
        head.version = Version::HTTP_11;
        // A request without a body can be sent again.
        let resendable = (body.is_end_stream() && head.method.is_safe()).then(|| head.clone());
        let mut outgoing = Request::from_parts(head, Either::Left(body));
        let mut previous = lock(&self.upstream).take();
        loop {
            let mut upstream = match self.upstream(egress, to, previous.take()).await {
                Ok(upstream) => upstream,
                Err(failure) => {
                    self.stats.record_failure(&to.host, to.port, failure);
                    return empty(StatusCode::BAD_GATEWAY);
                }
            };
            let error = match upstream.send(outgoing, &target).await {
                Ok(response) => {
                    *lock(&self.upstream) = Some(upstream);
                    return forwarded(response);
                }
                Err(error) => error,
            };
            // The next connection is new, so this happens only once.
            outgoing = match (error.stale, error.unsent, &resendable) {
                (true, Some(unsent), _) => *unsent,
                (true, None, Some(head)) => {
                    Request::from_parts(head.clone(), Either::Right(Empty::new()))
                }
                _ => {
                    self.stats.record_failure(&to.host, to.port, error.failure);
                    return empty(StatusCode::BAD_GATEWAY);
                }
            };
        }
    }

    /// Reuses the connection of the previous request if it has the same destination and is alive, or opens a new one.
    async fn upstream(
        &self,
        egress: &Egress,
        to: &Destination,
        previous: Option<Upstream>,
    ) -> Result<Upstream, Failure> {
        if let Some(mut previous) = previous
            && previous.serves(to).await
        {
            return Ok(previous);
        }
        let (idle_timer, stats) = (Arc::clone(&self.idle_timer), Arc::clone(&self.stats));
        Upstream::open(egress, to, idle_timer, stats).await
    }
}

/// A response from the network, for the browser.
fn forwarded(response: Response<Incoming>) -> ProxyResponse {
    let mut response = response.map(Either::Left);
    remove_hop_headers(response.headers_mut());
    *response.version_mut() = Version::HTTP_11;
    response
}

/// An empty response of the proxy itself.
fn empty(status: StatusCode) -> ProxyResponse {
    let mut response = Response::new(Either::Right(Empty::new()));
    *response.status_mut() = status;
    response
}

/// An empty response that closes the connection.
fn empty_and_close(status: StatusCode) -> ProxyResponse {
    let mut response = empty(status);
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}
