//! The host gate of a single process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crawler_frontier::HostPace;
use crawler_model::site_rules::MAX_WAIT;
use crawler_weburl::{CrawlUrl, HostKey};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::host_gate::{HostGate, NoTurn};

/// Number of hosts at which idle ones are removed.
const MAX_HOSTS: usize = 4_096;

/// Limits requests to each host within this process.
#[derive(Debug)]
pub struct LocalHostGate {
    /// Maximum number of concurrent requests to one host.
    per_host: usize,
    started_at: Instant,
    hosts: Mutex<HashMap<HostKey, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    slots: Arc<Semaphore>,
    pace: Mutex<HostPace>,
}

/// Permission for one request, until it is dropped.
#[derive(Debug)]
pub struct LocalTurn {
    _slot: Option<OwnedSemaphorePermit>,
}

impl LocalHostGate {
    /// Creates a gate with a maximum number of concurrent requests per host.
    pub fn new(per_host: usize) -> Self {
        Self {
            per_host: per_host.max(1),
            started_at: Instant::now(),
            hosts: Mutex::default(),
        }
    }

    fn now(&self) -> Duration {
        self.started_at.elapsed()
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
        // The semaphore is never closed, so this cannot fail.
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
                // The host's regular interval is always waited for, whatever its length.
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
