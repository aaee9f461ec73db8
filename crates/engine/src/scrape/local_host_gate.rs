//! The gate of a process that shares its hosts with nobody: the command line.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crawler_frontier::HostPace;
use crawler_model::site_rules::MAX_WAIT;
use crawler_weburl::{CrawlUrl, HostKey};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::host_gate::{HostGate, NoTurn};

/// Hosts kept before those at rest are forgotten.
const MAX_HOSTS: usize = 4_096;

/// Limits requests to each host within this process.
#[derive(Debug)]
pub struct LocalHostGate {
    /// Requests to one host at once.
    per_host: usize,
    begun: Instant,
    hosts: Mutex<HashMap<HostKey, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    slots: Arc<Semaphore>,
    pace: Mutex<HostPace>,
}

/// The right to one request, until it is dropped.
#[derive(Debug)]
pub struct LocalTurn {
    _slot: Option<OwnedSemaphorePermit>,
}

impl LocalHostGate {
    /// A gate that lets this many requests to one host run at once.
    pub fn new(per_host: usize) -> Self {
        Self {
            per_host: per_host.max(1),
            begun: Instant::now(),
            hosts: Mutex::default(),
        }
    }

    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn host(&self, url: &CrawlUrl) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_HOSTS {
            let now = self.now();
            let is_needed =
                |host: &Arc<Host>| Arc::strong_count(host) > 1 || host.pace().opens_at() > now;
            hosts.retain(|_, host| is_needed(host) || !host.pace().interval().is_zero());
            if hosts.len() >= 2 * MAX_HOSTS {
                hosts.retain(|_, host| is_needed(host));
            }
        }
        let host = hosts.entry(url.host_key()).or_insert_with(|| {
            Arc::new(Host {
                slots: Arc::new(Semaphore::new(self.per_host)),
                pace: Mutex::default(),
            })
        });
        Arc::clone(host)
    }
}

impl HostGate for LocalHostGate {
    type Turn = LocalTurn;

    async fn turn(&self, url: &CrawlUrl) -> Result<LocalTurn, NoTurn> {
        let host = self.host(url);
        // Never closed, so this never fails.
        let slot = Arc::clone(&host.slots).acquire_owned().await.ok();
        loop {
            let wait = {
                let mut pace = host.pace();
                let now = self.now();
                let wait = pace.opens_at().saturating_sub(now);
                if wait.is_zero() {
                    pace.start(now);
                    return Ok(LocalTurn { _slot: slot });
                }
                // A host's usual delay between two requests is waited for, however long.
                if wait > MAX_WAIT.max(pace.interval()) {
                    return Err(NoTurn::Parked(wait));
                }
                wait
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn pause(&self, url: &CrawlUrl, pause: Duration) {
        self.host(url).pace().pause(pause, self.now());
    }

    async fn slow_to(&self, url: &CrawlUrl, interval: Duration) {
        self.host(url).pace().slow_to(interval, self.now());
    }
}

impl Host {
    fn pace(&self) -> MutexGuard<'_, HostPace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
