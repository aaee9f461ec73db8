//! Opens every outgoing connection.
//!
//! A host is resolved once, all its addresses are checked by the guard, and only checked addresses are dialed. IP
//! literals are checked too, even if a proxy would dial them.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crawler_model::{FailKind, Failure};
use crawler_weburl::UrlRef;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::Guard;
use crate::errors;
use crate::proxy::Proxy;
use crate::resolver::{Resolver, literal};
use crate::tls::Tls;
use crate::transport_stream::TransportStream;
use crate::tunnel::tunnel;

/// Delay before the next address is tried in parallel (RFC 8305).
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);
/// Maximum number of addresses tried per host.
const MAX_ADDRESSES: usize = 8;

/// Opens connections.
#[derive(Debug)]
pub(crate) struct Dialer {
    /// Decides which addresses may be dialed.
    pub(crate) guard: Guard,
    /// Resolves host names.
    pub(crate) resolver: Resolver,
    /// TLS client.
    pub(crate) tls: Tls,
}

impl Dialer {
    /// Connects to the origin of a URL: TCP, a tunnel if there is a proxy, and TLS for https.
    pub(crate) async fn dial(
        &self,
        url: UrlRef<'_>,
        proxy: Option<&Proxy>,
    ) -> Result<TransportStream, Failure> {
        if !url.is_https() {
            let stream = self
                .connect_first_hop(url.host(), url.port(), proxy)
                .await?;
            return Ok(TransportStream::Plain(stream));
        }
        let stream = self.connect_through(url.host(), url.port(), proxy).await?;
        let stream = self.tls.connect(url.host(), stream).await?;
        Ok(TransportStream::Tls(Box::new(stream)))
    }

    /// Opens a stream to the host itself, through a tunnel if there is a proxy.
    pub(crate) async fn connect_through(
        &self,
        host: &str,
        port: u16,
        proxy: Option<&Proxy>,
    ) -> Result<TcpStream, Failure> {
        let stream = self.connect_first_hop(host, port, proxy).await?;
        match proxy {
            None => Ok(stream),
            Some(proxy) => tunnel(stream, host, port, proxy.authorization.as_ref()).await,
        }
    }

    /// Opens a stream to the host, or to the proxy if there is one. Both are checked by the guard.
    pub(crate) async fn connect_first_hop(
        &self,
        host: &str,
        port: u16,
        proxy: Option<&Proxy>,
    ) -> Result<TcpStream, Failure> {
        let Some(proxy) = proxy else {
            return self.connect(host, port).await;
        };
        self.check_name(host, port)?;
        if let Some(address) = literal(host) {
            self.check(host, &[address])?;
        }
        let address = proxy.url.parts();
        let connected = self.connect(address.host(), address.port()).await;
        connected.map_err(|failure| proxy.failure(failure))
    }

    async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, Failure> {
        self.check_name(host, port)?;
        let addresses = self.resolver.addresses(host).await?;
        self.check(host, &addresses)?;
        let stream = race(&interleaved(&addresses), port).await?;
        // Fails only on a socket that is already dead; the first write will report that.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    /// Refuses what is known before the name is resolved.
    fn check_name(&self, host: &str, port: u16) -> Result<(), Failure> {
        if !self.guard.allows_name(host) {
            return Err(self.refused());
        }
        if self.guard.allows_port(port) {
            return Ok(());
        }
        let message = format!("port {port} is not allowed{}", self.guard.settings());
        Err(Failure::new(FailKind::AddressRefused, message))
    }

    /// Refuses the host if any of its addresses is refused, so that the host cannot choose which address is dialed.
    fn check(&self, host: &str, addresses: &[IpAddr]) -> Result<(), Failure> {
        let is_allowed = |address: &IpAddr| self.guard.allows(host, *address);
        if addresses.iter().all(is_allowed) {
            return Ok(());
        }
        Err(self.refused())
    }

    /// The message is the same for every host and address that is refused.
    fn refused(&self) -> Failure {
        let settings = self.guard.settings();
        let message = format!("the host's address is not public, or not allowed{settings}");
        Failure::new(FailKind::AddressRefused, message)
    }
}

/// Alternates IPv6 and IPv4 addresses, starting with the family of the first address.
fn interleaved(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let first_is_v6 = addresses.first().is_some_and(IpAddr::is_ipv6);
    let (ours, others): (Vec<IpAddr>, Vec<IpAddr>) = addresses
        .iter()
        .partition(|address| address.is_ipv6() == first_is_v6);
    let longest = ours.len().max(others.len());
    (0..longest)
        .flat_map(|at| [ours.get(at), others.get(at)])
        .flatten()
        .copied()
        .take(MAX_ADDRESSES)
        .collect()
}

/// Returns the first successful connection; each address gets a head start over the next.
async fn race(addresses: &[IpAddr], port: u16) -> Result<TcpStream, Failure> {
    let mut remaining = addresses.iter();
    let mut running = FuturesUnordered::new();
    let mut first_failure = None;
    loop {
        let next = remaining.next();
        let is_last = next.is_none();
        if let Some(address) = next {
            running.push(TcpStream::connect(SocketAddr::new(*address, port)));
        }
        let result = if is_last || remaining.len() == 0 {
            running.next().await
        } else {
            match timeout(ATTEMPT_DELAY, running.next()).await {
                Ok(result) => result,
                Err(_) => continue,
            }
        };
        match result {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(error)) => {
                first_failure.get_or_insert_with(|| errors::from_connect(&error));
            }
            None => break,
        }
    }
    let none = || Failure::new(FailKind::Connect, "could not connect");
    Err(first_failure.unwrap_or_else(none))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crawler_weburl::CrawlUrl;
    use tokio::net::TcpListener;

    use super::*;
    use crate::resolver::AddressSource;
    use crate::tls::Trust;

    fn dialer(allow_private: bool, name: &str, addresses: &[&str]) -> Dialer {
        let addresses: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        let name = name.to_owned();
        let table = move |host: &str| {
            if host == name {
                addresses.clone()
            } else {
                Vec::new()
            }
        };
        Dialer {
            guard: Guard::new(allow_private, Vec::new()),
            resolver: Resolver::new(AddressSource::Custom(Arc::new(table))),
            tls: Tls::new(Trust::Only(Vec::new())),
        }
    }

    async fn dial(dialer: &Dialer, url: &str) -> Result<(), Failure> {
        let url = CrawlUrl::parse(url).unwrap();
        dialer.dial(url.parts(), None).await.map(|_| ())
    }

    #[tokio::test]
    async fn a_name_with_one_private_address_is_refused_and_not_dialed() {
        let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = canary.local_addr().unwrap().port();
        let dialer = dialer(false, "mixed.test", &["93.184.216.34", "127.0.0.1"]);
        let failure = dial(&dialer, &format!("http://mixed.test:{port}/")).await;
        assert_eq!(failure.unwrap_err().kind, FailKind::AddressRefused);
        let accepted = timeout(Duration::from_millis(50), canary.accept()).await;
        assert!(accepted.is_err(), "no connection expected");
    }

    #[tokio::test]
    async fn a_private_literal_is_refused_before_the_proxy_is_resolved() {
        let dialer = dialer(false, "none.test", &[]);
        let proxy = Proxy::parse("http://none.test:3128").unwrap();
        for url in ["http://127.1/", "https://[::ffff:10.0.0.1]/"] {
            let url = CrawlUrl::parse(url).unwrap();
            let failure = dialer.dial(url.parts(), Some(&proxy)).await.unwrap_err();
            assert_eq!(failure.kind, FailKind::AddressRefused);
        }
    }

    #[tokio::test]
    async fn a_connection_failure_names_the_proxy() {
        let dialer = dialer(true, "site.test", &["127.0.0.1"]);
        for (proxy, kind, message) in [
            (
                "http://me:secret@127.0.0.1:1",
                FailKind::Connect,
                "the proxy 127.0.0.1:1 cannot be reached: connection refused",
            ),
            (
                "http://none.test",
                FailKind::Dns,
                "the proxy none.test:80 cannot be reached: the host name none.test has no address",
            ),
        ] {
            let proxy = Proxy::parse(proxy).unwrap();
            for url in ["http://site.test/", "https://site.test/"] {
                let url = CrawlUrl::parse(url).unwrap();
                let failure = dialer.dial(url.parts(), Some(&proxy)).await.unwrap_err();
                assert_eq!(failure, Failure::new(kind, message));
            }
        }
    }

    #[tokio::test]
    async fn the_next_address_is_tried_when_one_is_dead() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let dialer = dialer(true, "two.test", &["::1", "127.0.0.1"]);
        assert_eq!(
            dial(&dialer, &format!("http://two.test:{port}/")).await,
            Ok(())
        );
    }

    #[tokio::test]
    async fn names_without_addresses_and_closed_ports_fail() {
        let dialer = dialer(true, "none.test", &[]);
        let failure = dial(&dialer, "http://none.test/").await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Dns);
        assert_eq!(failure.message, "the host name none.test has no address");
        let failure = dial(&dialer, "http://127.0.0.1:1/").await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Connect);
        assert_eq!(failure.message, "connection refused");
    }

    #[test]
    fn address_families_alternate() {
        let all = ["2a00::1", "2a00::2", "2a00::3", "1.1.1.1", "2.2.2.2"];
        let all: Vec<IpAddr> = all.iter().map(|text| text.parse().unwrap()).collect();
        let order: Vec<String> = interleaved(&all).iter().map(IpAddr::to_string).collect();
        assert_eq!(
            order,
            ["2a00::1", "1.1.1.1", "2a00::2", "2.2.2.2", "2a00::3"]
        );
        let many: Vec<IpAddr> = (0..200).map(|n| IpAddr::from([1, 1, 1, n])).collect();
        assert_eq!(interleaved(&many).len(), MAX_ADDRESSES);
    }
}
