//! All lanes, by origin and proxy, and how much may lie idle in them.
//!
//! No lock is held across an await: a lane is looked up, then used by its own small locks.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Failure;
use tokio::time::Instant;
use weburl::UrlRef;

use crate::h1::H1;
use crate::lane::{Lane, Place};
use crate::request_head::host_value;

/// How often old connections are looked for, at the next opportunity after.
const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// Idle connections kept in all, however few or many the workers.
const MOST_IDLE: std::ops::RangeInclusive<usize> = 64..=512;

/// Every connection that is not in use, and every one that is shared.
#[derive(Debug)]
pub(crate) struct Pool {
    /// One map per proxy; without proxies, one.
    lanes: Vec<Mutex<HashMap<Box<str>, Arc<Lane>>>>,
    idle: Arc<AtomicUsize>,
    most_idle: usize,
    most_per_lane: usize,
    last_sweep: Mutex<Instant>,
}

impl Pool {
    pub(crate) fn new(proxies: usize, workers: usize) -> Self {
        Self {
            lanes: (0..proxies.max(1)).map(|_| Mutex::default()).collect(),
            idle: Arc::default(),
            most_idle: (workers * 2).clamp(*MOST_IDLE.start(), *MOST_IDLE.end().max(&workers)),
            most_per_lane: workers.max(1),
            last_sweep: Mutex::new(Instant::now()),
        }
    }

    /// The lane to a URL's origin. A proxy takes plain requests for any origin on one connection, so
    /// those have one lane.
    pub(crate) fn lane(&self, url: UrlRef<'_>, proxy: Option<usize>) -> Result<Arc<Lane>, Failure> {
        let key = match proxy {
            Some(_) if !url.is_https() => "",
            _ => url.origin_text(),
        };
        let mut lanes = locked(&self.lanes[proxy.unwrap_or_default()]);
        if let Some(lane) = lanes.get(key) {
            return Ok(Arc::clone(lane));
        }
        let lane = Arc::new(Lane::new(host_value(url)?));
        lanes.insert(key.into(), Arc::clone(&lane));
        Ok(lane)
    }

    /// Puts a connection back, if there is room.
    pub(crate) fn put_back(&self, lane: &Lane, connection: Box<H1>) {
        self.sweep();
        if let Some(place) = Place::take(&self.idle, self.most_idle) {
            lane.push(connection, place, self.most_per_lane);
        }
    }

    /// Now and then: drops what is old, and lanes nobody uses.
    fn sweep(&self) {
        let now = Instant::now();
        let mut last = locked(&self.last_sweep);
        if now.duration_since(*last) < SWEEP_EVERY {
            return;
        }
        *last = now;
        drop(last);
        for lanes in &self.lanes {
            // Two strong references mean a fetch is under way.
            locked(lanes).retain(|_, lane| lane.sweep(now) || Arc::strong_count(lane) > 1);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
