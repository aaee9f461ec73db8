//! What is connected to one origin, or through one proxy to it.
//!
//! HTTP/1 connections lie idle on a stack, the warmest on top. An HTTP/2 connection is shared. Which of
//! the two an https origin speaks is known only after a handshake, so the first one is made by one fetch
//! alone while the others wait for it; if it fails, it fails for all who waited.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderValue;
use model::Failure;
use tokio::time::Instant;

use crate::h1::H1;
use crate::h2::H2;

/// Servers close idle connections after a minute or less, and it is no gain to find out.
pub(crate) const IDLE_LIMIT: Duration = Duration::from_secs(30);

/// The connections of one origin.
#[derive(Debug)]
pub(crate) struct Lane {
    /// The origin's `host` header.
    pub(crate) host: HeaderValue,
    idle: Mutex<Vec<Idle>>,
    shared: Mutex<Option<Arc<H2>>>,
    speaks_h1: AtomicBool,
    first_dial: tokio::sync::Mutex<()>,
    dials: Mutex<Dials>,
}

#[derive(Debug)]
struct Idle {
    connection: Box<H1>,
    since: Instant,
    _place: Place,
}

/// First dials that came to an end, and how the last one failed.
#[derive(Clone, Default, Debug)]
pub(crate) struct Dials {
    ended: u64,
    failed: Option<Failure>,
}

/// One of the idle connections the whole pool may keep; the count goes down when it is dropped.
#[derive(Debug)]
pub(crate) struct Place(Arc<AtomicUsize>);

impl Place {
    /// A place, if there is one left.
    pub(crate) fn take(taken: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let place = Self(Arc::clone(taken));
        (taken.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
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

    /// The warmest idle connection. It may have been closed meanwhile: ask it.
    pub(crate) fn pop(&self) -> Option<Box<H1>> {
        let mut idle = locked(&self.idle);
        let top = idle.pop()?;
        if top.since.elapsed() > IDLE_LIMIT {
            // Those below it are older still.
            idle.clear();
            return None;
        }
        Some(top.connection)
    }

    /// Puts a connection back, unless `most` are there already.
    pub(crate) fn push(&self, connection: Box<H1>, place: Place, most: usize) {
        let mut idle = locked(&self.idle);
        if idle.len() < most {
            idle.push(Idle {
                connection,
                since: Instant::now(),
                _place: place,
            });
        }
    }

    /// The shared connection, if it is alive.
    pub(crate) fn shared(&self) -> Option<Arc<H2>> {
        let mut shared = locked(&self.shared);
        if shared.as_ref().is_some_and(|h2| !h2.is_alive()) {
            *shared = None;
        }
        shared.clone()
    }

    /// From now on this connection is shared.
    pub(crate) fn share(&self, h2: &Arc<H2>) {
        *locked(&self.shared) = Some(Arc::clone(h2));
    }

    /// This connection is not handed out again; those who use it go on.
    pub(crate) fn retire(&self, h2: &Arc<H2>) {
        let mut shared = locked(&self.shared);
        if shared.as_ref().is_some_and(|one| Arc::ptr_eq(one, h2)) {
            *shared = None;
        }
    }

    /// Whether the origin is known to speak HTTP/1, and everybody may dial for himself.
    pub(crate) fn speaks_h1(&self) -> bool {
        self.speaks_h1.load(Ordering::Relaxed)
    }

    /// What the last handshake told.
    pub(crate) fn set_speaks_h1(&self, speaks_h1: bool) {
        self.speaks_h1.store(speaks_h1, Ordering::Relaxed);
    }

    /// How many first dials have ended; to be taken before waiting for the right to the next.
    pub(crate) fn dials_ended(&self) -> u64 {
        locked(&self.dials).ended
    }

    /// The failure of a first dial that ended since, for those who waited for it.
    pub(crate) fn failed_since(&self, ended: u64) -> Option<Failure> {
        let dials = locked(&self.dials);
        (dials.ended > ended)
            .then(|| dials.failed.clone())
            .flatten()
    }

    /// A first dial ended.
    pub(crate) fn dial_ended(&self, failed: Option<Failure>) {
        let mut dials = locked(&self.dials);
        dials.ended += 1;
        dials.failed = failed;
    }

    /// The right to make the first dial.
    pub(crate) async fn first_dial(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.first_dial.lock().await
    }

    /// Drops what has been idle for too long; whether anything is left.
    pub(crate) fn sweep(&self, now: Instant) -> bool {
        let is_old = |since: Instant| now.duration_since(since) > IDLE_LIMIT;
        let mut idle = locked(&self.idle);
        idle.retain(|one| !is_old(one.since));
        let mut shared = locked(&self.shared);
        if let Some(h2) = shared.as_ref()
            && (!h2.is_alive() || h2.idle_since().is_some_and(is_old))
        {
            *shared = None;
        }
        !idle.is_empty() || shared.is_some()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
