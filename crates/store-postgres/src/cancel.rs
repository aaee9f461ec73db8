//! Cancelling: under the job row's lock, so that nothing settles in between.

use store::{Cancel, JobId, JobState, StoreError};

use crate::fault::fault;
use crate::{PostgresStore, hosts, job_row};

pub(crate) async fn cancel(store: &PostgresStore, id: JobId) -> Result<Cancel, StoreError> {
    let mut db = store.pool.begin().await.map_err(fault)?;
    let Some(mut job) = job_row::lock(&mut db, &[id.0]).await.map_err(fault)?.pop() else {
        return Ok(Cancel::NotFound);
    };
    let state = JobState::named(&job.status)
        .ok_or_else(|| StoreError::Refused(format!("a job's status is {:?}", job.status)))?;
    if state.is_final() {
        return Ok(Cancel::AlreadyFinal(state));
    }
    let woken = job_row::skip_rest(&mut db, &mut job, "cancelled", true)
        .await
        .map_err(fault)?;
    JobState::Cancelled.as_str().clone_into(&mut job.status);
    job.stop_reason = Some("cancelled".to_owned());
    job_row::write_final(&mut db, &job).await.map_err(fault)?;
    hosts::wake(&mut db, &woken).await.map_err(fault)?;
    db.commit().await.map_err(fault)?;
    Ok(Cancel::Cancelled)
}
