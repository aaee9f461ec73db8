//! All connection pools, by origin and proxy, and the limit on idle connections.
//!
//! No lock is held across an await: an origin's pool is looked up, then used through its own small locks.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_model::{Failure, lock};
use crawler_weburl::UrlRef;
use tokio::time::Instant;

use crate::h1::H1;
use crate::origin_pool::{IdleSlot, OriginPool};
use crate::request_builder::host_value;

/// Minimum interval between sweeps for old connections.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Bounds of the total number of idle connections, independent of the number of workers.
const IDLE_BOUNDS: std::ops::RangeInclusive<usize> = 64..=512;

/// All idle and all shared connections.
#[derive(Debug)]
pub(crate) struct Pool {
    /// One map per proxy, or a single map without proxies.
    origins: Vec<Mutex<HashMap<Box<str>, Arc<OriginPool>>>>,
    idle: Arc<AtomicUsize>,
    max_idle: usize,
    max_per_origin: usize,
    last_sweep: Mutex<Instant>,
}

impl Pool {
    pub(crate) fn new(proxies: usize, workers: usize) -> Self {
        Self {
            origins: (0..proxies.max(1)).map(|_| Mutex::default()).collect(),
            idle: Arc::default(),
            max_idle: (workers * 2).clamp(*IDLE_BOUNDS.start(), *IDLE_BOUNDS.end().max(&workers)),
            max_per_origin: workers.max(1),
            last_sweep: Mutex::new(Instant::now()),
        }
    }

    /// Returns the pool of a URL's origin. A proxy takes plain requests for any origin on one connection, so all of
    /// them share one pool.
    pub(crate) fn origin_pool(
        &self,
        url: UrlRef<'_>,
        proxy: Option<usize>,
    ) -> Result<Arc<OriginPool>, Failure> {
        let key = match proxy {
            Some(_) if !url.is_https() => "",
            _ => url.origin_text(),
        };
        let mut origins = lock(&self.origins[proxy.unwrap_or_default()]);
        if let Some(origin_pool) = origins.get(key) {
            return Ok(Arc::clone(origin_pool));
        }
        let origin_pool = Arc::new(OriginPool::new(host_value(url)?));
        origins.insert(key.into(), Arc::clone(&origin_pool));
        Ok(origin_pool)
    }

    /// Returns a connection to the pool, if there is space.
    pub(crate) fn put_back(&self, origin_pool: &OriginPool, connection: Box<H1>) {
        self.sweep();
        if let Some(slot) = IdleSlot::acquire(&self.idle, self.max_idle) {
            origin_pool.push(connection, slot, self.max_per_origin);
        }
    }

    /// Periodically drops old connections and unused pools.
    fn sweep(&self) {
        let now = Instant::now();
        let mut last = lock(&self.last_sweep);
        if now.duration_since(*last) < SWEEP_INTERVAL {
            return;
        }
        *last = now;
        drop(last);
        for origins in &self.origins {
            // Two strong references mean that a fetch is using it.
            lock(origins).retain(|_, origin_pool| {
                origin_pool.sweep(now) || Arc::strong_count(origin_pool) > 1
            });
        }
    }
}
