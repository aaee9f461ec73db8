//! Cancelling: under the job row's lock, so that nothing settles in between; a large job in several steps, of which the
//! first decides and whoever comes next finishes.

use store::{Cancel, JobId, JobState, StoreError};

use crate::fault::fault;
use crate::{PostgresStore, hosts, job_row};

pub(crate) async fn cancel(store: &PostgresStore, id: JobId) -> Result<Cancel, StoreError> {
    let mut decided = false;
    loop {
        let mut db = store.pool.begin().await.map_err(fault)?;
        let Some(mut job) = job_row::lock(&mut db, &[id.0]).await.map_err(fault)?.pop() else {
            return Ok(Cancel::NotFound);
        };
        let state = JobState::named(&job.status)
            .ok_or_else(|| StoreError::Refused(format!("a job's status is {:?}", job.status)))?;
        if state.is_final() {
            return Ok(if decided {
                Cancel::Cancelled
            } else {
                Cancel::AlreadyFinal(state)
            });
        }
        decided = true;
        job.stop_reason = Some("cancelled".to_owned());
        let conclusion = job_row::conclude(&mut db, &mut job).await.map_err(fault)?;
        hosts::wake(&mut db, &conclusion.hosts)
            .await
            .map_err(fault)?;
        db.commit().await.map_err(fault)?;
        if conclusion.finished {
            return Ok(Cancel::Cancelled);
        }
    }
}
