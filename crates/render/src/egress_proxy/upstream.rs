//! A connection to the network over which plain requests are passed on.

use std::sync::Arc;

use bytes::Bytes;
use fetch::{Egress, Road};
use http::header::{HOST, PROXY_AUTHORIZATION};
use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{Either, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use model::{FailKind, Failure};
use tokio::task::JoinSet;

use super::ledger::Ledger;
use super::metered::Metered;
use super::pulse::Pulse;
use super::{MAX_HEAD, MAX_HEADERS};

/// A request on its way: the browser's body, or none when it is sent again.
pub(super) type Outgoing = Request<Either<Incoming, Empty<Bytes>>>;

/// Where a plain request goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Destination {
    /// As the request wrote it; IPv6 in brackets.
    pub(super) host: String,
    /// 80 where none was written.
    pub(super) port: u16,
}

impl Destination {
    /// Of a request's target; `default`: the port where none is written. `None` if it is not to be understood.
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

/// One connection, used by one browser connection.
#[derive(Debug)]
pub(super) struct Upstream {
    to: Destination,
    sender: http1::SendRequest<Either<Incoming, Empty<Bytes>>>,
    /// Whether it leads to a proxy, which wants the whole URL …
    is_proxy: bool,
    /// … and this.
    authorization: Option<HeaderValue>,
    /// Whether a request was sent over it before: it may have gone stale since.
    used: bool,
    /// Ends with us.
    _driver: JoinSet<()>,
}

/// A request that got no answer.
pub(super) struct Unanswered {
    /// Why.
    pub(super) failure: Failure,
    /// The request, if nothing of it was sent.
    pub(super) unsent: Option<Box<Outgoing>>,
    /// Whether a stale connection may be to blame.
    pub(super) stale: bool,
}

impl Upstream {
    /// Dials.
    pub(super) async fn open(
        egress: &Egress,
        to: &Destination,
        pulse: Arc<Pulse>,
        ledger: Arc<Ledger>,
    ) -> Result<Self, Failure> {
        let (stream, is_proxy, authorization) = match egress.plain(&to.host, to.port).await? {
            Road::Direct(stream) => (stream, false, None),
            Road::Proxy {
                stream,
                authorization,
            } => (stream, true, authorization),
        };
        let (sender, driver) = http1::Builder::new()
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD)
            .preserve_header_case(true)
            // What the browser would read, had it asked by itself.
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(Metered::far(stream, pulse, ledger)))
            .await
            .map_err(|error| of_head(&error, is_proxy))?;
        let mut drivers = JoinSet::new();
        drivers.spawn(async move {
            // Its errors reach us through the request or the body.
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

    /// Whether another request for that destination may be sent over it.
    pub(super) async fn serves(&mut self, to: &Destination) -> bool {
        self.to == *to && self.sender.ready().await.is_ok()
    }

    /// Sends a request for `target`, whose hop headers are gone, and waits for the answer's head.
    pub(super) async fn send(
        &mut self,
        mut ask: Outgoing,
        target: &Uri,
    ) -> Result<Response<Incoming>, Unanswered> {
        let stale = std::mem::replace(&mut self.used, true);
        if let Err(failure) = self.address(&mut ask, target) {
            return Err(Unanswered {
                failure,
                unsent: None,
                stale: false,
            });
        }
        let answer = self.sender.try_send_request(ask).await;
        let is_proxy = self.is_proxy;
        let answer = answer.map_err(|mut error| Unanswered {
            failure: of_head(error.error(), is_proxy),
            unsent: error.take_message().map(Box::new),
            stale: stale && !error.error().is_parse(),
        })?;
        let refused = match answer.status() {
            StatusCode::PROXY_AUTHENTICATION_REQUIRED if self.is_proxy => {
                Failure::new(FailKind::Connect, "the proxy refused the request (407)")
            }
            StatusCode::SWITCHING_PROTOCOLS => {
                Failure::new(FailKind::Protocol, "the answer is not valid http")
            }
            _ => return Ok(answer),
        };
        Err(Unanswered {
            failure: refused,
            unsent: None,
            stale: false,
        })
    }

    /// Writes the target as this connection's far end wants it, and the `host` that goes with it.
    fn address(&self, ask: &mut Outgoing, target: &Uri) -> Result<(), Failure> {
        let unwritable =
            || Failure::new(FailKind::Protocol, "the url cannot be written as a request");
        let authority = target.authority().ok_or_else(unwritable)?.as_str();
        let authority = authority.rsplit('@').next().unwrap_or(authority);
        let host = HeaderValue::from_str(authority).map_err(|_| unwritable())?;
        let path = target.path_and_query().map_or("/", PathAndQuery::as_str);
        // `http://host?query` has no path, which a request line has to have.
        let slash = if path.starts_with('/') { "" } else { "/" };
        let uri = if self.is_proxy {
            format!("http://{authority}{slash}{path}")
        } else {
            format!("{slash}{path}")
        };
        *ask.uri_mut() = Uri::try_from(uri).map_err(|_| unwritable())?;
        ask.headers_mut().insert(HOST, host);
        if let Some(authorization) = &self.authorization {
            ask.headers_mut()
                .insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        Ok(())
    }
}

fn of_head(error: &hyper::Error, is_proxy: bool) -> Failure {
    if error.is_parse_too_large() {
        Failure::new(FailKind::Protocol, "the answer's head is too large")
    } else if error.is_parse() {
        Failure::new(FailKind::Protocol, "the answer is not valid http")
    } else {
        let words = if is_proxy {
            "the proxy closed the connection before an answer"
        } else {
            "the connection was closed before the answer"
        };
        Failure::new(FailKind::Reset, words)
    }
}
