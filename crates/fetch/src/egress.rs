//! The way out for somebody who speaks HTTP himself, such as a browser.
//!
//! It leads through the same dialer as every fetch: a host is resolved once, each of its addresses is judged, and what
//! was judged is what is dialled. What is said over the connection is not ours, so neither is TLS.

use std::sync::Arc;

use http::HeaderValue;
use model::{FailKind, Failure};
use tokio::net::TcpStream;
use weburl::CrawlUrl;

use crate::alarm::{Alarm, Phase};
use crate::{Asked, HttpFetch};

/// Connections of a fetcher for others to use.
#[derive(Clone, Debug)]
pub struct Egress {
    fetch: Arc<HttpFetch>,
}

/// A connection for requests without TLS, and how they have to be written.
#[derive(Debug)]
pub enum Road {
    /// To the host itself: origin form.
    Direct(TcpStream),
    /// To a proxy: absolute form.
    Proxy {
        /// The connection.
        stream: TcpStream,
        /// What the proxy wants as `Proxy-Authorization`.
        authorization: Option<HeaderValue>,
    },
}

impl Egress {
    pub(crate) fn new(fetch: Arc<HttpFetch>) -> Self {
        Self { fetch }
    }

    /// A connection whose far end is `host:port`, through a proxy if the fetcher has one.
    pub async fn tunnel(&self, host: &str, port: u16) -> Result<TcpStream, Failure> {
        let to = destination(host, port)?;
        let exchange = &self.fetch.exchange;
        let proxy = exchange.proxy_turn().map(|turn| &exchange.proxies[turn]);
        let dial = exchange.dialer.end_to_end(to.parts().host(), port, proxy);
        let mut alarm = Alarm::new(self.fetch.deadlines);
        let dialled = alarm.within(Phase::Connect, dial).await;
        dialled.map_err(|late| match proxy {
            None => late,
            // It may be the host that keeps the proxy waiting.
            Some(_) => Failure::new(late.kind, format!("the proxy made no tunnel: {late}")),
        })?
    }

    /// A connection for plain requests to `host:port`.
    pub async fn plain(&self, host: &str, port: u16) -> Result<Road, Failure> {
        let to = destination(host, port)?;
        let exchange = &self.fetch.exchange;
        let proxy = exchange.proxy_turn().map(|turn| &exchange.proxies[turn]);
        let dial = exchange.dialer.reach(to.parts().host(), port, proxy);
        let mut alarm = Alarm::new(self.fetch.deadlines);
        let dialled = alarm.within(Phase::Connect, dial).await;
        let stream = dialled.map_err(|late| match proxy {
            None => late,
            Some(proxy) => proxy.failure(late),
        })??;
        Ok(match proxy {
            None => Road::Direct(stream),
            Some(proxy) => Road::Proxy {
                stream,
                authorization: proxy.authorization.clone(),
            },
        })
    }

    /// The caller's own headers and credentials for this URL: none unless its origin is the one they were given for.
    /// What every request of ours has besides is not among them.
    pub fn own_headers(&self, url: &CrawlUrl, asked: Option<&Asked>) -> Vec<(String, String)> {
        let own = self.fetch.exchange.head.own(url.parts(), asked);
        own.iter()
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                (name.as_str().to_owned(), value)
            })
            .collect()
    }

    /// How we introduce ourselves where the caller does not say otherwise.
    pub fn user_agent(&self) -> &str {
        self.fetch.exchange.head.agent()
    }
}

/// The host in its normal form, so that no other spelling of an address passes for a name.
fn destination(host: &str, port: u16) -> Result<CrawlUrl, Failure> {
    let bad = || Failure::new(FailKind::Protocol, "not the name of a host");
    if host.contains(['/', '?', '#', '@', '\\']) || host.chars().any(char::is_whitespace) {
        return Err(bad());
    }
    CrawlUrl::parse(&format!("http://{host}:{port}/")).map_err(|_| bad())
}
