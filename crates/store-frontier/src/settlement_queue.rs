//! Settlements on their way to the store: written in batches, kept while the store is unreachable.

use std::collections::VecDeque;
use std::time::Duration;

use crawler_frontier::{Moment, Rng};
use crawler_model::FailKind;
use crawler_store::backend::{MAX_DOCUMENT_BYTES_PER_STEP, MAX_ROWS_PER_SETTLEMENT};
use crawler_store::{Settlement, StoreError, TaskOutcome};

use crate::store_client::StoreClient;
use crate::{FrontierStore, StoreFrontierSettings};

/// The first wait after a failed store call; it doubles.
const FIRST_BACKOFF: Duration = Duration::from_millis(100);
/// Maximum wait after a failed store call: work continues this soon after the store is back.
const MAX_BACKOFF: Duration = Duration::from_secs(2);
/// How long expired leases are left alone after a failed store call, in addition to the time that the call took. Every worker
/// renews its leases in this time, so that none loses its tasks and results to an outage of the store: the last failed call
/// of this worker may end a backoff before the outage does, and another worker's call that was sent at the end of the outage
/// may hang as long as this one did, and is repeated after another backoff.
pub(crate) const RESCUE_DELAY: Duration = Duration::from_secs(5);

/// How long to wait after this many failed store calls in a row.
pub(crate) fn store_backoff(failures: u32, rng: &mut Rng) -> Duration {
    let factor = 1_u32 << failures.saturating_sub(1).min(10);
    let wait = FIRST_BACKOFF.saturating_mul(factor).min(MAX_BACKOFF);
    wait.mul_f64(0.5 + rng.fraction() / 2.0)
}

/// Settlements on their way to the store.
#[derive(Debug, Default)]
pub(crate) struct SettlementQueue {
    waiting: VecDeque<Settlement>,
    /// When the first of them was added.
    since: Option<Moment>,
    /// A batch is being written.
    writing: bool,
    not_before: Moment,
    failures: u32,
    /// Number of settlements to write one by one, because one of them failed its batch.
    one_by_one: usize,
    /// Number of settlements to write job by job, because one of the jobs may block the others.
    by_job: usize,
    /// Number of settlements being written.
    writing_count: usize,
    /// Bytes of all documents, waiting or being written.
    document_bytes: usize,
}

/// Maximum number of bytes of documents that wait for the store.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;

/// What a batch has room for. Other writers wait for its transaction.
struct BatchRoom {
    settlements: usize,
    rows: usize,
    document_bytes: usize,
}

impl BatchRoom {
    fn new(max: usize) -> Self {
        Self {
            settlements: max.max(1),
            rows: MAX_ROWS_PER_SETTLEMENT,
            document_bytes: MAX_DOCUMENT_BYTES_PER_STEP,
        }
    }

    /// Takes a settlement in if there is room for it. The first one always fits: the store divides its rows.
    fn take_in(&mut self, settlement: &Settlement, is_first: bool) -> bool {
        let (rows, bytes) = (settlement.rows(), settlement.document_bytes());
        let fits = self.settlements > 0 && rows <= self.rows && bytes <= self.document_bytes;
        if !fits && !is_first {
            return false;
        }
        self.settlements -= 1;
        self.rows = self.rows.saturating_sub(rows);
        self.document_bytes = self.document_bytes.saturating_sub(bytes);
        true
    }
}

/// What happened to a batch that was not written.
pub(crate) enum FailedBatch {
    /// It is written later.
    Requeued,
    /// This settlement can never be written. Its task is settled as failed instead.
    Replaced(Box<Settlement>),
    /// This settlement can never be written, though it only says that the result cannot be stored.
    Rejected(Box<Settlement>),
}

/// The error of a task whose result cannot be stored. Why is in the log: the database's own text is not for callers.
const NOT_STORED: &str = "the result could not be stored; see the log of the service";

/// The settlement that replaces one which the store refuses for good: without its lease, the task would be fetched again,
/// only for its result to be refused again. `None` if it is such a settlement itself.
fn replacement(rejected: &Settlement) -> Option<Settlement> {
    if let TaskOutcome::Failed { error, .. } = &rejected.outcome
        && error == NOT_STORED
    {
        return None;
    }
    Some(Settlement {
        lease: rejected.lease,
        job: rejected.job,
        outcome: TaskOutcome::Failed {
            kind: FailKind::Internal,
            error: NOT_STORED.to_owned(),
            bytes: rejected.outcome.bytes(),
        },
        browser_time: rejected.browser_time,
        found: Vec::new(),
        refused: Vec::new(),
    })
}

impl SettlementQueue {
    pub(crate) fn push(&mut self, settlement: Settlement, now: Moment) {
        self.since.get_or_insert(now);
        self.document_bytes += settlement.document_bytes();
        self.waiting.push_back(settlement);
    }

    /// Whether so much is waiting that no more tasks should be claimed.
    pub(crate) fn is_full(&self, max: usize) -> bool {
        self.waiting.len() + self.writing_count >= max || self.document_bytes >= MAX_WAITING_BYTES
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && !self.writing
    }

    /// When the next batch is due.
    fn due(&self, settings: &StoreFrontierSettings) -> Option<Moment> {
        if self.writing || self.waiting.is_empty() {
            return None;
        }
        let full = self.waiting.len() >= settings.max_batch;
        let wait = if full {
            Duration::ZERO
        } else {
            settings.batch_delay
        };
        let since = self.since.unwrap_or_default();
        Some((since + wait).max(self.not_before))
    }

    /// Writes a batch if one is due; else returns when it will be.
    pub(crate) fn flush<S: FrontierStore>(
        &mut self,
        client: &StoreClient<S>,
        settings: &StoreFrontierSettings,
        now: Moment,
    ) -> Option<Moment> {
        let due = self.due(settings)?;
        if due > now {
            return Some(due);
        }
        let batch = self.next_batch(settings.max_batch);
        self.writing_count = batch.len();
        self.since = (!self.waiting.is_empty()).then_some(now);
        self.writing = true;
        client.settle(batch);
        None
    }

    fn next_batch(&mut self, max: usize) -> Vec<Settlement> {
        if self.one_by_one > 0 {
            self.one_by_one -= 1;
            return self.waiting.pop_front().into_iter().collect();
        }
        let Some(job) = self.waiting.front().map(|first| first.job) else {
            return Vec::new();
        };
        let mut room = BatchRoom::new(max);
        if self.by_job == 0 {
            let mut count = 0;
            for settlement in &self.waiting {
                if !room.take_in(settlement, count == 0) {
                    break;
                }
                count += 1;
            }
            return self.waiting.drain(..count).collect();
        }
        let (mut batch, mut is_full) = (Vec::new(), false);
        self.waiting = std::mem::take(&mut self.waiting)
            .into_iter()
            .filter_map(|settlement| {
                if settlement.job != job {
                    return Some(settlement);
                }
                // In their order: none is taken after one that does not fit.
                is_full = is_full || !room.take_in(&settlement, batch.is_empty());
                if is_full {
                    return Some(settlement);
                }
                batch.push(settlement);
                None
            })
            .collect();
        self.by_job = self.by_job.saturating_sub(batch.len());
        batch
    }

    /// Records that the batch was written.
    pub(crate) fn written(&mut self, batch: &[Settlement]) {
        self.writing = false;
        self.writing_count = 0;
        self.document_bytes -= batch.iter().map(Settlement::document_bytes).sum::<usize>();
        self.failures = 0;
    }

    /// Requeues or rejects a batch that was not written.
    pub(crate) fn failed(
        &mut self,
        mut batch: Vec<Settlement>,
        error: &StoreError,
        now: Moment,
        rng: &mut Rng,
    ) -> FailedBatch {
        self.writing = false;
        self.writing_count = 0;
        if !error.retryable() {
            if batch.len() == 1
                && let Some(rejected) = batch.pop()
            {
                self.document_bytes -= rejected.document_bytes();
                let rejected = Box::new(rejected);
                let Some(replacement) = replacement(&rejected) else {
                    return FailedBatch::Rejected(rejected);
                };
                self.since.get_or_insert(now);
                self.waiting.push_front(replacement);
                self.one_by_one += 1;
                return FailedBatch::Replaced(rejected);
            }
            self.one_by_one = batch.len();
        }
        self.failures += 1;
        self.not_before = now + store_backoff(self.failures, rng);
        self.since.get_or_insert(now);
        if error.retryable() {
            // At the end of the queue, and job by job: a job with a locked row must not block the rest.
            self.waiting.extend(batch);
            self.by_job = self.waiting.len();
        } else {
            for settlement in batch.into_iter().rev() {
                self.waiting.push_front(settlement);
            }
        }
        FailedBatch::Requeued
    }
}

#[cfg(test)]
mod tests {
    use crawler_model::Discovery;
    use crawler_store::{Fence, JobId, Lease, NewTask, TaskId};
    use crawler_weburl::HostKey;

    use super::*;

    fn settlement(job: JobId, id: i64, found: usize) -> Settlement {
        let link = |link| {
            let url = format!("https://a.test/{id}/{link}");
            NewTask {
                requested_url: url.clone(),
                final_url: url.clone(),
                url,
                host: HostKey::new("a.test"),
                depth: 1,
                hops: 0,
                via: None,
                found: Discovery::Link,
            }
        };
        Settlement {
            lease: Lease {
                task: TaskId(id),
                fence: Fence(1),
            },
            job,
            outcome: TaskOutcome::Done {
                document: None,
                mapped: Vec::new(),
                bytes: 0,
            },
            browser_time: Duration::ZERO,
            found: (0..found).map(link).collect(),
            refused: Vec::new(),
        }
    }

    /// Batches of many links are smaller, whether they are written together or job by job.
    #[test]
    fn a_batch_is_bounded_by_its_rows() {
        let job = JobId::fresh();
        for by_job in [false, true] {
            let mut queue = SettlementQueue::default();
            for (id, found) in (0..).zip([0, 900, 900, 900, 5_000, 1, 1]) {
                queue.push(settlement(job, id, found), Duration::ZERO);
            }
            if by_job {
                queue.by_job = queue.waiting.len();
            }
            let mut sizes = Vec::new();
            while !queue.waiting.is_empty() {
                sizes.push(queue.next_batch(64).len());
            }
            assert_eq!(sizes, [3, 1, 1, 2], "{by_job}");
        }
    }
}
