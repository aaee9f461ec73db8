//! Politeness towards one host while many of its pages are asked for by themselves: a few at once, and the
//! pauses it asks for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use weburl::{CrawlUrl, HostKey};

use super::LONGEST_WAIT;

/// Requests to one host at once.
const AT_ONCE: usize = 2;
/// Hosts remembered before those that nobody needs are forgotten.
const MOST_HOSTS: usize = 4_096;
/// A longer pause than this is never kept: nobody waits for its end.
const LONGEST_PAUSE: Duration = Duration::from_hours(24);

/// The turns of every host.
#[derive(Debug, Default)]
pub(super) struct HostTurns {
    hosts: Mutex<HashMap<HostKey, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    room: Arc<Semaphore>,
    gate: Mutex<Gate>,
}

#[derive(Debug)]
struct Gate {
    /// The next request may start then.
    opens: Instant,
    /// At least this long between two starts.
    spacing: Duration,
}

/// The right to one request, until it is dropped.
#[derive(Debug)]
pub(super) struct HostTurn {
    host: Arc<Host>,
    _room: Option<OwnedSemaphorePermit>,
}

/// The host asked to be left alone for longer than we wait.
#[derive(Debug)]
pub(super) struct Parked(pub(super) Duration);

impl HostTurns {
    /// Waits for the right to ask a URL's host.
    pub(super) async fn turn(&self, url: &CrawlUrl) -> Result<HostTurn, Parked> {
        let host = self.host(url);
        // Closed never, so this fails never; without a permit we would only be less polite.
        let room = Arc::clone(&host.room).acquire_owned().await.ok();
        loop {
            let opens = {
                let mut gate = host.gate();
                let now = Instant::now();
                if gate.opens <= now {
                    gate.opens = now + gate.spacing;
                    break;
                }
                // The usual pause between two requests is waited for; many in a queue add up to more.
                let left = gate.opens - now;
                if left > LONGEST_WAIT.max(gate.spacing) {
                    return Err(Parked(left));
                }
                gate.opens
            };
            tokio::time::sleep_until(opens).await;
        }
        Ok(HostTurn { host, _room: room })
    }

    /// At least this long between two requests to a URL's host, from now on.
    pub(super) fn slow_to(&self, url: &CrawlUrl, spacing: Duration) {
        let host = self.host(url);
        let mut gate = host.gate();
        let spacing = spacing.min(LONGEST_PAUSE);
        if spacing > gate.spacing {
            gate.spacing = spacing;
            gate.opens = gate.opens.max(Instant::now() + spacing);
        }
    }

    fn host(&self, url: &CrawlUrl) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MOST_HOSTS {
            let now = Instant::now();
            let is_needed = |host: &Arc<Host>| {
                let gate = host.gate();
                Arc::strong_count(host) > 1 || gate.opens > now
            };
            hosts.retain(|_, host| is_needed(host) || !host.gate().spacing.is_zero());
            if hosts.len() >= 2 * MOST_HOSTS {
                hosts.retain(|_, host| is_needed(host));
            }
        }
        let host = hosts.entry(url.host_key()).or_insert_with(|| {
            Arc::new(Host {
                room: Arc::new(Semaphore::new(AT_ONCE)),
                gate: Mutex::new(Gate {
                    opens: Instant::now(),
                    spacing: Duration::ZERO,
                }),
            })
        });
        Arc::clone(host)
    }
}

impl HostTurn {
    /// Nobody asks this host for so long.
    pub(super) fn pause(&self, pause: Duration) {
        let mut gate = self.host.gate();
        gate.opens = gate.opens.max(Instant::now() + pause.min(LONGEST_PAUSE));
    }
}

impl Host {
    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
