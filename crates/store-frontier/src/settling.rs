//! What became of tasks, on its way to the store: in batches, kept while the store is away.

use std::collections::VecDeque;
use std::time::Duration;

use frontier::{Chance, Moment};
use store::{Settlement, Store, StoreError, Verdict};

use crate::StoreFrontierSettings;
use crate::clerk::Clerk;

/// The first wait after the store did not answer; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// The longest.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How long to wait for a store that did not answer so many times.
pub(crate) fn store_backoff(failures: u32, chance: &mut Chance) -> Duration {
    let factor = 1_u32 << failures.saturating_sub(1).min(10);
    let wait = FIRST_WAIT.saturating_mul(factor).min(LONGEST_WAIT);
    wait.mul_f64(0.5 + chance.fraction() / 2.0)
}

/// Settlements on their way.
#[derive(Debug, Default)]
pub(crate) struct Settling {
    waiting: VecDeque<Settlement>,
    /// When the first of them came.
    since: Option<Moment>,
    /// A batch is with the store.
    out: bool,
    not_before: Moment,
    failures: u32,
    /// So many are written alone: one of them spoiled its batch.
    alone: usize,
    /// So many are written job by job: one of the jobs may be what holds the others up.
    apart: usize,
    /// With the store, and bytes of documents that wait or are there.
    with_store: usize,
    weight: usize,
}

/// Bytes of documents that may wait for the store.
const MOST_WEIGHT: usize = 64 * 1024 * 1024;

/// About the bytes a settlement takes.
fn weight(settlement: &Settlement) -> usize {
    let Verdict::Done {
        document: Some(document),
        ..
    } = &settlement.verdict
    else {
        return 0;
    };
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    text(&document.content_md) + text(&document.content_raw)
}

/// What is to be done about an answer.
pub(crate) enum Spoiled {
    /// Nothing: the batch is written later.
    No,
    /// This one can never be written.
    Yes(Box<Settlement>),
}

impl Settling {
    pub(crate) fn push(&mut self, settlement: Settlement, now: Moment) {
        self.since.get_or_insert(now);
        self.weight += weight(&settlement);
        self.waiting.push_back(settlement);
    }

    /// Whether so many wait, or so much, that no more should come.
    pub(crate) fn is_full(&self, most: usize) -> bool {
        self.waiting.len() + self.with_store >= most || self.weight >= MOST_WEIGHT
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && !self.out
    }

    /// When the next batch is due.
    fn due(&self, settings: &StoreFrontierSettings) -> Option<Moment> {
        if self.out || self.waiting.is_empty() {
            return None;
        }
        let full = self.waiting.len() >= settings.settle_most;
        let wait = if full {
            Duration::ZERO
        } else {
            settings.settle_wait
        };
        let since = self.since.unwrap_or_default();
        Some((since + wait).max(self.not_before))
    }

    /// Hands a batch to the store if one is due; else says when it will be.
    pub(crate) fn flush<S: Store>(
        &mut self,
        clerk: &Clerk<S>,
        settings: &StoreFrontierSettings,
        now: Moment,
    ) -> Option<Moment> {
        let due = self.due(settings)?;
        if due > now {
            return Some(due);
        }
        let batch = self.next_batch(settings.settle_most);
        self.with_store = batch.len();
        self.since = (!self.waiting.is_empty()).then_some(now);
        self.out = true;
        clerk.settle(batch);
        None
    }

    fn next_batch(&mut self, most: usize) -> Vec<Settlement> {
        if self.alone > 0 {
            self.alone -= 1;
            return self.waiting.pop_front().into_iter().collect();
        }
        let Some(job) = self.waiting.front().map(|first| first.job) else {
            return Vec::new();
        };
        if self.apart == 0 {
            return self.waiting.drain(..most.min(self.waiting.len())).collect();
        }
        let mut batch = Vec::new();
        self.waiting = std::mem::take(&mut self.waiting)
            .into_iter()
            .filter_map(|settlement| {
                if settlement.job == job && batch.len() < most {
                    batch.push(settlement);
                    return None;
                }
                Some(settlement)
            })
            .collect();
        self.apart = self.apart.saturating_sub(batch.len());
        batch
    }

    /// The batch was written.
    pub(crate) fn written(&mut self, batch: &[Settlement]) {
        self.out = false;
        self.with_store = 0;
        self.weight -= batch.iter().map(weight).sum::<usize>();
        self.failures = 0;
    }

    /// The batch was not written.
    pub(crate) fn failed(
        &mut self,
        mut batch: Vec<Settlement>,
        error: &StoreError,
        now: Moment,
        chance: &mut Chance,
    ) -> Spoiled {
        self.out = false;
        self.with_store = 0;
        if !error.retryable() {
            if batch.len() == 1
                && let Some(spoiled) = batch.pop()
            {
                self.weight -= weight(&spoiled);
                return Spoiled::Yes(Box::new(spoiled));
            }
            self.alone = batch.len();
        }
        self.failures += 1;
        self.not_before = now + store_backoff(self.failures, chance);
        self.since.get_or_insert(now);
        if error.retryable() {
            // Behind the others, and job by job: a job whose row somebody holds must not hold up the rest.
            self.waiting.extend(batch);
            self.apart = self.waiting.len();
        } else {
            for settlement in batch.into_iter().rev() {
                self.waiting.push_front(settlement);
            }
        }
        Spoiled::No
    }
}
