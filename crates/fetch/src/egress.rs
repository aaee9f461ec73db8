//! Guarded connections for other HTTP clients, such as a browser.
//!
//! They are opened by the same dialer as every fetch: a host is resolved once, each of its addresses is checked, and
//! only checked addresses are dialed. The client speaks HTTP and TLS over the connection itself.

use std::sync::Arc;

use crawler_model::{FailKind, Failure};
use crawler_weburl::CrawlUrl;
use http::HeaderValue;
use tokio::net::TcpStream;

use crate::dialer::Dialer;
use crate::proxy::Proxy;
use crate::request_timer::{Phase, RequestTimer};
use crate::{HttpFetch, RequestedUrl};

/// Opens connections through the dialer, guard and proxies of an [`HttpFetch`].
#[derive(Clone, Debug)]
pub struct Egress {
    fetch: Arc<HttpFetch>,
}

/// A connection for requests without TLS. Its kind decides the form of the request target.
#[derive(Debug)]
pub enum PlainConnection {
    /// Connected to the host: the target is in origin form.
    Direct(TcpStream),
    /// Connected to a proxy: the target is in absolute form.
    Proxy {
        /// The connection.
        stream: TcpStream,
        /// `Proxy-Authorization` header for the proxy.
        authorization: Option<HeaderValue>,
    },
}

impl Egress {
    pub(crate) fn new(fetch: Arc<HttpFetch>) -> Self {
        Self { fetch }
    }

    /// Opens a connection to `host:port`, tunneled through a proxy if the fetcher has one.
    pub async fn tunnel(&self, host: &str, port: u16) -> Result<TcpStream, Failure> {
        let destination = destination(host, port)?;
        let (dialer, proxy) = self.dialer();
        let dial = dialer.connect_through(destination.parts().host(), port, proxy);
        self.within_deadline(dial)
            .await
            .map_err(|timeout| match proxy {
                None => timeout,
                // The proxy may be waiting for the host.
                Some(_) => Failure::new(
                    timeout.kind,
                    format!("the proxy did not open a tunnel: {timeout}"),
                ),
            })?
    }

    /// Opens a connection for plain HTTP requests to `host:port`.
    pub async fn plain(&self, host: &str, port: u16) -> Result<PlainConnection, Failure> {
        let destination = destination(host, port)?;
        let (dialer, proxy) = self.dialer();
        let dial = dialer.connect_first_hop(destination.parts().host(), port, proxy);
        let stream = self
            .within_deadline(dial)
            .await
            .map_err(|timeout| match proxy {
                None => timeout,
                Some(proxy) => proxy.failure(timeout),
            })??;
        Ok(match proxy {
            None => PlainConnection::Direct(stream),
            Some(proxy) => PlainConnection::Proxy {
                stream,
                authorization: proxy.authorization.clone(),
            },
        })
    }

    /// Returns the dialer and the next proxy.
    fn dialer(&self) -> (&Dialer, Option<&Proxy>) {
        let exchange = &self.fetch.exchange;
        let proxy = exchange.next_proxy_index();
        (
            &exchange.dialer,
            proxy.map(|index| &exchange.proxies[index]),
        )
    }

    async fn within_deadline<T>(&self, dial: impl Future<Output = T>) -> Result<T, Failure> {
        let mut timer = RequestTimer::new(self.fetch.deadlines);
        timer.within(Phase::Connect, dial).await
    }

    /// Returns the caller's headers and credentials for this URL; none unless they were given for its origin. Default
    /// headers are not included.
    pub fn caller_headers(
        &self,
        url: &CrawlUrl,
        requested: Option<&RequestedUrl>,
    ) -> Vec<(String, String)> {
        let headers = self
            .fetch
            .exchange
            .request_builder
            .caller_headers(url.parts(), requested);
        headers
            .iter()
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                (name.as_str().to_owned(), value)
            })
            .collect()
    }

    /// Returns the default `User-Agent` header.
    pub fn user_agent(&self) -> &str {
        self.fetch.exchange.request_builder.user_agent()
    }
}

/// Normalizes the host, so that no spelling of an address is treated as a name.
fn destination(host: &str, port: u16) -> Result<CrawlUrl, Failure> {
    let invalid = || Failure::new(FailKind::Protocol, "not a valid host name");
    if host.contains(['/', '?', '#', '@', '\\']) || host.chars().any(char::is_whitespace) {
        return Err(invalid());
    }
    CrawlUrl::parse(&format!("http://{host}:{port}/")).map_err(|_| invalid())
}
