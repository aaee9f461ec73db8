//! Slows down clients that try API keys.
//!
//! Each client address has a budget of wrong keys, and so have all clients together. Whoever has used it up gets 429 for
//! further wrong keys until it refills. A valid key is always accepted. Memory and time are constant: budgets are kept in a
//! fixed table by a seeded hash of the address. Two addresses may share a budget, which only changes the status of their
//! wrong keys.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Number of budgets for client addresses.
const BUDGETS: usize = 4_096;
/// Wrong keys of one address, and of all: how many at once, and how long it takes until another one is free.
const PER_ADDRESS: Allowance = Allowance {
    burst: 30,
    refill: Duration::from_secs(2),
};
const OVERALL: Allowance = Allowance {
    burst: 300,
    refill: Duration::from_millis(100),
};

#[derive(Debug)]
struct Allowance {
    burst: u32,
    refill: Duration,
}

impl Allowance {
    /// Returns how long to wait until another wrong key is free, if the budget is used up. A budget is the time at which it
    /// will be full again, in milliseconds.
    fn wait(&self, budget: &AtomicU64, now: u64) -> Option<Duration> {
        let refill = millis(self.refill);
        let used = budget.load(Ordering::Relaxed).saturating_sub(now);
        let full = refill * u64::from(self.burst);
        (used + refill > full).then(|| Duration::from_millis(used + refill - full))
    }

    fn spend(&self, budget: &AtomicU64, now: u64) {
        let refill = millis(self.refill);
        // The closure always returns a value.
        let _ = budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
            Some(full_at.max(now) + refill)
        });
    }
}

/// The budgets of all clients.
#[derive(Debug)]
pub(super) struct KeyThrottle {
    addresses: Box<[AtomicU64]>,
    overall: AtomicU64,
    hasher: RandomState,
    started: Instant,
}

impl KeyThrottle {
    pub(super) fn new() -> Self {
        Self {
            addresses: (0..BUDGETS).map(|_| AtomicU64::new(0)).collect(),
            overall: AtomicU64::new(0),
            hasher: RandomState::new(),
            started: Instant::now(),
        }
    }

    /// Returns how long a client has to wait before it may send another wrong key, if its budget or that of all is used up.
    pub(super) fn wait(&self, client: IpAddr) -> Option<Duration> {
        let now = self.now();
        let own = PER_ADDRESS.wait(self.budget(client), now);
        own.max(OVERALL.wait(&self.overall, now))
    }

    /// Records a wrong key. Not called for a client that has to wait, so that waiting ends.
    pub(super) fn record(&self, client: IpAddr) {
        let now = self.now();
        PER_ADDRESS.spend(self.budget(client), now);
        OVERALL.spend(&self.overall, now);
    }

    fn budget(&self, client: IpAddr) -> &AtomicU64 {
        // A client can choose any address of its IPv6 network.
        let network = match client.to_canonical() {
            IpAddr::V4(v4) => u128::from(v4.to_bits()),
            IpAddr::V6(v6) => v6.to_bits() >> 64 | 1 << 127,
        };
        let hash = self.hasher.hash_one(network);
        let index = usize::try_from(hash % BUDGETS as u64).unwrap_or_default();
        &self.addresses[index]
    }

    fn now(&self) -> u64 {
        millis(self.started.elapsed())
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Sends wrong keys; returns how many were not throttled.
    fn guesses(throttle: &KeyThrottle, client: &str, count: u32) -> u32 {
        let client = address(client);
        let mut free = 0;
        for _ in 0..count {
            if throttle.wait(client).is_none() {
                throttle.record(client);
                free += 1;
            }
        }
        free
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_has_a_budget_that_refills() {
        let throttle = KeyThrottle::new();
        assert_eq!(guesses(&throttle, "192.0.2.1", 100), PER_ADDRESS.burst);
        let wait = throttle.wait(address("192.0.2.1")).unwrap();
        assert!(wait <= PER_ADDRESS.refill, "{wait:?}");
        // The same client, spelled as IPv6.
        assert_eq!(guesses(&throttle, "::ffff:192.0.2.1", 1), 0);
        tokio::time::advance(wait).await;
        assert_eq!(guesses(&throttle, "192.0.2.1", 100), 1);
        tokio::time::advance(PER_ADDRESS.refill * 1_000).await;
        assert_eq!(guesses(&throttle, "192.0.2.1", 100), PER_ADDRESS.burst);
    }

    #[tokio::test(start_paused = true)]
    async fn the_addresses_of_an_ipv6_network_share_a_budget() {
        let throttle = KeyThrottle::new();
        let free: u32 = (0..100)
            .map(|n| guesses(&throttle, &format!("2001:db8::{n:x}"), 1))
            .sum();
        assert_eq!(free, PER_ADDRESS.burst);
    }

    #[tokio::test(start_paused = true)]
    async fn all_clients_together_have_a_budget() {
        let throttle = KeyThrottle::new();
        let free: u32 = (0..2_000_u32)
            .map(|n| guesses(&throttle, &IpAddr::from(n.to_be_bytes()).to_string(), 1))
            .sum();
        // Some share a budget of their own, but it is large enough for that.
        assert_eq!(free, OVERALL.burst);
    }
}
