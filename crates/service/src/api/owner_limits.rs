//! Limits of each owner that an API process keeps in memory: requests to `/v1/scrape`, event streams and exports, long bodies, and
//! requests that create jobs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_model::lock;

use crawler_store::{Owner, Quota, QuotaExceeded};
use tokio::time::Instant;

use super::auth::Caller;
use super::problem::Problem;

/// Number of owners at which those without requests are forgotten. An owner with a request has a connection, whose number is
/// limited.
const MAX_OWNERS: usize = 1_024;
/// Maximum number of requests of one owner with a long body at a time: each takes many times its size in memory.
const MAX_LONG_BODIES: u64 = 5;
/// Maximum number of requests of one owner that create jobs at a time. All but one wait.
const MAX_CREATIONS: u64 = 256;
/// When to try again after too many requests at the same time.
const IN_FLIGHT_RETRY: Duration = Duration::from_secs(1);

/// What each owner uses of this process.
#[derive(Debug, Default)]
pub(super) struct OwnerLimits {
    owners: Mutex<HashMap<Owner, OwnerActivity>>,
}

/// What an owner uses of this process.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Activity {
    /// Requests to `/v1/scrape` that have not been answered.
    pub(super) scrapes: u64,
    /// Open event streams and exports.
    pub(super) streams: u64,
    /// Requests with a long body.
    long_bodies: u64,
    /// Requests that create a job.
    creations: u64,
}

#[derive(Debug, Default)]
struct OwnerActivity {
    now: Activity,
    rate: Option<Rate>,
    /// Held while a job is created.
    creating: Arc<tokio::sync::Mutex<()>>,
    /// Held while a request is worked on that takes long.
    working: Arc<tokio::sync::Mutex<()>>,
}

/// A bucket that fills up by one with each request, and empties with the rate.
#[derive(Clone, Copy, Debug)]
struct Rate {
    level: f64,
    at: Instant,
}

impl Rate {
    fn level(&self, rate: f64, now: Instant) -> f64 {
        let drained = now.duration_since(self.at).as_secs_f64() * rate;
        (self.level - drained).max(0.0)
    }
}

impl OwnerActivity {
    fn is_forgettable(&self, now: Instant) -> bool {
        // A bucket of the slowest rate is empty after a thousand seconds.
        let is_old = |rate: &Rate| now.duration_since(rate.at) > Duration::from_secs(2_000);
        self.now == Activity::default()
            && self.rate.as_ref().is_none_or(is_old)
            && Arc::strong_count(&self.creating) == 1
            && Arc::strong_count(&self.working) == 1
    }

    /// Counts a request, or returns how long to wait until it is allowed.
    fn take(&mut self, rate: f64, now: Instant) -> Result<(), Duration> {
        let level = self.rate.map_or(0.0, |before| before.level(rate, now));
        // The requests of one second may come at once.
        let excess = level + 1.0 - rate.max(1.0);
        // Rounding must not refuse a request that waited as told.
        if excess > 1e-6 {
            return Err(Duration::try_from_secs_f64(excess / rate).unwrap_or(Duration::MAX));
        }
        let level = level + 1.0;
        self.rate = Some(Rate { level, at: now });
        Ok(())
    }
}

/// A part of a quota, given back on drop.
#[derive(Debug)]
pub(super) struct OwnerPermit {
    limits: Arc<OwnerLimits>,
    owner: Owner,
    count: fn(&mut Activity) -> &mut u64,
}

impl Drop for OwnerPermit {
    fn drop(&mut self) {
        if let Some(owner) = lock(&self.limits.owners).get_mut(&self.owner) {
            let count = (self.count)(&mut owner.now);
            *count = count.saturating_sub(1);
        }
    }
}

impl OwnerLimits {
    /// Locks the owners, with an entry for this one.
    fn with<T>(&self, owner: &Owner, change: impl FnOnce(&mut OwnerActivity) -> T) -> T {
        let mut owners = lock(&self.owners);
        if owners.len() >= MAX_OWNERS && !owners.contains_key(owner) {
            let now = Instant::now();
            owners.retain(|_, owner| !owner.is_forgettable(now));
        }
        change(owners.entry(owner.clone()).or_default())
    }

    /// What an owner uses now.
    pub(super) fn activity(&self, owner: &Owner) -> Activity {
        let owners = lock(&self.owners);
        owners.get(owner).map(|owner| owner.now).unwrap_or_default()
    }

    /// Admits a request to `/v1/scrape`.
    pub(super) fn scrape(self: &Arc<Self>, caller: &Caller) -> Result<OwnerPermit, Problem> {
        let rate = caller.quota.requests_per_second.filter(|rate| *rate > 0.0);
        let limit = Quota::limit(caller.quota.requests_in_flight);
        self.with(&caller.owner, |owner| {
            let used = owner.now.scrapes;
            if let Some(limit) = limit.filter(|limit| used >= *limit) {
                return Err(Problem::quota_exceeded(QuotaExceeded {
                    quota: "requests_in_flight",
                    limit,
                    used,
                    retry_in: Some(IN_FLIGHT_RETRY),
                }));
            }
            if let Some(rate) = rate {
                let taken = owner.take(rate, Instant::now());
                taken.map_err(|wait| Problem::rate_exceeded(rate, wait))?;
            }
            owner.now.scrapes += 1;
            Ok(())
        })?;
        Ok(self.permit(&caller.owner, |now| &mut now.scrapes))
    }

    /// Admits a request with a long body.
    pub(super) fn long_body(self: &Arc<Self>, owner: &Owner) -> Result<OwnerPermit, Problem> {
        let what = "with a long body are in progress";
        self.take(owner, |now| &mut now.long_bodies, MAX_LONG_BODIES, what)
    }

    /// Admits a request that creates a job.
    pub(super) fn creation(self: &Arc<Self>, owner: &Owner) -> Result<OwnerPermit, Problem> {
        let what = "that create jobs are in progress";
        self.take(owner, |now| &mut now.creations, MAX_CREATIONS, what)
    }

    fn take(
        self: &Arc<Self>,
        owner: &Owner,
        count: fn(&mut Activity) -> &mut u64,
        max: u64,
        what: &str,
    ) -> Result<OwnerPermit, Problem> {
        let is_admitted = self.with(owner, |owner| {
            let used = count(&mut owner.now);
            let is_admitted = *used < max;
            *used += u64::from(is_admitted);
            is_admitted
        });
        if is_admitted {
            return Ok(self.permit(owner, count));
        }
        let message = format!(
            "{max} requests of this API key {what}, as many as are allowed at a time; wait for the response to one of them"
        );
        Err(Problem::too_many_requests(message).retry_after(IN_FLIGHT_RETRY))
    }

    /// Admits an event stream or an export.
    pub(super) fn stream(self: &Arc<Self>, caller: &Caller) -> Result<OwnerPermit, Problem> {
        let limit = Quota::limit(caller.quota.event_streams);
        self.with(&caller.owner, |owner| {
            let used = owner.now.streams;
            if let Some(limit) = limit.filter(|limit| used >= *limit) {
                return Err(Problem::quota_exceeded(QuotaExceeded {
                    quota: "event_streams",
                    limit,
                    used,
                    retry_in: None,
                }));
            }
            owner.now.streams += 1;
            Ok(())
        })?;
        Ok(self.permit(&caller.owner, |now| &mut now.streams))
    }

    fn permit(
        self: &Arc<Self>,
        owner: &Owner,
        count: fn(&mut Activity) -> &mut u64,
    ) -> OwnerPermit {
        OwnerPermit {
            limits: Arc::clone(self),
            owner: owner.clone(),
            count,
        }
    }

    /// A lock that is held while a job of this owner is created: jobs of one owner are created one after the other, so those
    /// that wait must not occupy the connections of the store.
    pub(super) fn creating(&self, owner: &Owner) -> Arc<tokio::sync::Mutex<()>> {
        self.with(owner, |owner| Arc::clone(&owner.creating))
    }

    /// A lock that is held while a request of this owner is worked on that takes long.
    pub(super) fn working(&self, owner: &Owner) -> Arc<tokio::sync::Mutex<()>> {
        self.with(owner, |owner| Arc::clone(&owner.working))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawler_store::KeyRole;

    fn caller(name: &str, quotas: &[&str]) -> Caller {
        let mut quota = Quota::default();
        for one in quotas {
            quota.set(one).expect("a valid quota");
        }
        let owner = Owner::parse(name).expect("a name");
        Caller::new(owner, KeyRole::User, quota)
    }

    #[tokio::test(start_paused = true)]
    async fn the_rate_of_each_owner_is_limited() {
        let limits = Arc::new(OwnerLimits::default());
        let (alice, bob) = (
            caller("alice", &["requests_per_second=2"]),
            caller("bob", &["requests_per_second=0.5"]),
        );
        let admitted = |caller: &Caller| (0..10).filter(|_| limits.scrape(caller).is_ok()).count();
        assert_eq!((admitted(&alice), admitted(&bob)), (2, 1));
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!((admitted(&alice), admitted(&bob)), (1, 0));
        tokio::time::advance(Duration::from_millis(1_500)).await;
        assert_eq!((admitted(&alice), admitted(&bob)), (2, 1));
        let refused = limits.scrape(&bob).expect_err("too many");
        assert_eq!(refused.retry_seconds(), Some(2));
        // An unused rate does not add up.
        tokio::time::advance(Duration::from_mins(1)).await;
        assert_eq!((admitted(&alice), admitted(&bob)), (2, 1));
    }

    #[tokio::test]
    async fn a_permit_is_given_back_on_drop() {
        let limits = Arc::new(OwnerLimits::default());
        let alice = caller("alice", &["requests_in_flight=2", "event_streams=1"]);
        let first = limits.scrape(&alice).expect("admitted");
        let second = limits.scrape(&alice).expect("admitted");
        assert!(limits.scrape(&alice).is_err());
        let stream = limits.stream(&alice).expect("admitted");
        assert!(limits.stream(&alice).is_err());
        let other = limits.scrape(&caller("bob", &["requests_in_flight=1"]));
        assert!(other.is_ok());
        drop(first);
        assert!(limits.scrape(&alice).is_ok());
        drop((second, stream));
        assert!(limits.stream(&alice).is_ok());
        let nothing = Activity::default();
        assert_eq!(limits.activity(&alice.owner), nothing);
    }

    #[tokio::test]
    async fn long_bodies_and_creations_of_an_owner_are_limited() {
        let limits = Arc::new(OwnerLimits::default());
        let (alice, bob) = (caller("alice", &[]).owner, caller("bob", &[]).owner);
        for (take, max) in [
            (OwnerLimits::long_body as fn(&Arc<_>, &_) -> _, 5),
            (OwnerLimits::creation, 256),
        ] {
            let admitted = || -> Vec<OwnerPermit> {
                let taken = (0..2 * max).map(|_| take(&limits, &alice));
                taken.filter_map(Result::ok).collect()
            };
            let mut permits = admitted();
            assert_eq!(permits.len(), max);
            let refused = take(&limits, &alice).expect_err("too many");
            assert_eq!((refused.status, refused.code), (429, "too_many_requests"));
            assert_eq!(refused.retry_seconds(), Some(1));
            assert!(take(&limits, &bob).is_ok());
            permits.pop();
            assert_eq!(admitted().len(), 1);
        }
        assert_eq!(limits.activity(&alice), Activity::default());
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_owners_is_bounded() {
        let limits = Arc::new(OwnerLimits::default());
        let _held = limits.scrape(&caller("held", &[])).expect("admitted");
        for number in 0..3 * MAX_OWNERS {
            drop(limits.scrape(&caller(&number.to_string(), &[])));
        }
        let owners = lock(&limits.owners);
        assert!(owners.len() <= MAX_OWNERS, "{}", owners.len());
        assert!(owners.contains_key(&Owner::parse("held").expect("a name")));
    }
}
