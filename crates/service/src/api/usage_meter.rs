//! What `/v1/scrape` uses of the quotas of a day, which the store counts.
//!
//! It is written about once per second, not with every request. A process that is killed loses the counts of that second; those
//! of jobs are written with their results.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_model::{JsPolicy, lock};
use crawler_store::{AddedUsage, Owner, OwnerUsage, Quota, QuotaExceeded, StoreError, Usage};
use tokio::sync::RwLock;
use tokio::time::Instant;

use super::auth::Caller;
use super::problem::Problem;

/// How long what was used is collected before it is written.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);
/// How long a reading is used.
const LIFETIME: Duration = Duration::from_secs(2);
/// When to try again if requests in flight may use the last pages of the day.
const IN_FLIGHT_RETRY: Duration = Duration::from_secs(1);
/// Maximum number of owners whose usage is remembered.
const MAX_OWNERS: usize = 1_024;

/// Counts what is used.
#[derive(Debug)]
pub(super) struct UsageMeter<S> {
    store: S,
    state: Mutex<MeterState>,
    /// Locked for writing while what was used is written, so that no reading sees half of that.
    writes: RwLock<()>,
}

#[derive(Debug, Default)]
struct MeterState {
    /// Not written yet.
    added: HashMap<Owner, AddedUsage>,
    /// Being written.
    writing: HashMap<Owner, AddedUsage>,
    /// Pages that requests in flight may add.
    reserved: HashMap<Owner, u64>,
    is_scheduled: bool,
    read: HashMap<Owner, (Instant, OwnerUsage)>,
}

/// A page of an owner, until its request ends. Counted when dropped, if it was fetched.
#[derive(Debug)]
pub(super) struct ReservedPage<S: Usage + 'static> {
    meter: Arc<UsageMeter<S>>,
    owner: Owner,
    /// Whether it may be rendered.
    js: JsPolicy,
    is_fetched: Arc<AtomicBool>,
}

impl<S: Usage> ReservedPage<S> {
    /// Whether the page may be rendered.
    pub(super) fn js(&self) -> JsPolicy {
        self.js
    }

    /// Is to be set when the page is requested.
    pub(super) fn is_fetched(&self) -> &Arc<AtomicBool> {
        &self.is_fetched
    }
}

impl<S: Usage> Drop for ReservedPage<S> {
    fn drop(&mut self) {
        let mut state = lock(&self.meter.state);
        if let Some(reserved) = state.reserved.get_mut(&self.owner) {
            *reserved = reserved.saturating_sub(1);
            if *reserved == 0 {
                state.reserved.remove(&self.owner);
            }
        }
        drop(state);
        if self.is_fetched.load(Ordering::Relaxed) {
            let page = AddedUsage {
                pages: 1,
                ..AddedUsage::default()
            };
            self.meter.add(&self.owner, page);
        }
    }
}

impl MeterState {
    /// A reading with what is not written yet.
    fn with_unwritten(&self, owner: &Owner, at: Instant, mut usage: OwnerUsage) -> OwnerUsage {
        for unwritten in [&self.added, &self.writing] {
            let unwritten = unwritten.get(owner).copied().unwrap_or_default();
            usage.pages += unwritten.pages;
            usage.browser_time += unwritten.browser_time;
        }
        usage.day_ends_in = usage.day_ends_in.saturating_sub(at.elapsed());
        usage
    }

    fn remember(&mut self, owner: &Owner, at: Instant, usage: OwnerUsage) {
        if self.read.len() >= MAX_OWNERS {
            self.read.retain(|_, (at, _)| at.elapsed() < LIFETIME);
        }
        if self.read.len() < MAX_OWNERS || self.read.contains_key(owner) {
            self.read.insert(owner.clone(), (at, usage));
        }
    }

    /// Reserves a page unless a quota of the day is used up; returns whether it may be rendered.
    fn reserve(
        &mut self,
        caller: &Caller,
        js: JsPolicy,
        usage: &OwnerUsage,
    ) -> Result<JsPolicy, QuotaExceeded> {
        let reserved = self.reserved.get(&caller.owner).copied();
        let used = usage.pages + reserved.unwrap_or_default();
        let is_used_up = |limit, used| Quota::limit(limit).filter(|limit| used >= *limit);
        if let Some(limit) = is_used_up(caller.quota.pages_per_day, used) {
            let retry_in = if usage.pages < limit {
                IN_FLIGHT_RETRY
            } else {
                usage.day_ends_in
            };
            return Err(QuotaExceeded {
                quota: "pages_per_day",
                limit,
                used,
                retry_in: Some(retry_in),
            });
        }
        let seconds = usage.browser_time.as_secs();
        let limit = is_used_up(caller.quota.browser_seconds_per_day, seconds);
        let js = match (js, limit) {
            (JsPolicy::Always, Some(limit)) => {
                return Err(QuotaExceeded {
                    quota: "browser_seconds_per_day",
                    limit,
                    used: seconds,
                    retry_in: Some(usage.day_ends_in),
                });
            }
            (JsPolicy::Auto, Some(_)) => JsPolicy::Never,
            (js, _) => js,
        };
        *self.reserved.entry(caller.owner.clone()).or_default() += 1;
        Ok(js)
    }
}

impl<S: Usage + 'static> UsageMeter<S> {
    pub(super) fn new(store: S) -> Self {
        Self {
            store,
            state: Mutex::default(),
            writes: RwLock::default(),
        }
    }

    /// Reserves a page. Refuses it if the owner has used up the pages of the day, or its rendering time if the page must be
    /// rendered.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        caller: &Caller,
        js: JsPolicy,
    ) -> Result<ReservedPage<S>, Problem> {
        let quota = &caller.quota;
        let is_limited = Quota::limit(quota.pages_per_day).is_some()
            || Quota::limit(quota.browser_seconds_per_day).is_some() && js != JsPolicy::Never;
        let js = if is_limited {
            self.reserve_within(caller, js).await?
        } else {
            let unlimited = OwnerUsage::default();
            lock(&self.state).reserve(caller, js, &unlimited)
        };
        Ok(ReservedPage {
            meter: Arc::clone(self),
            owner: caller.owner.clone(),
            js: js.map_err(Problem::quota_exceeded)?,
            is_fetched: Arc::default(),
        })
    }

    /// Reserves a page by a reading that is at most two seconds old.
    async fn reserve_within(
        &self,
        caller: &Caller,
        js: JsPolicy,
    ) -> Result<Result<JsPolicy, QuotaExceeded>, StoreError> {
        let owner = &caller.owner;
        {
            let mut state = lock(&self.state);
            let recent = state.read.get(owner).copied();
            if let Some((at, usage)) = recent.filter(|(at, _)| at.elapsed() < LIFETIME) {
                let usage = state.with_unwritten(owner, at, usage);
                return Ok(state.reserve(caller, js, &usage));
            }
        }
        let _no_write = self.writes.read().await;
        let at = Instant::now();
        let usage = self.store.usage(owner).await?;
        let mut state = lock(&self.state);
        state.remember(owner, at, usage);
        let usage = state.with_unwritten(owner, at, usage);
        Ok(state.reserve(caller, js, &usage))
    }

    /// What an owner uses now, with what is not written yet.
    pub(super) async fn usage(&self, owner: &Owner) -> Result<OwnerUsage, StoreError> {
        let _no_write = self.writes.read().await;
        let at = Instant::now();
        let usage = self.store.usage(owner).await?;
        Ok(lock(&self.state).with_unwritten(owner, at, usage))
    }

    /// Counts what an owner used.
    pub(super) fn add(self: &Arc<Self>, owner: &Owner, added: AddedUsage) {
        let mut state = lock(&self.state);
        let sum = state.added.entry(owner.clone()).or_default();
        *sum = sum.plus(&added);
        // A tab may be closed while the process ends, outside of the runtime.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if std::mem::replace(&mut state.is_scheduled, true) {
            return;
        }
        drop(state);
        let meter = Arc::clone(self);
        runtime.spawn(async move {
            loop {
                tokio::time::sleep(WRITE_INTERVAL).await;
                meter.write().await;
                let mut state = lock(&meter.state);
                if state.added.is_empty() && state.writing.is_empty() {
                    state.is_scheduled = false;
                    return;
                }
            }
        });
    }

    /// Writes what was used. If that fails, it is kept for the next time. A caller that does not wait for the end does not cancel
    /// it.
    pub(super) async fn write(self: &Arc<Self>) {
        let meter = Arc::clone(self);
        let writing = tokio::spawn(async move { meter.write_now().await });
        if let Err(error) = writing.await {
            tracing::error!(%error, "writing what owners used was interrupted");
        }
    }

    async fn write_now(&self) {
        let _alone = self.writes.write().await;
        let added: Vec<(Owner, AddedUsage)> = {
            let mut state = lock(&self.state);
            let MeterState { added, writing, .. } = &mut *state;
            // What is left of a write that failed comes first.
            for (owner, added) in added.drain() {
                let sum = writing.entry(owner).or_default();
                *sum = sum.plus(&added);
            }
            let writing = writing.iter();
            writing.map(|(owner, sum)| (owner.clone(), *sum)).collect()
        };
        if added.is_empty() {
            return;
        }
        let written = self.store.add_usage(&added).await;
        let mut state = lock(&self.state);
        let MeterState { writing, read, .. } = &mut *state;
        if let Err(error) = written {
            // The next attempt writes it too.
            tracing::warn!(%error, "cannot store what owners used");
            return;
        }
        for (owner, added) in writing.drain() {
            if let Some((_, usage)) = read.get_mut(&owner) {
                usage.pages += added.pages;
                usage.browser_time += added.browser_time;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crawler_store::{KeyRole, StoreResult};
    use std::task::Poll;
    use tokio::sync::Semaphore;

    /// A store whose writes wait for permits.
    #[derive(Debug)]
    struct SlowUsage {
        writes: Semaphore,
        written: Mutex<Vec<(Owner, AddedUsage)>>,
    }

    impl Usage for SlowUsage {
        async fn usage(&self, owner: &Owner) -> StoreResult<OwnerUsage> {
            let written = self.written.lock().expect("no panic");
            let written = written.iter().filter(|(of, _)| of == owner);
            Ok(OwnerUsage {
                pages: written.map(|(_, added)| added.pages).sum(),
                day_ends_in: Duration::from_hours(1),
                ..OwnerUsage::default()
            })
        }

        async fn add_usage(&self, added: &[(Owner, AddedUsage)]) -> StoreResult<()> {
            let permit = self.writes.acquire().await;
            let Ok(permit) = permit else {
                return Err(StoreError::Unavailable("closed".to_owned()));
            };
            permit.forget();
            self.written
                .lock()
                .expect("no panic")
                .extend_from_slice(added);
            Ok(())
        }
    }

    fn meter(writes: usize) -> Arc<UsageMeter<SlowUsage>> {
        Arc::new(UsageMeter::new(SlowUsage {
            writes: Semaphore::new(writes),
            written: Mutex::default(),
        }))
    }

    fn alice(quota: &str) -> Caller {
        let mut quotas = Quota::default();
        quotas.set(quota).expect("a quota");
        let owner = Owner::parse("alice").expect("a name");
        Caller::new(owner, KeyRole::User, quotas)
    }

    const PAGES: AddedUsage = AddedUsage {
        pages: 3,
        browser_time: Duration::ZERO,
        stored_bytes: 0,
    };

    async fn poll_once<W: Future>(work: W) {
        let mut work = std::pin::pin!(work);
        std::future::poll_fn(|cx| {
            assert!(work.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn usage_survives_a_caller_that_does_not_wait_for_its_write() {
        let (meter, alice) = (meter(0), alice("pages_per_day=3"));
        meter.add(&alice.owner, PAGES);
        poll_once(meter.write()).await;
        for _ in 0..10 {
            // The write reaches the store, and waits there.
            tokio::task::yield_now().await;
        }
        assert_eq!(lock(&meter.state).writing.len(), 1);
        let refused = meter.reserve_within(&alice, JsPolicy::Never);
        poll_once(refused).await;
        meter.store.writes.add_permits(1);
        let usage = meter.usage(&alice.owner).await.expect("read");
        assert_eq!(usage.pages, 3);
        assert!(lock(&meter.state).writing.is_empty());
        let written = meter.store.written.lock().expect("no panic").clone();
        assert_eq!(written, [(alice.owner, PAGES)]);
    }

    #[tokio::test(start_paused = true)]
    async fn usage_that_cannot_be_written_is_kept() {
        let (meter, alice) = (meter(0), alice("pages_per_day=3"));
        meter.store.writes.close();
        meter.add(&alice.owner, PAGES);
        meter.write().await;
        assert_eq!(meter.usage(&alice.owner).await.expect("read").pages, 3);
        assert!(meter.reserve(&alice, JsPolicy::Never).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn quota_of_pages_is_reserved_by_requests_in_flight() {
        let (meter, alice) = (meter(9), alice("pages_per_day=2"));
        let reserve = || meter.reserve(&alice, JsPolicy::Never);
        let [fetched, unfetched] = [reserve().await, reserve().await].map(Result::unwrap);
        let refused = reserve().await.expect_err("both pages are in flight");
        assert_eq!(refused.retry_seconds(), Some(1));
        drop(unfetched);
        let page = reserve().await.expect("one was not fetched");
        // Counted although nobody waits for the page.
        fetched.is_fetched().store(true, Ordering::Relaxed);
        page.is_fetched().store(true, Ordering::Relaxed);
        drop((fetched, page));
        let refused = reserve().await.expect_err("both were fetched");
        assert_eq!(refused.retry_seconds(), Some(3_600));
        meter.write().await;
        assert!(reserve().await.is_err());
        assert_eq!(meter.usage(&alice.owner).await.expect("read").pages, 2);
        assert!(lock(&meter.state).reserved.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn quota_of_browser_seconds_refuses_only_what_must_be_rendered() {
        let (meter, alice) = (meter(9), alice("browser_seconds_per_day=2"));
        let used = AddedUsage {
            browser_time: Duration::from_secs(2),
            ..AddedUsage::default()
        };
        meter.add(&alice.owner, used);
        assert!(meter.reserve(&alice, JsPolicy::Always).await.is_err());
        for js in [JsPolicy::Auto, JsPolicy::Never] {
            let page = meter.reserve(&alice, js).await.expect("not rendered");
            assert_eq!(page.js(), JsPolicy::Never);
        }
    }
}
