//! One connection of the browser: plain requests one after the other, or one tunnel.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use fetch::Egress;
use http::header::CONNECTION;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body_util::{Either, Empty};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::{TokioIo, TokioTimer};
use model::Failure;
use tokio::io::copy_bidirectional_with_sizes;
use tokio::net::TcpStream;

use super::hop_headers::remove_hop_headers;
use super::ledger::Ledger;
use super::metered::Metered;
use super::pulse::Pulse;
use super::upstream::{Destination, Upstream};
use super::{MAX_HEAD, MAX_HEADERS};

/// Time for a request's head, from the connection's beginning or the answer before it.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// Bytes held of a tunnel, each way.
const TUNNEL_BUFFER: usize = 16 * 1024;

type Answer = Response<Either<Incoming, Empty<Bytes>>>;

/// One connection. Dropping what it does closes both its ends.
#[derive(Debug)]
pub(super) struct Connection {
    /// `None`: nothing is dialled.
    egress: Option<Egress>,
    ledger: Arc<Ledger>,
    /// Of both ends.
    pub(super) pulse: Arc<Pulse>,
    /// Where the request before went, kept for the next.
    upstream: Mutex<Option<Upstream>>,
    /// Set when the connection is to become one.
    tunnel: Mutex<Option<Tunnel>>,
}

#[derive(Debug)]
struct Tunnel {
    near: OnUpgrade,
    far: Metered,
}

impl Connection {
    pub(super) fn new(egress: Option<Egress>, ledger: Arc<Ledger>) -> Self {
        Self {
            egress,
            ledger,
            pulse: Arc::new(Pulse::new()),
            upstream: Mutex::default(),
            tunnel: Mutex::default(),
        }
    }

    /// To its end.
    pub(super) async fn serve(&self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let near = Metered::near(stream, Arc::clone(&self.pulse));
        let answer = service_fn(async |request| Ok::<_, hyper::Error>(self.answer(request).await));
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_LIMIT)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD)
            .preserve_header_case(true)
            .auto_date_header(false)
            .serve_connection(TokioIo::new(near), answer)
            .with_upgrades()
            .await;
        if let Err(error) = served {
            tracing::debug!(%error, "a connection of the browser broke off");
        }
        let tunnel = locked(&self.tunnel).take();
        if let Some(Tunnel { near, mut far }) = tunnel
            && let Ok(near) = near.await
        {
            let mut near = TokioIo::new(near);
            let size = TUNNEL_BUFFER;
            // However it ends, it has ended.
            let _ = copy_bidirectional_with_sizes(&mut near, &mut far, size, size).await;
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let target = request.uri();
        self.ledger.ask(&format!("{} {target}", request.method()));
        let is_tunnel = request.method() == Method::CONNECT;
        let to = match (is_tunnel, target.scheme_str()) {
            (true, _) => Destination::of(target, None),
            (false, Some("http")) => Destination::of(target, Some(80)),
            (false, _) => None,
        };
        let Some(to) = to else {
            return ended(StatusCode::BAD_REQUEST);
        };
        let Some(egress) = &self.egress else {
            return ended(StatusCode::BAD_GATEWAY);
        };
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
    ) -> Answer {
        match egress.tunnel(&to.host, to.port).await {
            Ok(stream) => {
                let (pulse, ledger) = (Arc::clone(&self.pulse), Arc::clone(&self.ledger));
                *locked(&self.tunnel) = Some(Tunnel {
                    near: hyper::upgrade::on(&mut request),
                    far: Metered::far(stream, pulse, ledger),
                });
                empty(StatusCode::OK)
            }
            Err(failure) => {
                self.ledger.fail(&to.host, to.port, failure);
                empty(StatusCode::BAD_GATEWAY)
            }
        }
    }

    async fn forward(
        &self,
        egress: &Egress,
        to: &Destination,
        request: Request<Incoming>,
    ) -> Answer {
        let target = request.uri().clone();
        let (mut head, body) = request.into_parts();
        remove_hop_headers(&mut head.headers);
        head.version = Version::HTTP_11;
        // What has no body can be written once more.
        let again = (body.is_end_stream() && head.method.is_safe()).then(|| head.clone());
        let mut ask = Request::from_parts(head, Either::Left(body));
        let mut kept = locked(&self.upstream).take();
        loop {
            let mut upstream = match self.upstream(egress, to, kept.take()).await {
                Ok(upstream) => upstream,
                Err(failure) => {
                    self.ledger.fail(&to.host, to.port, failure);
                    return empty(StatusCode::BAD_GATEWAY);
                }
            };
            let unanswered = match upstream.send(ask, &target).await {
                Ok(answer) => {
                    *locked(&self.upstream) = Some(upstream);
                    return passed_on(answer);
                }
                Err(unanswered) => unanswered,
            };
            // The next connection is a fresh one, so this happens once.
            ask = match (unanswered.stale, unanswered.unsent, &again) {
                (true, Some(unsent), _) => *unsent,
                (true, None, Some(head)) => {
                    Request::from_parts(head.clone(), Either::Right(Empty::new()))
                }
                _ => {
                    self.ledger.fail(&to.host, to.port, unanswered.failure);
                    return empty(StatusCode::BAD_GATEWAY);
                }
            };
        }
    }

    /// The connection of the request before, if it leads there and is alive, or a fresh one.
    async fn upstream(
        &self,
        egress: &Egress,
        to: &Destination,
        kept: Option<Upstream>,
    ) -> Result<Upstream, Failure> {
        if let Some(mut kept) = kept
            && kept.serves(to).await
        {
            return Ok(kept);
        }
        let (pulse, ledger) = (Arc::clone(&self.pulse), Arc::clone(&self.ledger));
        Upstream::open(egress, to, pulse, ledger).await
    }
}

/// An answer of the network's, for the browser.
fn passed_on(answer: Response<Incoming>) -> Answer {
    let mut answer = answer.map(Either::Left);
    remove_hop_headers(answer.headers_mut());
    *answer.version_mut() = Version::HTTP_11;
    answer
}

/// An answer of ours.
fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Either::Right(Empty::new()));
    *answer.status_mut() = status;
    answer
}

/// An answer of ours after which nothing more is heard.
fn ended(status: StatusCode) -> Answer {
    let mut answer = empty(status);
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(CONNECTION, close);
    answer
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
