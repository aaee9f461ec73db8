//! Lookups with a deadline, a limited number at a time.

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use crawler_model::lock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::hosts_file::HostsFile;
use super::message::{RecordType, Response, query, response};
use super::resolv_conf::ResolvConf;

/// How long a server has to respond before the next one is asked.
const ATTEMPT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How often each server is asked.
const ATTEMPTS: usize = 2;
/// How long a lookup may take from its turn, with all attempts and search domains.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum number of lookups at a time.
const MAX_LOOKUPS: usize = 256;
/// How often the files are checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Longest datagram that is read; longer responses are truncated by the server.
const MAX_DATAGRAM: usize = 4_096;

const RESOLV_CONF: &str = "/etc/resolv.conf";
const HOSTS: &str = "/etc/hosts";

/// Why a name has no addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DnsError {
    /// The servers say that it has none.
    NoAddress,
    /// No server responded, or none could resolve it.
    Failed,
}

/// Resolves names with the system's configuration.
#[derive(Debug)]
pub(crate) struct DnsResolver {
    files: Mutex<Files>,
    lookups: Semaphore,
    /// Makes query ids unpredictable.
    random: RandomState,
}

/// The configuration, and when it was read.
#[derive(Debug)]
struct Files {
    current: Arc<Configuration>,
    modified: [Option<SystemTime>; 2],
    /// `None`: never checked again.
    check_at: Option<Instant>,
}

#[derive(Default, Debug)]
struct Configuration {
    conf: ResolvConf,
    hosts: HostsFile,
}

impl DnsResolver {
    /// A resolver with the system's configuration, which is read again when it changes.
    pub(crate) fn system() -> Self {
        Self::with(Files {
            current: Arc::default(),
            modified: [None; 2],
            check_at: Some(Instant::now()),
        })
    }

    /// A resolver that asks this server only.
    pub(crate) fn asking(server: SocketAddr) -> Self {
        let conf = ResolvConf {
            servers: vec![server],
            ..ResolvConf::default()
        };
        Self::with(Files {
            current: Arc::new(Configuration {
                conf,
                hosts: HostsFile::default(),
            }),
            modified: [None; 2],
            check_at: None,
        })
    }

    fn with(files: Files) -> Self {
        Self {
            files: Mutex::new(files),
            lookups: Semaphore::new(MAX_LOOKUPS),
            random: RandomState::new(),
        }
    }

    /// Returns the addresses of a name. Dropping the future closes its sockets.
    pub(crate) async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, DnsError> {
        let configuration = self.configuration();
        let name = name.to_ascii_lowercase();
        let bare = name.strip_suffix('.').unwrap_or(&name);
        if let Some(addresses) = configuration.hosts.addresses(bare) {
            return Ok(addresses.to_vec());
        }
        if bare == "localhost" || bare.ends_with(".localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        // The time of the lookup begins with its turn: that others wait for servers that do not respond says nothing about this
        // name.
        let _turn = self.lookups.acquire().await;
        let lookup = self.search(&configuration.conf, &name);
        let found = timeout(LOOKUP_TIMEOUT, lookup).await;
        found.unwrap_or(Err(DnsError::Failed))
    }

    /// The current configuration.
    fn configuration(&self) -> Arc<Configuration> {
        let mut files = lock(&self.files);
        let now = Instant::now();
        if files.check_at.is_some_and(|at| at <= now) {
            files.check_at = Some(now + CHECK_INTERVAL);
            let modified = [RESOLV_CONF, HOSTS].map(|path| {
                std::fs::metadata(path)
                    .and_then(|file| file.modified())
                    .ok()
            });
            if modified != files.modified || modified == [None; 2] {
                // A file that is missing or not readable is empty.
                let read = |path| std::fs::read_to_string(path).unwrap_or_default();
                files.modified = modified;
                files.current = Arc::new(Configuration {
                    conf: ResolvConf::parse(&read(RESOLV_CONF)),
                    hosts: HostsFile::parse(&read(HOSTS)),
                });
            }
        }
        Arc::clone(&files.current)
    }

    /// Asks for a name, and for it in the search domains.
    async fn search(&self, conf: &ResolvConf, name: &str) -> Result<Vec<IpAddr>, DnsError> {
        let mut result = Err(DnsError::NoAddress);
        for candidate in conf.candidates(name) {
            match self.addresses(conf, &candidate).await {
                Ok(found) if !found.is_empty() => return Ok(found),
                Ok(_) => (),
                Err(error) => result = Err(error),
            }
        }
        result
    }

    /// The addresses of both families, in the order in which they are to be tried.
    async fn addresses(&self, conf: &ResolvConf, name: &str) -> Result<Vec<IpAddr>, DnsError> {
        let (v4, v6) = tokio::join!(
            self.ask(conf, name, RecordType::A),
            self.ask(conf, name, RecordType::Aaaa)
        );
        let (first, second) = if has_ipv6().await { (v6, v4) } else { (v4, v6) };
        match (first, second) {
            (Ok(first), Ok(second)) => Ok([first, second].concat()),
            // One family is enough.
            (Ok(found), Err(_)) | (Err(_), Ok(found)) if !found.is_empty() => Ok(found),
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    }

    /// Asks the servers in turn.
    async fn ask(
        &self,
        conf: &ResolvConf,
        name: &str,
        kind: RecordType,
    ) -> Result<Vec<IpAddr>, DnsError> {
        for attempt in 0..ATTEMPTS {
            for server in &conf.servers {
                let bits = self.random.hash_one((name, attempt, Instant::now()));
                let [.., high, low] = bits.to_be_bytes();
                let Some(query) = query(u16::from_be_bytes([high, low]), name, kind) else {
                    return Ok(Vec::new());
                };
                let asked = timeout(ATTEMPT_TIMEOUT, exchange(*server, &query)).await;
                if let Ok(Ok(Response::Addresses(found))) = asked {
                    return Ok(found);
                }
            }
        }
        Err(DnsError::Failed)
    }
}

/// Sends a query and waits for its response, over TCP if it does not fit into a datagram.
async fn exchange(server: SocketAddr, query: &[u8]) -> std::io::Result<Response> {
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    // A socket, and so a random port, for each query.
    let socket = UdpSocket::bind(any).await?;
    socket.connect(server).await?;
    socket.send(query).await?;
    let mut bytes = [0; MAX_DATAGRAM];
    loop {
        let len = socket.recv(&mut bytes).await?;
        match response(query, &bytes[..len]) {
            None => (),
            Some(Response::Truncated) => return exchange_over_tcp(server, query).await,
            Some(response) => return Ok(response),
        }
    }
}

async fn exchange_over_tcp(server: SocketAddr, query: &[u8]) -> std::io::Result<Response> {
    let mut stream = TcpStream::connect(server).await?;
    let len = u16::try_from(query.len()).unwrap_or(u16::MAX);
    stream
        .write_all(&[&len.to_be_bytes()[..], query].concat())
        .await?;
    let len = stream.read_u16().await?;
    let mut bytes = vec![0; usize::from(len)];
    stream.read_exact(&mut bytes).await?;
    Ok(response(query, &bytes).unwrap_or(Response::Failed))
}

/// Whether this machine has a route to IPv6 addresses. Connecting a datagram socket sends nothing.
async fn has_ipv6() -> bool {
    let documentation = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
    match UdpSocket::bind((Ipv6Addr::UNSPECIFIED, 0)).await {
        Ok(socket) => socket.connect((documentation, 53)).await.is_ok(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt;

    use super::*;

    /// A server that responds with this address and these flags to queries for IPv4, and with nothing to others.
    async fn server(flags: u16, address: Option<[u8; 4]>) -> SocketAddr {
        // The port of one protocol may be taken in the other.
        let (socket, addr, tcp) = loop {
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            let addr = socket.local_addr().unwrap();
            if let Ok(tcp) = tokio::net::TcpListener::bind(addr).await {
                break (socket, addr, tcp);
            }
        };
        let respond = move |query: &[u8], flags: u16| {
            let mut message = query.to_vec();
            message[2..4].copy_from_slice(&flags.to_be_bytes());
            if let Some(octets) = address.filter(|_| query[query.len() - 3] == 1) {
                message[7] = 1;
                message.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
                message.extend(octets);
            }
            message
        };
        tokio::spawn(async move {
            let mut bytes = [0; 512];
            while let Ok((len, from)) = socket.recv_from(&mut bytes).await {
                let _ = socket.send_to(&respond(&bytes[..len], flags), from).await;
            }
        });
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = tcp.accept().await {
                let len = stream.read_u16().await.unwrap();
                let mut query = vec![0; usize::from(len)];
                stream.read_exact(&mut query).await.unwrap();
                let message = respond(&query, 0x8180);
                let len = u16::try_from(message.len()).unwrap().to_be_bytes();
                stream
                    .write_all(&[&len[..], &message].concat())
                    .await
                    .unwrap();
            }
        });
        addr
    }

    #[tokio::test]
    async fn a_servers_answer_is_used() {
        let here = Some([192, 0, 2, 7]);
        let address: IpAddr = "192.0.2.7".parse().unwrap();
        for (flags, has, expected) in [
            (0x8180, here, Ok(vec![address])),
            // Truncated: asked again over TCP.
            (0x8380, here, Ok(vec![address])),
            (0x8180, None, Err(DnsError::NoAddress)),
            (0x8183, None, Err(DnsError::NoAddress)),
            (0x8182, None, Err(DnsError::Failed)),
        ] {
            let resolver = DnsResolver::asking(server(flags, has).await);
            assert_eq!(
                resolver.look_up("Example.Test").await,
                expected,
                "{flags:x}"
            );
        }
    }

    #[tokio::test]
    async fn the_hosts_file_and_localhost_need_no_server() {
        let resolver = DnsResolver::system();
        let found = resolver.look_up("localhost").await.unwrap();
        assert!(found.iter().all(IpAddr::is_loopback), "{found:?}");
    }

    /// A server that never responds: a lookup ends at its deadline, and a dropped one frees its turn at once.
    #[tokio::test(start_paused = true)]
    async fn a_dead_server_holds_nothing() {
        let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let resolver = Arc::new(DnsResolver::asking(silent.local_addr().unwrap()));
        let started = Instant::now();
        let found = resolver.look_up("dead.test").await;
        assert_eq!(found, Err(DnsError::Failed));
        assert!(started.elapsed() <= LOOKUP_TIMEOUT);
        let lookups: Vec<_> = (0..MAX_LOOKUPS)
            .map(|number| {
                let resolver = Arc::clone(&resolver);
                let lookup = async move { resolver.look_up(&format!("{number}.test")).await };
                tokio::spawn(lookup)
            })
            .collect();
        while resolver.lookups.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        for lookup in lookups {
            lookup.abort();
            let _ = lookup.await;
        }
        assert_eq!(resolver.lookups.available_permits(), MAX_LOOKUPS);
    }

    /// As many lookups as may run at a time get no response, for longer than one may take: the next name is looked up after them.
    #[tokio::test]
    async fn waiting_for_a_turn_does_not_fail_a_lookup() {
        let address = [192, 0, 2, 7];
        let resolver = DnsResolver::asking(server(0x8180, Some(address)).await);
        let turns = u32::try_from(MAX_LOOKUPS).unwrap();
        let silent = resolver.lookups.acquire_many(turns).await.unwrap();
        let mut lookup = pin!(resolver.look_up("alive.test"));
        tokio::time::pause();
        for _ in 0..3 {
            assert_eq!(lookup.as_mut().now_or_never(), None);
            tokio::time::advance(LOOKUP_TIMEOUT).await;
        }
        assert_eq!(lookup.as_mut().now_or_never(), None);
        // The server is a real one.
        tokio::time::resume();
        drop(silent);
        assert_eq!(lookup.await, Ok(vec![address.into()]));
    }
}
