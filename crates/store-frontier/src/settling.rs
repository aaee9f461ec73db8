//! What became of tasks, on its way to the store: in batches, kept while the store is away.

use std::collections::VecDeque;
use std::time::Duration;

use frontier::{Chance, Moment};
use store::{Settlement, Store, StoreError};

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
        self.waiting.push_back(settlement);
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
        let most = if self.alone > 0 {
            self.alone -= 1;
            1
        } else {
            settings.settle_most
        };
        let count = most.min(self.waiting.len());
        let batch: Vec<Settlement> = self.waiting.drain(..count).collect();
        self.since = (!self.waiting.is_empty()).then_some(now);
        self.out = true;
        clerk.settle(batch);
        None
    }

    /// The batch was written.
    pub(crate) fn written(&mut self) {
        self.out = false;
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
        if !error.retryable() {
            if batch.len() == 1
                && let Some(spoiled) = batch.pop()
            {
                return Spoiled::Yes(Box::new(spoiled));
            }
            self.alone = batch.len();
        }
        self.failures += 1;
        self.not_before = now + store_backoff(self.failures, chance);
        self.since.get_or_insert(now);
        for settlement in batch.into_iter().rev() {
            self.waiting.push_front(settlement);
        }
        Spoiled::No
    }
}
