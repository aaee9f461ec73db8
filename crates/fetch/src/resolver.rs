//! Resolves host names, with a cache.
//!
//! A lookup returns all addresses of a name, and those are dialed: a second lookup between the check and the dial
//! could return different addresses.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_model::{FailKind, Failure};
use tokio::time::Instant;

use crate::origin_pool::locked;

/// How long addresses are cached.
const SUCCESS_TTL: Duration = Duration::from_mins(1);
/// How long a failure is cached: long enough for the links of one page, too short for a retry.
const FAILURE_TTL: Duration = Duration::from_secs(5);
/// Maximum number of cached names.
const MAX_NAMES: usize = 4_096;

type LookupResult = Result<Arc<[IpAddr]>, Failure>;

/// Resolves host names and caches the results.
#[derive(Debug)]
pub(crate) struct Resolver {
    source: AddressSource,
    cache: Mutex<HashMap<Box<str>, (LookupResult, Instant)>>,
}

/// Returns the addresses of a name; replaces the system resolver in tests.
pub type LookupFn = Arc<dyn Fn(&str) -> Vec<IpAddr> + Send + Sync>;

/// Where addresses come from.
pub(crate) enum AddressSource {
    /// The system resolver.
    System,
    /// A function, for tests.
    Custom(LookupFn),
}

impl fmt::Debug for AddressSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Custom(_) => "Custom",
        })
    }
}

impl Resolver {
    pub(crate) fn new(source: AddressSource) -> Self {
        Self {
            source,
            cache: Mutex::default(),
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
        let result: LookupResult = match self.source.lookup(host).await {
            Ok(found) if found.is_empty() => Err(no_address(host)),
            Ok(found) => Ok(found.into()),
            Err(error) if says_no_address(&error) => Err(no_address(host)),
            Err(_) => Err(Failure::new(
                FailKind::Dns,
                format!("the host name {host} could not be looked up"),
            )),
        };
        self.store(host, result.clone());
        result
    }

    fn cached(&self, host: &str) -> Option<LookupResult> {
        let cache = locked(&self.cache);
        let (result, until) = cache.get(host)?;
        (*until > Instant::now()).then(|| result.clone())
    }

    fn store(&self, host: &str, result: LookupResult) {
        let now = Instant::now();
        let ttl = if result.is_ok() {
            SUCCESS_TTL
        } else {
            FAILURE_TTL
        };
        let mut cache = locked(&self.cache);
        if cache.len() >= MAX_NAMES {
            cache.retain(|_, (_, until)| *until > now);
        }
        if cache.len() >= MAX_NAMES {
            cache.clear();
        }
        cache.insert(host.into(), (result, now + ttl));
    }
}

impl AddressSource {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        match self {
            Self::System => {
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
