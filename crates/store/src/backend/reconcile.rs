//! Applies the rules again, after crashes and for deadlines that have passed.

use super::{Backend, JobTransaction, conclude};
use crate::{JobId, Reconciled, StoreResult};

/// Applies the rules to jobs that are due.
pub async fn reconcile<B: Backend>(store: &B) -> StoreResult<Reconciled> {
    let mut done = Reconciled::default();
    // A job that cannot be locked now must not keep the others from ending.
    let mut problem = None;
    for id in store.jobs_to_reconcile().await.map_err(B::fault)? {
        if let Err(error) = reconcile_job(store, id, &mut done).await {
            problem.get_or_insert(error);
        }
    }
    done.woken = store.wake_idle_hosts().await.map_err(B::fault)?;
    if let Err(error) = store.delete_left_out().await {
        problem.get_or_insert(error);
    }
    problem.map_or(Ok(done), |error| Err(B::fault(error)))
}

async fn reconcile_job<B: Backend>(
    store: &B,
    id: JobId,
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
        if job.overdue && job.stop_reason.as_deref() != Some("cancelled") {
            job.stop_reason = Some("max_duration".to_owned());
            done.timed_out += u64::from(!counted);
            counted = true;
        }
        let conclusion = conclude(&mut db, &mut job).await?;
        done.finished += u64::from(conclusion.finished);
        done.opened += u64::from(conclusion.opened);
        db.wake_hosts(&conclusion.hosts).await?;
        db.commit().await?;
        // At the byte limit, held tasks finish by themselves; otherwise, tasks are skipped until none is left.
        if conclusion.finished || !job.stops_held_tasks() {
            return Ok(());
        }
    }
}
