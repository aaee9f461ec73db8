//! Cancelling: a large job takes several transactions. The first one decides; any later caller can finish the rest.

use super::{Backend, JobTransaction, LockedJob, conclude};
use crate::{Access, Cancel, JobId, JobStopReason, StoreResult};

/// Cancels a job that is accessible.
pub async fn cancel<B: Backend>(store: &B, access: &Access, id: JobId) -> StoreResult<Cancel> {
    let mut decided = false;
    loop {
        let stepped = step(store, access, id, decided).await;
        match stepped.map_err(B::fault)? {
            Some(result) => return Ok(result),
            None => decided = true,
        }
    }
}

/// Skips some of the job's tasks; `None` if there are more.
async fn step<B: Backend>(
    store: &B,
    access: &Access,
    id: JobId,
    decided: bool,
) -> Result<Option<Cancel>, B::Error> {
    let mut db = store.begin().await?;
    let locked = db.lock_jobs(&[id]).await?.pop();
    let is_accessible = |job: &LockedJob| access.owner().is_none_or(|owner| owner == job.owner);
    let Some(mut job) = locked.filter(is_accessible) else {
        return Ok(Some(Cancel::NotFound));
    };
    if job.is_final() {
        return Ok(Some(if decided {
            Cancel::Cancelled
        } else {
            Cancel::AlreadyFinal(job.state)
        }));
    }
    job.stop_reason = Some(JobStopReason::Cancelled);
    let conclusion = conclude(&mut db, &mut job).await?;
    db.wake(&conclusion.woken).await?;
    db.commit().await?;
    Ok(conclusion.finished.then_some(Cancel::Cancelled))
}
