//! Cancelling.

use store::{Cancel, JobId, JobState, StoreError};

use crate::fault::fault;
use crate::{SqliteStore, hosts, job_row, writer};

pub(crate) async fn cancel(store: &SqliteStore, id: JobId) -> Result<Cancel, StoreError> {
    let (mut db, now) = writer::begin(store).await.map_err(fault)?;
    let Some(mut job) = job_row::read(&mut db, &id.0.to_string())
        .await
        .map_err(fault)?
    else {
        return Ok(Cancel::NotFound);
    };
    let state = JobState::named(&job.status)
        .ok_or_else(|| StoreError::Refused(format!("a job's status is {:?}", job.status)))?;
    if state.is_final() {
        return Ok(Cancel::AlreadyFinal(state));
    }
    let woken = job_row::skip_rest(&mut db, &mut job, "cancelled", true, now)
        .await
        .map_err(fault)?;
    JobState::Cancelled.as_str().clone_into(&mut job.status);
    job.stop_reason = Some("cancelled".to_owned());
    job_row::write(&mut db, &job, None, now)
        .await
        .map_err(fault)?;
    hosts::wake(&mut db, &woken).await.map_err(fault)?;
    db.commit().await.map_err(fault)?;
    Ok(Cancel::Cancelled)
}
