//! Politeness toward machines: host names of one registrable domain that have the same address share one limit.
//!
//! A wildcard name (`*.example.org`, all on one machine) would otherwise get the limits of a host for each of its names. Names
//! of other domains at the same address are not counted together: unrelated sites behind one CDN do not slow each other. A
//! request of such a group takes a turn in the store under a key of its own, so the limit holds for all processes that share
//! the store. Sites that are requested under one name cost nothing: neither a lookup nor a turn.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_fetch::HttpFetch;
use crawler_model::lock;
use crawler_store::{HostTurn, Store, StoreError};
use crawler_store_frontier::{AddressSlot, AddressTurn, AddressTurns};
use crawler_weburl::{CrawlUrl, HostKey};
use tokio::time::{Instant, timeout};

use crate::config::Config;
use crate::host_slot::HostSlot;

/// How long a name counts after a request to it, in addition to two intervals.
const RECENT: Duration = Duration::from_secs(10);
/// Maximum number of domains, and of addresses per domain, that are remembered.
const MAX_DOMAINS: usize = 4_096;
const MAX_ADDRESSES: usize = 64;
/// How much longer than the longest request a slot is leased.
const SLOT_LEASE_GRACE: Duration = Duration::from_mins(1);
/// How long the store may take to answer. All requests to the address wait meanwhile.
const STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns how long a slot of a host is leased: longer than any request, so that only the slot of a process that died is
/// freed by it.
pub(crate) fn slot_lease(config: &Config) -> Duration {
    config.http.timeout + config.browser.nav_timeout + SLOT_LEASE_GRACE
}

/// Limits requests to host names that share a domain and an address.
#[derive(Debug)]
pub struct AddressLimits<S> {
    store: S,
    http: Arc<HttpFetch>,
    lease: Duration,
    recent: Duration,
    domains: Mutex<HashMap<Box<str>, Domain>>,
}

#[derive(Debug)]
struct Domain {
    names: RecentNames,
    addresses: HashMap<IpAddr, Group>,
}

#[derive(Debug)]
struct Group {
    names: RecentNames,
    /// Held by the one request of this process that asks the store for a turn; the others wait for it.
    asking: Arc<tokio::sync::Mutex<()>>,
}

/// Whether more than one name was requested recently: one of them, and when it and any other were last requested.
#[derive(Debug)]
struct RecentNames {
    name: Box<str>,
    last: Instant,
    other: Option<Instant>,
}

impl RecentNames {
    fn new(name: &str, now: Instant) -> Self {
        Self {
            name: name.into(),
            last: now,
            other: None,
        }
    }

    /// Records a request; returns whether another name was requested within `recent`.
    fn record(&mut self, name: &str, now: Instant, recent: Duration) -> bool {
        let is_recent = |at: Instant| now.duration_since(at) < recent;
        if *self.name == *name {
            self.last = now;
        } else if is_recent(self.last) {
            self.other = Some(now);
        } else {
            self.name = name.into();
            self.last = now;
        }
        self.other.is_some_and(is_recent)
    }
}

impl<S: Store> AddressLimits<S> {
    /// Creates the limits for requests made with `http`, which resolves the names.
    pub fn new(store: S, config: &Config, http: Arc<HttpFetch>) -> Self {
        Self {
            store,
            http,
            lease: slot_lease(config),
            recent: RECENT + config.host_interval() * 2,
            domains: Mutex::default(),
        }
    }

    /// Waits until a request to the URL may start; `None` if its host shares no address with another one. While the store
    /// fails, only the limits of the host apply.
    pub(crate) async fn turn(&self, url: &CrawlUrl) -> Option<HostSlot<S>> {
        if self.may_share(url) {
            self.shared_turn(url).await
        } else {
            None
        }
    }

    /// Returns the turns for the requests of a worker.
    pub(crate) fn turns(self: Arc<Self>) -> AddressTurns {
        Arc::new(move |url| {
            if !self.may_share(url) {
                return None;
            }
            let (limits, url) = (Arc::clone(&self), url.clone());
            let turn: AddressTurn =
                Box::pin(async move { limits.shared_turn(&url).await.map(AddressSlot::new) });
            Some(turn)
        })
    }

    /// Records a request; returns whether its host may share an address with another one.
    fn may_share(&self, url: &CrawlUrl) -> bool {
        let host = url.host_key();
        let domain = host.registrable_domain();
        // Not an address, nor a name that has no others beside it.
        !domain.starts_with('[')
            && domain.parse::<IpAddr>().is_err()
            && self.has_several_names(domain, &host)
    }

    async fn shared_turn(&self, url: &CrawlUrl) -> Option<HostSlot<S>> {
        let host = url.host_key();
        let domain = host.registrable_domain();
        let addresses = self.http.addresses(url).await?;
        // Names of one machine have the same addresses, in any order.
        let address = *addresses.iter().min()?;
        let asking = self.group(domain, &host, address)?;
        let key = HostKey::new(&format!("{domain}@{address}"));
        let _asking = asking.lock().await;
        loop {
            let asked = timeout(STORE_TIMEOUT, self.store.take_turn(&key, self.lease)).await;
            let unanswered = |_| Err(StoreError::Unavailable("the call timed out".to_owned()));
            match asked.unwrap_or_else(unanswered) {
                Ok(HostTurn::Granted { id, delay }) => {
                    let slot = HostSlot::new(self.store.clone(), id);
                    tokio::time::sleep(delay).await;
                    return Some(slot);
                }
                Ok(HostTurn::Later { wait, .. }) => tokio::time::sleep(wait).await,
                Err(error) => {
                    tracing::warn!(%error, host = %key, "cannot get a turn from the store");
                    return None;
                }
            }
        }
    }

    /// Records a request; returns whether several names of the domain were requested recently.
    fn has_several_names(&self, domain: &str, host: &HostKey) -> bool {
        let now = Instant::now();
        let mut domains = lock(&self.domains);
        if let Some(known) = domains.get_mut(domain) {
            return known.names.record(host.as_str(), now, self.recent);
        }
        if domains.len() >= MAX_DOMAINS {
            domains.retain(|_, known| now.duration_since(known.names.last) < self.recent);
        }
        if domains.len() >= MAX_DOMAINS {
            domains.clear();
        }
        let known = Domain {
            names: RecentNames::new(host.as_str(), now),
            addresses: HashMap::new(),
        };
        domains.insert(domain.into(), known);
        false
    }

    /// Records a request to an address of the domain; returns the lock of its group if several names of it were requested
    /// recently.
    fn group(
        &self,
        domain: &str,
        host: &HostKey,
        address: IpAddr,
    ) -> Option<Arc<tokio::sync::Mutex<()>>> {
        let now = Instant::now();
        let mut domains = lock(&self.domains);
        let addresses = &mut domains.get_mut(domain)?.addresses;
        if let Some(group) = addresses.get_mut(&address) {
            let several = group.names.record(host.as_str(), now, self.recent);
            return several.then(|| Arc::clone(&group.asking));
        }
        if addresses.len() >= MAX_ADDRESSES {
            addresses.clear();
        }
        let group = Group {
            names: RecentNames::new(host.as_str(), now),
            asking: Arc::default(),
        };
        addresses.insert(address, group);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_names_count_only_while_they_are_requested() {
        let recent = Duration::from_secs(10);
        let start = Instant::now();
        let mut names = RecentNames::new("a.example.org", start);
        for (second, name, several) in [
            (1, "a", true),
            (2, "b", true),
            (3, "a.example.org", true),
            (20, "a.example.org", false),
            (21, "a.example.org", false),
            (22, "b", true),
            // The first name is forgotten, but not that there is another one.
            (31, "c", true),
            (32, "c", false),
            (90, "b", false),
        ] {
            let now = start + Duration::from_secs(second);
            let got = names.record(name, now, recent);
            assert_eq!(got, several, "{second} {name}");
        }
    }
}
