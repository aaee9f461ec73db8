//! Creating a job and its seeds, in one transaction.

use std::collections::BTreeSet;

use super::admit::admit;
use super::{Backend, JobTransaction, conclude};
use crate::{JobCreation, NewJob, NewTask, StoreResult};

/// Creates a job and its seeds, unless a job has its idempotency key.
pub async fn create_job<B: Backend>(store: &B, job: &NewJob) -> StoreResult<JobCreation> {
    create(store, job).await.map_err(B::fault)
}

async fn create<B: Backend>(store: &B, job: &NewJob) -> Result<JobCreation, B::Error> {
    let mut db = store.begin().await?;
    let creation = db.insert_job(job).await?;
    if creation != JobCreation::Created {
        return Ok(creation);
    }
    let mut woken = BTreeSet::new();
    let seeds: Vec<&NewTask> = job.seeds.iter().collect();
    for mut row in db.lock_jobs(&[job.id]).await? {
        admit(&mut db, &mut row, &seeds, &mut woken).await?;
        let conclusion = conclude(&mut db, &mut row).await?;
        woken.extend(conclusion.hosts);
    }
    db.wake_hosts(&woken).await?;
    db.commit().await?;
    Ok(creation)
}
