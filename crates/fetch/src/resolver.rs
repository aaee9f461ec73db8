//! Resolves host names, with a cache. Concurrent lookups of a name are one lookup.
//!
//! A lookup returns all addresses of a name, and those are dialed: a second lookup between the check and the dial
//! could return different addresses.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_model::{FailKind, Failure, lock};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use tokio::time::Instant;

use crate::dns::{DnsError, DnsResolver};

/// How long addresses are cached.
const SUCCESS_TTL: Duration = Duration::from_mins(1);
/// How long a failure is cached: long enough for the links of one page, too short for a retry.
const FAILURE_TTL: Duration = Duration::from_secs(5);
/// Maximum number of cached names with addresses, and of those without.
const MAX_NAMES: usize = 4_096;

type LookupResult = Result<Arc<[IpAddr]>, Failure>;

/// Results, and until when they are used.
type Results = HashMap<Box<str>, (LookupResult, Instant)>;

/// A lookup that any number of callers wait for; it is abandoned when none is left.
type RunningLookup = Shared<BoxFuture<'static, LookupResult>>;

/// Resolves host names and caches the results.
#[derive(Debug)]
pub(crate) struct Resolver {
    source: Arc<AddressSource>,
    found: Mutex<Results>,
    /// Apart from the others: many dead names do not replace those in use.
    failed: Mutex<Results>,
    running: Mutex<HashMap<Box<str>, WeakShared<BoxFuture<'static, LookupResult>>>>,
}

/// Returns the addresses of a name; replaces the system resolver in tests.
pub type LookupFn = Arc<dyn Fn(&str) -> Vec<IpAddr> + Send + Sync>;

/// How names are resolved.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum NameResolution {
    /// By the system's resolver: everything that `nsswitch.conf` names, but each lookup holds a thread until it ends.
    #[default]
    System,
    /// By asking the system's name servers: `/etc/hosts` and `/etc/resolv.conf` apply. Any number of names that nobody responds
    /// for hold no thread.
    Servers,
    /// By asking one name server, for tests.
    #[doc(hidden)]
    Server(std::net::SocketAddr),
}

/// Where addresses come from.
pub(crate) enum AddressSource {
    /// The system's resolver, which holds a thread for each lookup.
    System,
    /// The system's name servers.
    Servers(Box<DnsResolver>),
    /// A function, for tests.
    Custom(LookupFn),
}

impl fmt::Debug for AddressSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Servers(_) => "Servers",
            Self::Custom(_) => "Custom",
        })
    }
}

impl Resolver {
    pub(crate) fn new(source: AddressSource) -> Self {
        Self {
            source: Arc::new(source),
            found: Mutex::default(),
            failed: Mutex::default(),
            running: Mutex::default(),
        }
    }

    /// Returns the addresses of a URL's host, which is a name or an IP literal.
    pub(crate) async fn addresses(&self, host: &str) -> LookupResult {
        if let Some(literal) = literal(host) {
            return Ok(Arc::new([literal]));
        }
        if let Some(cache) = self.cached(host) {
            return cache;
        }
        let result = self.lookup(host).await;
        lock(&self.running).remove(host);
        self.store(host, result.clone());
        result
    }

    /// Joins the running lookup of a name, or starts one.
    fn lookup(&self, host: &str) -> RunningLookup {
        let mut running = lock(&self.running);
        if let Some(lookup) = running.get(host).and_then(WeakShared::upgrade) {
            return lookup;
        }
        let (source, name) = (Arc::clone(&self.source), host.to_owned());
        let lookup = async move { source.result(&name).await }.boxed().shared();
        if running.len() >= MAX_NAMES {
            running.retain(|_, lookup| lookup.upgrade().is_some());
        }
        running.extend(lookup.downgrade().map(|weak| (host.into(), weak)));
        lookup
    }

    fn cached(&self, host: &str) -> Option<LookupResult> {
        [&self.found, &self.failed].into_iter().find_map(|results| {
            let results = lock(results);
            let (result, until) = results.get(host)?;
            (*until > Instant::now()).then(|| result.clone())
        })
    }

    fn store(&self, host: &str, result: LookupResult) {
        let now = Instant::now();
        let (results, ttl) = match result {
            Ok(_) => (&self.found, SUCCESS_TTL),
            Err(_) => (&self.failed, FAILURE_TTL),
        };
        let mut results = lock(results);
        if results.len() >= MAX_NAMES {
            results.retain(|_, (_, until)| *until > now);
        }
        if results.len() >= MAX_NAMES {
            results.clear();
        }
        results.insert(host.into(), (result, now + ttl));
    }
}

impl From<NameResolution> for AddressSource {
    fn from(resolution: NameResolution) -> Self {
        match resolution {
            NameResolution::System => Self::System,
            NameResolution::Servers => Self::Servers(Box::new(DnsResolver::system())),
            NameResolution::Server(server) => Self::Servers(Box::new(DnsResolver::asking(server))),
        }
    }
}

impl AddressSource {
    /// The addresses of a name, or why it has none.
    async fn result(&self, host: &str) -> LookupResult {
        if let Self::Servers(servers) = self {
            return match servers.look_up(host).await {
                Ok(found) if !found.is_empty() => Ok(found.into()),
                Ok(_) | Err(DnsError::NoAddress) => Err(no_address(host)),
                Err(DnsError::Failed) => Err(lookup_failed(host)),
            };
        }
        match self.lookup(host).await {
            Ok(found) if found.is_empty() => Err(no_address(host)),
            Ok(found) => Ok(found.into()),
            Err(error) if says_no_address(&error) => Err(no_address(host)),
            Err(_) => Err(lookup_failed(host)),
        }
    }

    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        match self {
            Self::System | Self::Servers(_) => {
                let found = tokio::net::lookup_host((host, 0)).await?;
                let mut addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
                addresses.dedup();
                Ok(addresses)
            }
            Self::Custom(lookup) => Ok(lookup(host)),
        }
    }
}

/// Parses a host that is an IP literal; IPv6 may be in brackets.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    host.strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(host)
        .parse()
        .ok()
}

fn no_address(host: &str) -> Failure {
    Failure::new(
        FailKind::Dns,
        format!("the host name {host} has no address"),
    )
}

fn lookup_failed(host: &str) -> Failure {
    Failure::new(
        FailKind::Dns,
        format!("the host name {host} could not be looked up"),
    )
}

/// Whether the name does not exist. The error text is the only difference from a temporary error.
fn says_no_address(error: &io::Error) -> bool {
    let text = error.to_string();
    [
        "not cache",
        "No address associated",
        "nodename nor servname",
    ]
    .iter()
    .any(|message| text.contains(message))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;
    use tokio::net::UdpSocket;

    use super::*;

    /// A name server that counts the queries it gets and never responds.
    async fn silent_server() -> (Resolver, Arc<AtomicUsize>) {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let servers = DnsResolver::asking(socket.local_addr().unwrap());
        let queries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&queries);
        tokio::spawn(async move {
            while socket.recv(&mut [0; 512]).await.is_ok() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        let resolver = Resolver::new(AddressSource::Servers(Box::new(servers)));
        (resolver, queries)
    }

    #[tokio::test]
    async fn concurrent_lookups_of_a_name_are_one_and_its_failure_is_remembered() {
        let (resolver, queries) = silent_server().await;
        let lookups = join_all((0..50).map(|_| resolver.addresses("dead.test"))).await;
        for result in lookups {
            assert_eq!(result.unwrap_err().kind, FailKind::Dns);
        }
        let asked = queries.load(Ordering::SeqCst);
        // Both families, twice each.
        assert!(asked <= 4, "{asked} queries");
        assert!(resolver.addresses("dead.test").await.is_err());
        assert_eq!(queries.load(Ordering::SeqCst), asked);
    }

    /// They are looked up while the only thread for blocking work is occupied.
    #[test]
    fn dead_names_hold_no_thread() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(1)
            .build()
            .unwrap();
        let (release, released) = std::sync::mpsc::channel::<()>();
        runtime.block_on(async {
            tokio::task::spawn_blocking(move || released.recv());
            let (resolver, queries) = silent_server().await;
            let lookups = (0..200).map(|number| {
                let (resolver, name) = (&resolver, format!("{number}.test"));
                async move { resolver.addresses(&name).await }
            });
            let ended = tokio::time::timeout(Duration::from_mins(1), join_all(lookups)).await;
            let results = ended.expect("the lookups wait for a thread");
            assert!(results.iter().all(Result::is_err));
            assert!(queries.load(Ordering::SeqCst) > 0);
        });
        drop(release);
    }

    #[tokio::test]
    async fn dead_names_do_not_replace_names_in_use() {
        let source = AddressSource::Custom(Arc::new(|name: &str| match name {
            "alive.test" => vec![IpAddr::from([192, 0, 2, 1])],
            _ => Vec::new(),
        }));
        let resolver = Resolver::new(source);
        resolver.addresses("alive.test").await.unwrap();
        for number in 0..2 * MAX_NAMES {
            let _ = resolver.addresses(&format!("{number}.test")).await;
        }
        assert!(resolver.cached("alive.test").is_some());
        assert!(lock(&resolver.failed).len() <= MAX_NAMES);
        assert!(lock(&resolver.running).is_empty());
    }
}
