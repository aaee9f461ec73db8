//! Cancelling: a large job in several steps, of which the first decides and whoever comes next finishes.

use store::{Cancel, JobId, JobState, StoreError};

use crate::fault::fault;
use crate::{SqliteStore, hosts, job_row, writer};

pub(crate) async fn cancel(store: &SqliteStore, id: JobId) -> Result<Cancel, StoreError> {
    let name = id.0.to_string();
    let mut decided = false;
    loop {
        let (mut db, now) = writer::begin(store).await.map_err(fault)?;
        let Some(mut job) = job_row::read(&mut db, &name).await.map_err(fault)? else {
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
        let conclusion = job_row::conclude(&mut db, &mut job, now)
            .await
            .map_err(fault)?;
        hosts::wake(&mut db, &conclusion.hosts, now)
            .await
            .map_err(fault)?;
        db.commit().await.map_err(fault)?;
        if conclusion.finished {
            return Ok(Cancel::Cancelled);
        }
    }
}
