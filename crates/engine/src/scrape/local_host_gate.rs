//! The host gate of a single process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crawler_model::lock;

use crawler_frontier::{HostPace, HostResponse, Rng};
use crawler_model::site_rules::MAX_WAIT;
use crawler_weburl::{CrawlUrl, HostKey};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::RobotsMemory;
use super::host_gate::{HostGate, TurnRefused};

/// Number of hosts at which idle ones are removed.
const MAX_HOSTS: usize = 4_096;

/// Limits requests to each host within this process.
#[derive(Debug)]
pub struct LocalHostGate {
    /// Maximum number of concurrent requests to one host.
    per_host: usize,
    started_at: Instant,
    hosts: Mutex<HashMap<HostKey, Arc<Host>>>,
    rng: Mutex<Rng>,
}

#[derive(Debug)]
struct Host {
    slots: Arc<Semaphore>,
    state: Mutex<HostState>,
    /// Notified when a request ends.
    ended: Notify,
}

#[derive(Debug, Default)]
struct HostState {
    pace: HostPace,
    in_flight: u32,
}

/// Permission for one request, until it is dropped.
#[derive(Debug)]
pub struct LocalTurn {
    host: Arc<Host>,
    _slot: Option<OwnedSemaphorePermit>,
}

/// What a request waits for.
enum Wait {
    For(Duration),
    /// The end of another request.
    Probe,
}

impl LocalHostGate {
    /// Creates a gate with a maximum number of concurrent requests per host. `rng_seed` seeds the jitter of pauses.
    pub fn new(per_host: usize, rng_seed: u64) -> Self {
        Self {
            per_host: per_host.max(1),
            started_at: Instant::now(),
            hosts: Mutex::default(),
            rng: Mutex::new(Rng::new(rng_seed)),
        }
    }

    fn now(&self) -> Duration {
        self.started_at.elapsed()
    }

    fn host(&self, url: &CrawlUrl) -> Arc<Host> {
        let mut hosts = lock(&self.hosts);
        if hosts.len() >= MAX_HOSTS {
            let now = self.now();
            let is_needed = |host: &Arc<Host>| {
                Arc::strong_count(host) > 1 || host.state().pace.opens_at() > now
            };
            hosts.retain(|_, host| is_needed(host) || !host.state().pace.interval().is_zero());
            if hosts.len() >= 2 * MAX_HOSTS {
                hosts.retain(|_, host| is_needed(host));
            }
        }
        let host = hosts.entry(url.host_key()).or_insert_with(|| {
            Arc::new(Host {
                slots: Arc::new(Semaphore::new(self.per_host)),
                state: Mutex::default(),
                ended: Notify::new(),
            })
        });
        Arc::clone(host)
    }
}

/// The scraper itself remembers what it has fetched.
impl RobotsMemory for LocalHostGate {}

impl HostGate for LocalHostGate {
    type Turn = LocalTurn;

    async fn turn(&self, url: &CrawlUrl) -> Result<LocalTurn, TurnRefused> {
        let host = self.host(url);
        // The semaphore is never closed, so this cannot fail.
        let slot = Arc::clone(&host.slots).acquire_owned().await.ok();
        loop {
            // Created before the check, so that no end is missed.
            let ended = host.ended.notified();
            let wait = host.state().start(self.now())?;
            match wait {
                None => {
                    let host = Arc::clone(&host);
                    return Ok(LocalTurn { host, _slot: slot });
                }
                Some(Wait::For(wait)) => tokio::time::sleep(wait).await,
                Some(Wait::Probe) => ended.await,
            }
        }
    }

    async fn note_response(&self, url: &CrawlUrl, response: HostResponse) {
        let host = self.host(url);
        let now = self.now();
        let mut rng = lock(&self.rng);
        host.state().pace.note_response(response, now, &mut rng);
    }

    async fn slow_to(&self, url: &CrawlUrl, interval: Duration) {
        let now = self.now();
        self.host(url).state().pace.slow_to(interval, now);
    }
}

impl HostState {
    /// Starts a request, or returns what it waits for.
    fn start(&mut self, now: Duration) -> Result<Option<Wait>, TurnRefused> {
        let pause = self.pace.paused_until().saturating_sub(now);
        if pause > MAX_WAIT {
            return Err(TurnRefused::Parked(pause));
        }
        // The interval of the host is always waited for, whatever its length.
        let wait = self.pace.opens_at().saturating_sub(now);
        if !wait.is_zero() {
            return Ok(Some(Wait::For(wait)));
        }
        if !self.pace.may_start(self.in_flight) {
            return Ok(Some(Wait::Probe));
        }
        self.pace.start(now);
        self.in_flight += 1;
        Ok(None)
    }
}

impl Host {
    fn state(&self) -> MutexGuard<'_, HostState> {
        lock(&self.state)
    }
}

impl Drop for LocalTurn {
    fn drop(&mut self) {
        self.host.state().in_flight -= 1;
        self.host.ended.notify_waiters();
    }
}
