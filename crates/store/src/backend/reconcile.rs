//! Applies the rules again, after crashes and for deadlines that have passed.

use super::owner_quotas::OwnerBalance;
use super::{Backend, JobTransaction, conclude};
use crate::{JobId, JobState, JobStopReason, Reconciled, StoreResult};

/// Maximum number of transactions of one round that delete jobs whose creators have died.
const MAX_DELETIONS: usize = 20;

/// Applies the rules to jobs that are due.
pub async fn reconcile<B: Backend>(store: &B) -> StoreResult<Reconciled> {
    let mut done = Reconciled::default();
    // A job that cannot be locked now must not keep the others from ending.
    let mut problem = None;
    for id in store.jobs_to_reconcile().await.map_err(B::fault)? {
        if let Err(error) = reconcile_job(store, id, None, &mut done).await {
            problem.get_or_insert(error);
        }
    }
    for owner in store.usage_cache().exhausted() {
        if let Err(error) = end_jobs_of(store, &owner, &mut done, &mut problem).await {
            problem.get_or_insert(error);
        }
    }
    for _ in 0..MAX_DELETIONS {
        if store.delete_abandoned().await.map_err(B::fault)? == 0 {
            break;
        }
    }
    done.woken = store.restore_lanes().await.map_err(B::fault)?;
    if let Err(error) = store.delete_left_out().await {
        problem.get_or_insert(error);
    }
    problem.map_or(Ok(done), |error| Err(B::fault(error)))
}

/// Ends the open jobs of an owner that has used up a quota. Those with settlements end by themselves. The first error of a job
/// becomes the problem; the other jobs are ended nevertheless.
async fn end_jobs_of<B: Backend>(
    store: &B,
    owner: &str,
    done: &mut Reconciled,
    problem: &mut Option<B::Error>,
) -> Result<(), B::Error> {
    let mut db = store.begin().await?;
    let balance = OwnerBalance::read(store, &mut db, owner).await?;
    drop(db);
    let Some(reason) = balance.exhausted() else {
        return Ok(());
    };
    for id in store.running_jobs(owner).await? {
        if let Err(error) = reconcile_job(store, id, Some(reason), done).await {
            problem.get_or_insert(error);
        }
    }
    Ok(())
}

async fn reconcile_job<B: Backend>(
    store: &B,
    id: JobId,
    stop: Option<JobStopReason>,
    done: &mut Reconciled,
) -> Result<(), B::Error> {
    let mut counted = false;
    loop {
        let mut db = store.begin().await?;
        let Some(mut job) = db.lock_jobs(&[id]).await?.pop() else {
            return Ok(());
        };
        if job.is_final() {
            return Ok(());
        }
        if job.overdue && job.stop_reason != Some(JobStopReason::Cancelled) {
            job.stop_reason = Some(match job.state {
                JobState::Queued => JobStopReason::NotStarted,
                _ => JobStopReason::MaxDuration,
            });
            done.timed_out += u64::from(!counted);
            counted = true;
        }
        if let Some(reason) = stop {
            job.stop_early(reason);
        }
        let conclusion = conclude(&mut db, &mut job).await?;
        done.finished += u64::from(conclusion.finished);
        done.opened += u64::from(conclusion.opened);
        db.wake(&conclusion.woken).await?;
        db.commit().await?;
        // At the byte limit and the quotas, held tasks finish by themselves; otherwise, tasks are skipped until none is left.
        if conclusion.finished || !(job.stops_held_tasks() || conclusion.skips_more) {
            return Ok(());
        }
    }
}
