//! Sends one request and reads the response head: chooses the connection and decides on a resend.
//!
//! A request that provably never reached the server is sent again, a few times. One that lost its connection is sent
//! again once, and only if the connection came from the pool, where it may have gone stale. All other retries belong
//! to the frontier.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crawler_model::{FailKind, Failure};
use crawler_weburl::UrlRef;
use http::{Response, StatusCode};
use hyper::body::Incoming;

use crate::RequestedUrl;
use crate::dialer::Dialer;
use crate::errors::Resend;
use crate::h1::{H1, MAX_HEADERS};
use crate::h2::H2;
use crate::http_connection::HttpConnection;
use crate::origin_pool::OriginPool;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::request_builder::{RequestBuilder, TargetForm};
use crate::request_timer::{Phase, RequestTimer};

/// Maximum number of times a request is sent that the server did not process.
const MAX_SENDS: u32 = 6;

/// Everything needed to send a request.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Opens connections.
    pub(crate) dialer: Dialer,
    /// Idle and shared connections.
    pub(crate) pool: Pool,
    /// Builds requests.
    pub(crate) request_builder: RequestBuilder,
    /// Proxies, used in turn.
    pub(crate) proxies: Vec<Proxy>,
    /// Counter for the next proxy.
    pub(crate) next_proxy: AtomicUsize,
}

/// A response whose body has not been read yet, and its connection.
pub(crate) struct OpenResponse {
    /// The response head and the incoming body.
    pub(crate) response: Response<Incoming>,
    /// The connection the body arrives on.
    pub(crate) connection: HttpConnection,
    /// The pool the connection belongs to.
    pub(crate) origin_pool: Arc<OriginPool>,
}

impl Exchange {
    /// Sends the request for a URL and waits for the response head.
    pub(crate) async fn send(
        &self,
        url: UrlRef<'_>,
        requested: Option<&RequestedUrl>,
        timer: &mut RequestTimer,
    ) -> Result<OpenResponse, Failure> {
        let proxy_index = self.next_proxy_index();
        let proxy = proxy_index.map(|index| &self.proxies[index]);
        let origin_pool = self.pool.origin_pool(url, proxy_index)?;
        let mut fresh = false;
        let mut sends = 0;
        loop {
            let (mut connection, reused) = self
                .connection(url, proxy, &origin_pool, fresh, timer)
                .await?;
            if let HttpConnection::H2(permit) = &connection
                && reused
                && !permit.connection().is_alive()
            {
                // It closed while we waited for a stream: nothing was sent, so this does not count as a send.
                origin_pool.retire(permit.connection());
                continue;
            }
            let form = match (&connection, proxy) {
                (HttpConnection::H2(_), _) => TargetForm::H2,
                (HttpConnection::H1(_), Some(proxy)) if !url.is_https() => TargetForm::Absolute {
                    authorization: proxy.authorization.as_ref(),
                },
                (HttpConnection::H1(_), _) => TargetForm::Origin {
                    host: &origin_pool.host,
                },
            };
            let request = self.request_builder.build(url, requested, form)?;
            sends += 1;
            let error = match timer.within(Phase::Head, connection.send(request)).await? {
                Ok(response) => {
                    check(&response, proxy.is_some())?;
                    return Ok(OpenResponse {
                        response,
                        connection,
                        origin_pool,
                    });
                }
                Err(error) => error,
            };
            let may_resend = match error.resend {
                Resend::SameConnection | Resend::NewConnection => sends < MAX_SENDS,
                Resend::IfReused => reused && !fresh,
                Resend::Never => false,
            };
            if !may_resend {
                return Err(error.failure);
            }
            if error.resend != Resend::SameConnection {
                if let HttpConnection::H2(permit) = &connection {
                    origin_pool.retire(permit.connection());
                }
                fresh = true;
            }
        }
    }

    /// Returns the index of the next proxy; `None` if there are no proxies.
    pub(crate) fn next_proxy_index(&self) -> Option<usize> {
        let count = self.proxies.len();
        (count > 0).then(|| self.next_proxy.fetch_add(1, Ordering::Relaxed) % count)
    }

    /// Returns a connection and whether it was used before: from the pool unless it must be `fresh`.
    async fn connection(
        &self,
        url: UrlRef<'_>,
        proxy: Option<&Proxy>,
        origin_pool: &OriginPool,
        fresh: bool,
        timer: &mut RequestTimer,
    ) -> Result<(HttpConnection, bool), Failure> {
        if url.is_https()
            && let Some(shared) = origin_pool.shared()
        {
            let permit = timer.within(Phase::Stream, shared.acquire_stream()).await?;
            return Ok((HttpConnection::H2(permit), true));
        }
        while !fresh && let Some(mut h1) = origin_pool.pop() {
            if h1.is_alive().await {
                return Ok((HttpConnection::H1(h1), true));
            }
        }
        let dialed = if url.is_https() && !origin_pool.speaks_h1() {
            let first = self.first_dial(url, proxy, origin_pool);
            timer.within(Phase::Connect, first).await??
        } else {
            let dial = self.dial(url, proxy, origin_pool);
            timer.within(Phase::Connect, dial).await??
        };
        match dialed {
            Dialed::H1(h1) => Ok((HttpConnection::H1(h1), false)),
            Dialed::H2(h2, reused) => {
                let permit = timer.within(Phase::Stream, h2.acquire_stream()).await?;
                Ok((HttpConnection::H2(permit), reused))
            }
        }
    }

    /// Dials an origin whose protocol is unknown; one fetch dials, the others wait for its result.
    async fn first_dial(
        &self,
        url: UrlRef<'_>,
        proxy: Option<&Proxy>,
        origin_pool: &OriginPool,
    ) -> Result<Dialed, Failure> {
        let ended = origin_pool.dials_ended();
        let first_dial = origin_pool.first_dial().await;
        if let Some(h2) = origin_pool.shared() {
            return Ok(Dialed::H2(h2, true));
        }
        if let Some(failure) = origin_pool.failed_since(ended) {
            return Err(failure);
        }
        if origin_pool.speaks_h1() {
            // Every HTTP/1 request needs a connection of its own, so they dial in parallel.
            drop(first_dial);
            return self.dial(url, proxy, origin_pool).await;
        }
        let dialed = self.dial(url, proxy, origin_pool).await;
        origin_pool.dial_ended(dialed.as_ref().err().cloned());
        dialed
    }

    async fn dial(
        &self,
        url: UrlRef<'_>,
        proxy: Option<&Proxy>,
        origin_pool: &OriginPool,
    ) -> Result<Dialed, Failure> {
        let stream = self.dialer.dial(url, proxy).await?;
        origin_pool.set_speaks_h1(!stream.speaks_h2());
        if stream.speaks_h2() {
            let h2 = H2::open(stream).await.map_err(|error| error.failure)?;
            origin_pool.share(&h2);
            Ok(Dialed::H2(h2, false))
        } else {
            let h1 = H1::open(stream).await.map_err(|error| error.failure)?;
            Ok(Dialed::H1(h1))
        }
    }
}

/// A connection that was dialed.
enum Dialed {
    H1(Box<H1>),
    /// The flag is true if another fetch opened it.
    H2(Arc<H2>, bool),
}

/// Rejects a response head that is too large, or an authentication failure of the proxy.
fn check(response: &Response<Incoming>, by_proxy: bool) -> Result<(), Failure> {
    // The HTTP/1 parser enforces this limit itself; the HTTP/2 parser does not.
    if response.headers().len() > MAX_HEADERS {
        let message = "the response headers are too large";
        return Err(Failure::new(FailKind::Protocol, message));
    }
    if by_proxy && response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
        let message = "the proxy refused the request (407)";
        return Err(Failure::new(FailKind::Connect, message));
    }
    Ok(())
}
