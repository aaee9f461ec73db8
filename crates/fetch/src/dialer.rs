//! The one dialer every outgoing byte goes through.
//!
//! A host is resolved once, every address it has is judged, and only judged addresses are dialled. IP
//! literals are judged too, also when a proxy would do the dialling.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::{FailKind, Failure};
use tokio::net::TcpStream;
use tokio::time::timeout;
use weburl::UrlRef;

use crate::Guard;
use crate::fault;
use crate::proxy::Proxy;
use crate::resolver::{Resolver, literal};
use crate::tls::Tls;
use crate::tunnel::tunnel;
use crate::wire::Wire;

/// How long an address may keep the next one waiting (RFC 8305).
const STAGGER: Duration = Duration::from_millis(250);
/// Addresses tried; a host with hundreds is not tried to the end.
const MOST_TRIED: usize = 8;

/// Makes connections.
#[derive(Debug)]
pub(crate) struct Dialer {
    /// Judges addresses.
    pub(crate) guard: Guard,
    /// Finds addresses.
    pub(crate) resolver: Resolver,
    /// Shakes hands.
    pub(crate) tls: Tls,
}

impl Dialer {
    /// Connects to a URL's origin: TCP, a tunnel if there is a proxy, and TLS if the scheme says so.
    pub(crate) async fn dial(
        &self,
        url: UrlRef<'_>,
        proxy: Option<&Proxy>,
    ) -> Result<Wire, Failure> {
        if !url.is_https() {
            let stream = self.reach(url.host(), url.port(), proxy).await?;
            return Ok(Wire::Plain(stream));
        }
        let stream = self.end_to_end(url.host(), url.port(), proxy).await?;
        let stream = self.tls.connect(url.host(), stream).await?;
        Ok(Wire::Tls(Box::new(stream)))
    }

    /// A stream whose far end is the host itself: through a proxy, a tunnel.
    pub(crate) async fn end_to_end(
        &self,
        host: &str,
        port: u16,
        proxy: Option<&Proxy>,
    ) -> Result<TcpStream, Failure> {
        let stream = self.reach(host, port, proxy).await?;
        match proxy {
            None => Ok(stream),
            Some(proxy) => tunnel(stream, host, port, proxy.authorization.as_ref()).await,
        }
    }

    /// A stream to the host, or to the proxy that will be asked for it. Both are judged.
    pub(crate) async fn reach(
        &self,
        host: &str,
        port: u16,
        proxy: Option<&Proxy>,
    ) -> Result<TcpStream, Failure> {
        let Some(proxy) = proxy else {
            return self.connect(host, port).await;
        };
        if !self.guard.allows_name(host) {
            return Err(refused());
        }
        if let Some(address) = literal(host) {
            self.judge(host, &[address])?;
        }
        let at = proxy.url.parts();
        let connected = self.connect(at.host(), at.port()).await;
        connected.map_err(|failure| proxy.failure(failure))
    }

    async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, Failure> {
        if !self.guard.allows_name(host) {
            return Err(refused());
        }
        let addresses = self.resolver.addresses(host).await?;
        self.judge(host, &addresses)?;
        let stream = race(&in_turns(&addresses), port).await?;
        // Fails only on a socket that is already dead, which the first write will tell.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }

    /// One bad address among many refuses them all: which one is dialled must not be up to the host.
    fn judge(&self, host: &str, addresses: &[IpAddr]) -> Result<(), Failure> {
        let may = |address: &IpAddr| self.guard.allows(host, *address);
        if addresses.iter().all(may) {
            return Ok(());
        }
        Err(refused())
    }
}

/// The same words for every refusal.
fn refused() -> Failure {
    let words = "the host's address is not a public one";
    Failure::new(FailKind::AddressRefused, words)
}

/// IPv6 and IPv4 by turns, beginning with the kind the resolver put first.
fn in_turns(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let first_is_v6 = addresses.first().is_some_and(IpAddr::is_ipv6);
    let (ours, others): (Vec<IpAddr>, Vec<IpAddr>) = addresses
        .iter()
        .partition(|address| address.is_ipv6() == first_is_v6);
    let longest = ours.len().max(others.len());
    (0..longest)
        .flat_map(|at| [ours.get(at), others.get(at)])
        .flatten()
        .copied()
        .take(MOST_TRIED)
        .collect()
}

/// The first connection of several addresses, each given a head start over the next.
async fn race(addresses: &[IpAddr], port: u16) -> Result<TcpStream, Failure> {
    let mut waiting = addresses.iter();
    let mut running = FuturesUnordered::new();
    let mut first_failure = None;
    loop {
        let next = waiting.next();
        let is_last = next.is_none();
        if let Some(address) = next {
            running.push(TcpStream::connect(SocketAddr::new(*address, port)));
        }
        let ended = if is_last || waiting.len() == 0 {
            running.next().await
        } else {
            match timeout(STAGGER, running.next()).await {
                Ok(ended) => ended,
                Err(_) => continue,
            }
        };
        match ended {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(error)) => {
                first_failure.get_or_insert_with(|| fault::of_connect(&error));
            }
            None => break,
        }
    }
    let none = || Failure::new(FailKind::Connect, "no connection");
    Err(first_failure.unwrap_or_else(none))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::TcpListener;
    use weburl::CrawlUrl;

    use super::*;
    use crate::resolver::Source;
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
            resolver: Resolver::new(Source::Given(Arc::new(table))),
            tls: Tls::new(Trust::Only(Vec::new())),
        }
    }

    async fn dial(dialer: &Dialer, url: &str) -> Result<(), Failure> {
        let url = CrawlUrl::parse(url).unwrap();
        dialer.dial(url.parts(), None).await.map(|_| ())
    }

    #[tokio::test]
    async fn one_private_answer_refuses_the_name_and_nothing_is_dialled() {
        let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = canary.local_addr().unwrap().port();
        let dialer = dialer(false, "mixed.test", &["93.184.216.34", "127.0.0.1"]);
        let failure = dial(&dialer, &format!("http://mixed.test:{port}/")).await;
        assert_eq!(failure.unwrap_err().kind, FailKind::AddressRefused);
        let knocked = timeout(Duration::from_millis(50), canary.accept()).await;
        assert!(knocked.is_err(), "nobody may knock");
    }

    #[tokio::test]
    async fn a_private_literal_is_refused_before_the_proxy_is_even_looked_up() {
        let dialer = dialer(false, "none.test", &[]);
        let proxy = Proxy::parse("http://none.test:3128").unwrap();
        for url in ["http://127.1/", "https://[::ffff:10.0.0.1]/"] {
            let url = CrawlUrl::parse(url).unwrap();
            let failure = dialer.dial(url.parts(), Some(&proxy)).await.unwrap_err();
            assert_eq!(failure.kind, FailKind::AddressRefused);
        }
    }

    #[tokio::test]
    async fn a_proxy_that_is_not_there_is_not_taken_for_the_site() {
        let dialer = dialer(true, "site.test", &["127.0.0.1"]);
        for (proxy, kind, words) in [
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
                assert_eq!(failure, Failure::new(kind, words));
            }
        }
    }

    #[tokio::test]
    async fn a_dead_address_does_not_keep_the_next_one_from_answering() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let dialer = dialer(true, "two.test", &["::1", "127.0.0.1"]);
        assert_eq!(
            dial(&dialer, &format!("http://two.test:{port}/")).await,
            Ok(())
        );
    }

    #[tokio::test]
    async fn a_name_without_address_and_a_closed_port() {
        let dialer = dialer(true, "none.test", &[]);
        let failure = dial(&dialer, "http://none.test/").await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Dns);
        assert_eq!(failure.words, "the host name none.test has no address");
        let failure = dial(&dialer, "http://127.0.0.1:1/").await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Connect);
        assert_eq!(failure.words, "connection refused");
    }

    #[test]
    fn address_families_take_turns() {
        let all = ["2a00::1", "2a00::2", "2a00::3", "1.1.1.1", "2.2.2.2"];
        let all: Vec<IpAddr> = all.iter().map(|text| text.parse().unwrap()).collect();
        let turns: Vec<String> = in_turns(&all).iter().map(IpAddr::to_string).collect();
        assert_eq!(
            turns,
            ["2a00::1", "1.1.1.1", "2a00::2", "2.2.2.2", "2a00::3"]
        );
        let many: Vec<IpAddr> = (0..200).map(|n| IpAddr::from([1, 1, 1, n])).collect();
        assert_eq!(in_turns(&many).len(), MOST_TRIED);
    }
}
