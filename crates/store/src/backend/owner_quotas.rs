//! Quotas of owners inside a store: what a new job must fit into, and what ends a running one.
//!
//! A new job is checked under a lock of its owner, so the check is exact. A settlement is not: settlements of one owner do not
//! wait for each other, so a quota may be exceeded by what is settled at the same moment. What an owner uses is read at
//! most every few seconds while it is far from its quotas, and in every settlement when it is close to one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crawler_model::lock;

use super::{Backend, JobTransaction, LockedJob, to_i64};
use crate::{AddedUsage, JobStopReason, NewJob, OwnerUsage, Quota, QuotaExceeded};

/// How long a reading is used for an owner that is far from its quotas.
const FAR_LIFETIME: Duration = Duration::from_secs(5);
/// How long a reading is used for an owner whose queue is full.
const FULL_LIFETIME: Duration = Duration::from_secs(1);
/// An owner is close to a quota with less than a tenth of it left, or less than this: what others may add within the lifetime
/// of a reading.
const CLOSE_COUNT: u64 = 10_000;
const CLOSE_BYTES: u64 = 1_000_000_000;
const CLOSE_SECONDS: u64 = 1_000;
/// Maximum number of owners that are remembered.
const MAX_OWNERS: usize = 4_096;

/// What owners use, as last read by this process; shared by all handles to a store.
#[derive(Clone, Default, Debug)]
pub struct UsageCache(Arc<Mutex<HashMap<String, OwnerBalance>>>);

/// What an owner may use and uses, and what the current transaction adds.
#[derive(Clone, Debug)]
pub(super) struct OwnerBalance {
    quota: Quota,
    usage: OwnerUsage,
    read_at: Instant,
    added: AddedUsage,
}

impl UsageCache {
    fn reading(&self, owner: &str) -> Option<OwnerBalance> {
        let balances = lock(&self.0);
        balances
            .get(owner)
            .filter(|balance| balance.is_recent())
            .cloned()
    }

    fn remember(&self, owner: String, balance: OwnerBalance) {
        let mut balances = lock(&self.0);
        if balances.len() >= MAX_OWNERS && !balances.contains_key(&owner) {
            balances.clear();
        }
        balances.insert(owner, balance);
    }

    /// Owners that had used up a quota when it was last read.
    pub(super) fn exhausted(&self) -> Vec<String> {
        let balances = lock(&self.0);
        let exhausted = balances.iter();
        let exhausted = exhausted.filter(|(_, balance)| balance.exhausted().is_some());
        exhausted.map(|(owner, _)| owner.clone()).collect()
    }
}

/// How much of a quota is left; `None` is no limit.
fn left(limit: Option<u64>, used: u64) -> Option<u64> {
    Quota::limit(limit).map(|limit| limit.saturating_sub(used))
}

impl OwnerBalance {
    pub(super) async fn read<B: Backend>(
        store: &B,
        db: &mut B::Transaction,
        owner: &str,
    ) -> Result<Self, B::Error> {
        let usage = db.owner_usage(owner).await?;
        let balance = Self {
            quota: usage.quota.or(store.default_quota()),
            usage,
            read_at: Instant::now(),
            added: AddedUsage::default(),
        };
        let cache = store.usage_cache();
        cache.remember(owner.to_owned(), balance.clone());
        Ok(balance)
    }

    fn queue_left(&self) -> Option<u64> {
        left(self.quota.queued_tasks, self.usage.queued_tasks)
    }

    fn is_recent(&self) -> bool {
        let age = self.read_at.elapsed();
        let is_close = |limit: Option<u64>, used, close: u64| {
            let part = Quota::limit(limit).map_or(0, |limit| limit / 10);
            left(limit, used).is_some_and(|left| left < part.max(close))
        };
        let Quota {
            queued_tasks,
            pages_per_day,
            stored_bytes,
            browser_seconds_per_day,
            ..
        } = self.quota;
        let browser_seconds = self.usage.browser_time.as_secs();
        let close_to_the_end = is_close(pages_per_day, self.usage.pages, CLOSE_COUNT)
            || is_close(stored_bytes, self.usage.stored_bytes, CLOSE_BYTES)
            || is_close(browser_seconds_per_day, browser_seconds, CLOSE_SECONDS);
        if close_to_the_end || age >= FAR_LIFETIME {
            return false;
        }
        !is_close(queued_tasks, self.usage.queued_tasks, CLOSE_COUNT)
            || self.queue_left() == Some(0) && age < FULL_LIFETIME
    }

    /// How many more tasks may be queued.
    pub(super) fn room(&self) -> i64 {
        self.queue_left().map_or(i64::MAX, to_i64)
    }

    /// Why the owner's jobs have to end.
    pub(super) fn exhausted(&self) -> Option<JobStopReason> {
        let is_used_up = |limit, used| left(limit, used) == Some(0);
        if is_used_up(self.quota.pages_per_day, self.usage.pages) {
            Some(JobStopReason::PagesQuota)
        } else if is_used_up(self.quota.stored_bytes, self.usage.stored_bytes) {
            Some(JobStopReason::StoredBytesQuota)
        } else {
            None
        }
    }

    /// Why a job of the owner has to end that renders pages, or does not.
    pub(super) fn exhausted_for(&self, renders: bool) -> Option<JobStopReason> {
        let seconds = self.usage.browser_time.as_secs();
        let is_used_up = || left(self.quota.browser_seconds_per_day, seconds) == Some(0);
        let browser = || (renders && is_used_up()).then_some(JobStopReason::BrowserSecondsQuota);
        self.exhausted().or_else(browser)
    }

    /// Counts what the current transaction uses.
    pub(super) fn add(&mut self, added: AddedUsage) {
        self.usage.pages += added.pages;
        self.usage.browser_time += added.browser_time;
        let stored = self.usage.stored_bytes;
        self.usage.stored_bytes = stored.saturating_add_signed(added.stored_bytes);
        self.added = self.added.plus(&added);
    }

    /// Counts tasks that were queued or, if negative, that ended.
    pub(super) fn add_tasks(&mut self, tasks: i64) {
        let queued = self.usage.queued_tasks;
        self.usage.queued_tasks = queued.saturating_add_signed(tasks);
    }
}

/// The balances of the owners of one settlement.
#[derive(Default)]
pub(super) struct OwnerBalances(BTreeMap<String, OwnerBalance>);

impl OwnerBalances {
    pub(super) async fn of<B: Backend>(
        &mut self,
        store: &B,
        db: &mut B::Transaction,
        job: &LockedJob,
    ) -> Result<&mut OwnerBalance, B::Error> {
        if !self.0.contains_key(&job.owner) {
            let balance = match store.usage_cache().reading(&job.owner) {
                Some(balance) => balance,
                None => OwnerBalance::read(store, db, &job.owner).await?,
            };
            self.0.insert(job.owner.clone(), balance);
        }
        self.0
            .get_mut(&job.owner)
            .ok_or_else(|| B::Transaction::inconsistent("an owner without a balance".to_owned()))
    }

    /// Writes what was used.
    pub(super) async fn write<T: JobTransaction>(&self, db: &mut T) -> Result<(), T::Error> {
        let added: Vec<(&str, AddedUsage)> = self
            .0
            .iter()
            .filter(|(_, balance)| !balance.added.is_empty())
            .map(|(owner, balance)| (owner.as_str(), balance.added))
            .collect();
        if added.is_empty() {
            return Ok(());
        }
        db.add_usage(&added).await
    }

    /// Remembers the balances after their transaction has committed.
    pub(super) fn remember(self, cache: &UsageCache) {
        for (owner, balance) in self.0 {
            let added = AddedUsage::default();
            cache.remember(owner, OwnerBalance { added, ..balance });
        }
    }
}

/// Checks that a job that was just inserted fits into the quotas of its owner. Other jobs of the owner wait until the end of the
/// transaction.
pub(super) async fn check_new_job<B: Backend>(
    store: &B,
    db: &mut B::Transaction,
    job: &NewJob,
) -> Result<Option<QuotaExceeded>, B::Error> {
    db.lock_owner(job.owner.as_str()).await?;
    let balance = OwnerBalance::read(store, db, job.owner.as_str()).await?;
    let (quota, usage) = (balance.quota, balance.usage);
    let seeds = job.seeds.len() as u64;
    let seeds = job.limits.max_tasks.map_or(seeds, |max| max.min(seeds));
    // The job itself is open already.
    let open_jobs = usage.open_jobs.saturating_sub(1);
    let day_ends = Some(usage.day_ends_in);
    let checks = [
        ("open_jobs", quota.open_jobs, open_jobs, 1, None),
        (
            "queued_tasks",
            quota.queued_tasks,
            usage.queued_tasks,
            seeds,
            None,
        ),
        (
            "pages_per_day",
            quota.pages_per_day,
            usage.pages,
            1,
            day_ends,
        ),
        (
            "stored_bytes",
            quota.stored_bytes,
            usage.stored_bytes,
            1,
            None,
        ),
        (
            "browser_seconds_per_day",
            quota.browser_seconds_per_day.filter(|_| job.renders),
            usage.browser_time.as_secs(),
            1,
            day_ends,
        ),
    ];
    let exceeded = checks
        .into_iter()
        .find_map(|(quota, limit, used, wanted, retry_in)| {
            let limit = Quota::limit(limit)?;
            (used.saturating_add(wanted) > limit).then_some(QuotaExceeded {
                quota,
                limit,
                used,
                retry_in,
            })
        });
    Ok(exceeded)
}
