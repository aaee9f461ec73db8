//! Cancelling: a large job takes several transactions. The first one decides; any later caller can finish the rest.

use super::{Backend, JobTransaction, conclude};
use crate::{Cancel, JobId, JobStopReason, StoreResult};

/// Cancels a job.
pub async fn cancel<B: Backend>(store: &B, id: JobId) -> StoreResult<Cancel> {
    let mut decided = false;
    loop {
        match step(store, id, decided).await.map_err(B::fault)? {
            Some(result) => return Ok(result),
            None => decided = true,
        }
    }
}

/// Skips some of the job's tasks; `None` if there are more.
async fn step<B: Backend>(store: &B, id: JobId, decided: bool) -> Result<Option<Cancel>, B::Error> {
    let mut db = store.begin().await?;
    let Some(mut job) = db.lock_jobs(&[id]).await?.pop() else {
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
