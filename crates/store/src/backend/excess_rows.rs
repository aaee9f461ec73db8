//! What pages found, divided so that no transaction writes very many rows, or very long ones.
//!
//! A batch is settled in one transaction, with the first rows that its pages found. The others are admitted before, a part in
//! each transaction, and each checks the lease. So nothing is lost: a task whose worker dies between two parts is fetched
//! again, and the URLs that were admitted are known by then. And a worker that lost its lease admits nothing more.

use std::collections::HashMap;

use super::admit::admit;
use super::owner_quotas::OwnerBalances;
use super::refuse::refuse;
use super::{Backend, JobTransaction, MAX_ROWS_PER_SETTLEMENT, MAX_URL_BYTES_PER_STEP, Woken};
use crate::{Lease, NewMappedUrl, NewTask, RefusedUrl, Settlement, TaskState};

/// What a transaction has room for: rows, and bytes of their URLs.
#[derive(Clone, Copy)]
struct RowRoom {
    rows: usize,
    bytes: usize,
}

impl RowRoom {
    /// The room of a transaction.
    const WHOLE: Self = Self {
        rows: MAX_ROWS_PER_SETTLEMENT,
        bytes: MAX_URL_BYTES_PER_STEP,
    };

    /// Takes rows of this many bytes in if there is room for them.
    fn take_in(&mut self, rows: usize, bytes: usize) -> bool {
        let fits = rows <= self.rows && bytes <= self.bytes;
        if fits {
            self.rows -= rows;
            self.bytes -= bytes;
        }
        fits
    }

    /// Takes rows in that cannot be divided.
    fn take_all(&mut self, rows: usize, bytes: usize) {
        self.rows = self.rows.saturating_sub(rows);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// The number of rows at the end that there is room for; takes them in.
    fn take_last<T: TaskRow>(&mut self, rows: &[T]) -> usize {
        let last = rows.iter().rev();
        last.take_while(|row| self.take_in(1, row.bytes())).count()
    }
}

/// A row whose task is stored.
trait TaskRow {
    /// Bytes of its URLs.
    fn bytes(&self) -> usize;
}

impl TaskRow for &NewTask {
    fn bytes(&self) -> usize {
        self.stored_bytes()
    }
}

impl TaskRow for &RefusedUrl {
    fn bytes(&self) -> usize {
        self.task.stored_bytes()
    }
}

/// Divides rows among transactions. A row that is longer than the limit has one of its own.
fn divided<T: TaskRow>(rows: Vec<T>) -> Vec<Vec<T>> {
    let mut room = RowRoom::WHOLE;
    let mut parts: Vec<Vec<T>> = Vec::new();
    for row in rows {
        let bytes = row.bytes();
        if let Some(part) = parts.last_mut().filter(|_| room.take_in(1, bytes)) {
            part.push(row);
        } else {
            room = RowRoom::WHOLE;
            room.take_all(1, bytes);
            parts.push(vec![row]);
        }
    }
    parts
}

/// URLs that a page or its sitemaps led to.
#[derive(Default, Debug)]
pub(super) struct FoundRows<'a> {
    pub(super) found: Vec<&'a NewTask>,
    pub(super) refused: Vec<&'a RefusedUrl>,
}

/// Rows to admit before the settlement of their task.
#[derive(Debug)]
struct RowsPart<'a> {
    settlement: &'a Settlement,
    rows: FoundRows<'a>,
}

/// The rows of a batch.
#[derive(Default, Debug)]
pub(super) struct BatchRows<'a> {
    parts: Vec<RowsPart<'a>>,
    rest: HashMap<Lease, FoundRows<'a>>,
}

impl<'a> BatchRows<'a> {
    /// Divides the rows of a batch.
    pub(super) fn of(batch: &'a [Settlement]) -> Self {
        let mut divided = Self::default();
        let mut room = RowRoom::WHOLE;
        for settlement in batch {
            let is_again = divided.rest.contains_key(&settlement.lease);
            if is_again || settlement.outcome.state() == TaskState::Queued {
                continue;
            }
            let mapped = settlement.mapped();
            let bytes = mapped.iter().map(NewMappedUrl::stored_bytes).sum();
            room.take_all(mapped.len(), bytes);
            divided.add(settlement, &mut room);
        }
        divided
    }

    fn add(&mut self, settlement: &'a Settlement, room: &mut RowRoom) {
        // The target of a redirect takes the place of its task, so both are written at once.
        let target = settlement.redirect_target();
        let mut rest = FoundRows {
            found: target.into_iter().collect(),
            refused: Vec::new(),
        };
        let is_target = |task: &NewTask| target.is_some_and(|target| std::ptr::eq(target, task));
        let mut found: Vec<&NewTask> = settlement.found.iter().collect();
        found.retain(|task| !is_target(task));
        // The nearest ones are admitted first, like those of a small page.
        found.sort_by_key(|task| task.depth);
        let mut refused: Vec<&RefusedUrl> = settlement.refused.iter().collect();
        // What comes last is written with the task.
        let later_refused = refused.split_off(refused.len() - room.take_last(&refused));
        rest.refused.extend(later_refused);
        if refused.is_empty() {
            rest.found
                .extend(found.split_off(found.len() - room.take_last(&found)));
        }
        let parts = divided(found).into_iter().map(|found| FoundRows {
            found,
            refused: Vec::new(),
        });
        let refused_parts = divided(refused).into_iter().map(|refused| FoundRows {
            found: Vec::new(),
            refused,
        });
        let parts = parts.chain(refused_parts);
        self.parts
            .extend(parts.map(|rows| RowsPart { settlement, rows }));
        self.rest.insert(settlement.lease, rest);
    }

    /// Admits the rows that do not fit into the settling transaction; returns how many tasks are new.
    pub(super) async fn admit_parts<B: Backend>(&self, store: &B) -> Result<u64, B::Error> {
        let mut admitted = 0;
        let mut lost = None;
        for part in &self.parts {
            // The transaction that settles finds the same, and reports it.
            if lost == Some(part.settlement.lease) {
                continue;
            }
            match part.admit(store).await? {
                Some(count) => admitted += count,
                None => lost = Some(part.settlement.lease),
            }
        }
        Ok(admitted)
    }

    /// The rows to write with this settlement.
    pub(super) fn rest(&self, lease: Lease) -> Option<&FoundRows<'a>> {
        self.rest.get(&lease)
    }
}

impl RowsPart<'_> {
    /// Admits the part in a transaction of its own; `None` if the lease does not hold any more.
    async fn admit<B: Backend>(&self, store: &B) -> Result<Option<u64>, B::Error> {
        let Settlement { job, lease, .. } = *self.settlement;
        let mut db = store.begin().await?;
        let mut jobs = db.lock_jobs(&[job]).await?;
        let held = db.held_leases(&[lease]).await?;
        let holds = held.get(&lease).is_some_and(|held| held.job == job);
        let Some(row) = jobs.first_mut().filter(|row| holds && !row.is_final()) else {
            return Ok(None);
        };
        let mut owners = OwnerBalances::default();
        let owner = owners.of(store, &mut db, row).await?;
        let open_before = row.open_tasks;
        row.owner_room = owner.room();
        let mut woken = Woken::default();
        let admitted = admit(&mut db, row, &self.rows.found, &mut woken).await?;
        refuse(&mut db, row, &self.rows.refused).await?;
        owner.add_tasks(row.open_tasks - open_before);
        db.write_job(row, None).await?;
        db.wake(&woken).await?;
        db.commit().await?;
        owners.remember(store.usage_cache());
        Ok(Some(admitted))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crawler_model::Discovery;
    use crawler_weburl::HostKey;

    use super::*;
    use crate::{Fence, JobId, TaskId, TaskOutcome};

    fn task(number: usize, depth: u32, found: Discovery) -> NewTask {
        let url = format!("https://a.test/{number}");
        NewTask {
            requested_url: url.clone(),
            final_url: url.clone(),
            url,
            host: HostKey::new("a.test"),
            depth,
            hops: 0,
            via: None,
            found,
        }
    }

    fn settlement(id: i64, outcome: TaskOutcome, found: Vec<NewTask>) -> Settlement {
        Settlement {
            lease: Lease {
                task: TaskId(id),
                fence: Fence(1),
            },
            job: JobId::fresh(),
            outcome,
            browser_time: Duration::ZERO,
            found,
            refused: Vec::new(),
        }
    }

    fn links(count: usize) -> Vec<NewTask> {
        let links = 0..count;
        links.map(|at| task(at, 1, Discovery::Link)).collect()
    }

    fn done() -> TaskOutcome {
        TaskOutcome::Done {
            document: None,
            mapped: Vec::new(),
            bytes: 0,
        }
    }

    /// No transaction writes more rows than the limit, and every row is in one of them.
    #[test]
    fn every_transaction_is_bounded() {
        let retry = TaskOutcome::Retry {
            after: Duration::ZERO,
            error: String::new(),
        };
        for sizes in [vec![50_000], vec![10; 64], vec![300; 64], vec![0, 2_001, 1]] {
            let mut batch: Vec<Settlement> = (0..)
                .zip(&sizes)
                .map(|(id, size)| settlement(id, done(), links(*size)))
                .collect();
            // A task that is queued again finds its links again.
            batch.push(settlement(1_000, retry.clone(), links(5_000)));
            let rows = BatchRows::of(&batch);
            let parts = rows.parts.iter().map(|part| part.rows.found.len());
            assert!(parts.clone().all(|part| part <= MAX_ROWS_PER_SETTLEMENT));
            let rest = rows.rest.values().map(|rest| rest.found.len());
            let rest: usize = rest.sum();
            assert!(rest <= MAX_ROWS_PER_SETTLEMENT, "{sizes:?}: {rest}");
            let total: usize = sizes.iter().sum();
            assert_eq!(parts.sum::<usize>() + rest, total);
            assert_eq!(rest, total.min(MAX_ROWS_PER_SETTLEMENT));
        }
    }

    /// Nor more bytes.
    #[test]
    fn every_transaction_has_a_limited_number_of_bytes() {
        let long = |at: usize| NewTask {
            requested_url: "r".repeat(1_000 + at % 3_000),
            via: Some("v".repeat(2_000)),
            ..task(at, 1, Discovery::Link)
        };
        let batch: Vec<Settlement> = (0..2)
            .map(|id| settlement(id, done(), (0..3_000).map(long).collect()))
            .collect();
        let rows = BatchRows::of(&batch);
        let bytes =
            |found: &[&NewTask]| -> usize { found.iter().map(|task| task.stored_bytes()).sum() };
        let limit = MAX_URL_BYTES_PER_STEP;
        for part in &rows.parts {
            assert!(bytes(&part.rows.found) <= limit);
        }
        let rest = rows.rest.values().map(|rest| bytes(&rest.found));
        assert!(rest.sum::<usize>() <= limit);
        let parts = rows.parts.iter().map(|part| part.rows.found.len());
        let rest = rows.rest.values().map(|rest| rest.found.len());
        assert_eq!(parts.sum::<usize>() + rest.sum::<usize>(), 6_000);
        // The parts are as large as they may be.
        let all = batch.iter().flat_map(|one| &one.found);
        let all: usize = all.map(NewTask::stored_bytes).sum();
        assert!(rows.parts.len() <= all / limit + 2, "{}", rows.parts.len());
    }

    /// The nearest URLs come first, and a redirect's target is written with its task.
    #[test]
    fn a_redirects_target_is_settled_with_its_task() {
        let mut found = links(3_000);
        found.push(task(3_000, 0, Discovery::Sitemap));
        found.push(task(3_001, 0, Discovery::Redirect));
        let outcome = TaskOutcome::Skipped {
            reason: "redirected".to_owned(),
            detail: String::new(),
        };
        let batch = [settlement(1, outcome, found)];
        let rows = BatchRows::of(&batch);
        assert_eq!(rows.parts.len(), 1);
        assert_eq!(rows.parts[0].rows.found[0].depth, 0);
        let rest = rows.rest(batch[0].lease).expect("its rows");
        assert_eq!(rest.found[0].found, Discovery::Redirect);
        assert_eq!(rest.found.len(), 1 + MAX_ROWS_PER_SETTLEMENT);
    }
}
