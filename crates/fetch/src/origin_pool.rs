//! The connections to one origin, direct or through one proxy.
//!
//! Idle HTTP/1 connections are on a stack, the most recently used on top. An HTTP/2 connection is shared. The protocol of
//! an https origin is known only after a handshake, so one fetch makes the first connection while the others wait; if it
//! fails, it fails for all of them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_model::{Failure, lock};
use http::HeaderValue;
use tokio::time::Instant;

use crate::h1::H1;
use crate::h2::H2;

/// Maximum idle time. Servers close idle connections after a minute or less.
pub(crate) const IDLE_LIMIT: Duration = Duration::from_secs(30);

/// The connections of one origin.
#[derive(Debug)]
pub(crate) struct OriginPool {
    /// The origin's `host` header.
    pub(crate) host: HeaderValue,
    idle: Mutex<Vec<Idle>>,
    shared: Mutex<Option<Arc<H2>>>,
    speaks_h1: AtomicBool,
    first_dial: tokio::sync::Mutex<()>,
    dials: Mutex<FirstDials>,
}

#[derive(Debug)]
struct Idle {
    connection: Box<H1>,
    since: Instant,
    _slot: IdleSlot,
}

/// Number of first dials that have ended, and the failure of the last one.
#[derive(Clone, Default, Debug)]
pub(crate) struct FirstDials {
    ended: u64,
    failed: Option<Failure>,
}

/// A slot for an idle connection, counted over all origins; freed on drop.
#[derive(Debug)]
pub(crate) struct IdleSlot(Arc<AtomicUsize>);

impl IdleSlot {
    /// Takes a slot, if one is left.
    pub(crate) fn acquire(taken: &Arc<AtomicUsize>, limit: usize) -> Option<Self> {
        let slot = Self(Arc::clone(taken));
        (taken.fetch_add(1, Ordering::Relaxed) < limit).then_some(slot)
    }
}

impl Drop for IdleSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl OriginPool {
    pub(crate) fn new(host: HeaderValue) -> Self {
        Self {
            host,
            idle: Mutex::default(),
            shared: Mutex::default(),
            speaks_h1: AtomicBool::new(false),
            first_dial: tokio::sync::Mutex::default(),
            dials: Mutex::default(),
        }
    }

    /// Takes the most recently used idle connection. It may have been closed meanwhile.
    pub(crate) fn pop(&self) -> Option<Box<H1>> {
        let mut idle = lock(&self.idle);
        let top = idle.pop()?;
        if top.since.elapsed() > IDLE_LIMIT {
            // The others have been idle for even longer.
            idle.clear();
            return None;
        }
        Some(top.connection)
    }

    /// Returns a connection to the pool, unless it already holds `limit`.
    pub(crate) fn push(&self, connection: Box<H1>, slot: IdleSlot, limit: usize) {
        let mut idle = lock(&self.idle);
        if idle.len() < limit {
            idle.push(Idle {
                connection,
                since: Instant::now(),
                _slot: slot,
            });
        }
    }

    /// Returns the shared connection, if it is alive.
    pub(crate) fn shared(&self) -> Option<Arc<H2>> {
        let mut shared = lock(&self.shared);
        if shared.as_ref().is_some_and(|h2| !h2.is_alive()) {
            *shared = None;
        }
        shared.clone()
    }

    /// Sets the shared connection.
    pub(crate) fn share(&self, h2: &Arc<H2>) {
        *lock(&self.shared) = Some(Arc::clone(h2));
    }

    /// Stops sharing this connection; its current users keep it.
    pub(crate) fn retire(&self, h2: &Arc<H2>) {
        let mut shared = lock(&self.shared);
        if shared
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, h2))
        {
            *shared = None;
        }
    }

    /// Whether the origin is known to speak HTTP/1, so that each fetch may dial for itself.
    pub(crate) fn speaks_h1(&self) -> bool {
        self.speaks_h1.load(Ordering::Relaxed)
    }

    /// Records the protocol of the last handshake.
    pub(crate) fn set_speaks_h1(&self, speaks_h1: bool) {
        self.speaks_h1.store(speaks_h1, Ordering::Relaxed);
    }

    /// Returns the number of first dials that have ended. Read before waiting for the next one.
    pub(crate) fn dials_ended(&self) -> u64 {
        lock(&self.dials).ended
    }

    /// Returns the failure of the last first dial, if one has ended since `dials_ended` returned `ended`.
    pub(crate) fn failed_since(&self, ended: u64) -> Option<Failure> {
        let dials = lock(&self.dials);
        (dials.ended > ended)
            .then(|| dials.failed.clone())
            .flatten()
    }

    /// Records the end of a first dial.
    pub(crate) fn dial_ended(&self, failed: Option<Failure>) {
        let mut dials = lock(&self.dials);
        dials.ended += 1;
        dials.failed = failed;
    }

    /// Waits for the exclusive right to make the first dial.
    pub(crate) async fn first_dial(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.first_dial.lock().await
    }

    /// Drops connections that have been idle for too long. Returns whether any are left.
    pub(crate) fn sweep(&self, now: Instant) -> bool {
        let is_old = |since: Instant| now.duration_since(since) > IDLE_LIMIT;
        let mut idle = lock(&self.idle);
        idle.retain(|entry| !is_old(entry.since));
        let mut shared = lock(&self.shared);
        if let Some(h2) = shared.as_ref()
            && (!h2.is_alive() || h2.idle_since().is_some_and(is_old))
        {
            *shared = None;
        }
        !idle.is_empty() || shared.is_some()
    }
}
