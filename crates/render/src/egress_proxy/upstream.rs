//! A connection to the network that forwards plain requests.

use std::sync::Arc;

use bytes::Bytes;
use crawler_fetch::{Egress, PlainConnection};
use crawler_model::{FailKind, Failure};
use http::header::{HOST, PROXY_AUTHORIZATION};
use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{Either, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::task::JoinSet;

use super::counting_stream::CountingStream;
use super::idle_timer::IdleTimer;
use super::proxy_stats::ProxyStats;
use super::{MAX_HEAD, MAX_HEADERS};

/// A request being forwarded: with the browser's body, or without one if it is resent.
pub(super) type OutgoingRequest = Request<Either<Incoming, Empty<Bytes>>>;

/// The destination of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Destination {
    /// As in the request; IPv6 in brackets.
    pub(super) host: String,
    /// 80 if the request has none.
    pub(super) port: u16,
}

impl Destination {
    /// Parses a request target; `default` is the port if there is none. `None` if it is invalid.
    pub(super) fn of(target: &Uri, default: Option<u16>) -> Option<Self> {
        let host = target.host().filter(|host| !host.is_empty())?;
        let authority = target.authority()?.as_str();
        let written = authority.rsplit('@').next()?.strip_prefix(host)?;
        let port = match written.strip_prefix(':') {
            None if written.is_empty() => default?,
            Some("") => default?,
            Some(digits) => digits.parse().ok()?,
            None => return None,
        };
        Some(Self {
            host: host.to_owned(),
            port,
        })
    }
}

/// A connection to the network, used by one browser connection.
#[derive(Debug)]
pub(super) struct Upstream {
    to: Destination,
    sender: http1::SendRequest<Either<Incoming, Empty<Bytes>>>,
    /// Whether it is connected to a proxy, which needs the full URL.
    is_proxy: bool,
    /// `Proxy-Authorization` header of that proxy.
    authorization: Option<HeaderValue>,
    /// Whether it was used before, so that it may have gone stale.
    used: bool,
    /// Dropped with the connection.
    _driver: JoinSet<()>,
}

/// A request without a response.
pub(super) struct SendError {
    /// The failure.
    pub(super) failure: Failure,
    /// The request, if none of it was sent.
    pub(super) unsent: Option<Box<OutgoingRequest>>,
    /// Whether a stale connection may be the cause.
    pub(super) stale: bool,
}

impl Upstream {
    /// Dials the destination.
    pub(super) async fn open(
        egress: &Egress,
        to: &Destination,
        idle_timer: Arc<IdleTimer>,
        stats: Arc<ProxyStats>,
    ) -> Result<Self, Failure> {
        let (stream, is_proxy, authorization) = match egress.plain(&to.host, to.port).await? {
            PlainConnection::Direct(stream) => (stream, false, None),
            PlainConnection::Proxy {
                stream,
                authorization,
            } => (stream, true, authorization),
        };
        let (sender, driver) = http1::Builder::new()
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD)
            .preserve_header_case(true)
            // As lenient as the browser.
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(CountingStream::network_side(
                stream, idle_timer, stats,
            )))
            .await
            .map_err(|error| send_failure(&error, is_proxy))?;
        let mut drivers = JoinSet::new();
        drivers.spawn(async move {
            // Its errors surface in the request or the body.
            let _ = driver.await;
        });
        Ok(Self {
            to: to.clone(),
            sender,
            is_proxy,
            authorization,
            used: false,
            _driver: drivers,
        })
    }

    /// Whether it can send another request to this destination.
    pub(super) async fn serves(&mut self, to: &Destination) -> bool {
        self.to == *to && self.sender.ready().await.is_ok()
    }

    /// Sends a request without hop-by-hop headers to `target` and waits for the response head.
    pub(super) async fn send(
        &mut self,
        mut request: OutgoingRequest,
        target: &Uri,
    ) -> Result<Response<Incoming>, SendError> {
        let stale = std::mem::replace(&mut self.used, true);
        if let Err(failure) = self.set_target(&mut request, target) {
            return Err(SendError {
                failure,
                unsent: None,
                stale: false,
            });
        }
        let sent = self.sender.try_send_request(request).await;
        let is_proxy = self.is_proxy;
        let response = sent.map_err(|mut error| SendError {
            failure: send_failure(error.error(), is_proxy),
            unsent: error.take_message().map(Box::new),
            stale: stale && !error.error().is_parse(),
        })?;
        let refused = match response.status() {
            StatusCode::PROXY_AUTHENTICATION_REQUIRED if self.is_proxy => {
                Failure::new(FailKind::Connect, "the proxy refused the request (407)")
            }
            StatusCode::SWITCHING_PROTOCOLS => {
                Failure::new(FailKind::Protocol, "the response is not valid HTTP")
            }
            _ => return Ok(response),
        };
        Err(SendError {
            failure: refused,
            unsent: None,
            stale: false,
        })
    }

    /// Sets the target in the form the other end expects, and the `Host` header.
    fn set_target(&self, request: &mut OutgoingRequest, target: &Uri) -> Result<(), Failure> {
        let unwritable = || Failure::new(FailKind::Protocol, "the URL cannot be sent in a request");
        let authority = target.authority().ok_or_else(unwritable)?.as_str();
        let authority = authority.rsplit('@').next().unwrap_or(authority);
        let host = HeaderValue::from_str(authority).map_err(|_| unwritable())?;
        let path = target.path_and_query().map_or("/", PathAndQuery::as_str);
        // `http://host?query` has no path, but a request line needs one.
        let slash = if path.starts_with('/') { "" } else { "/" };
        let uri = if self.is_proxy {
            format!("http://{authority}{slash}{path}")
        } else {
            format!("{slash}{path}")
        };
        *request.uri_mut() = Uri::try_from(uri).map_err(|_| unwritable())?;
        request.headers_mut().insert(HOST, host);
        if let Some(authorization) = &self.authorization {
            request
                .headers_mut()
                .insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        Ok(())
    }
}

fn send_failure(error: &hyper::Error, is_proxy: bool) -> Failure {
    if error.is_parse_too_large() {
        Failure::new(FailKind::Protocol, "the response headers are too large")
    } else if error.is_parse() {
        Failure::new(FailKind::Protocol, "the response is not valid HTTP")
    } else {
        let message = if is_proxy {
            "the proxy closed the connection before the response"
        } else {
            "the connection was closed before the response"
        };
        Failure::new(FailKind::Reset, message)
    }
}
