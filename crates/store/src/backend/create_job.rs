//! Creating a job and its seeds, if the quotas of its owner allow it: a few in one transaction, many in parts, so that others can
//! write too.

use std::time::Duration;

use super::admit::admit;
use super::owner_quotas::check_new_job;
use super::{Backend, JobTransaction, Woken, conclude, to_i64};
use crate::{JobCreation, NewJob, NewTask, StoreResult};

/// Number of seeds that are stored in one transaction.
pub const MAX_SEEDS_PER_STEP: usize = 1_000;
/// How long the creator of a job may take for one part. After that it is presumed dead, and the job is deleted.
const PART_TIME: Duration = Duration::from_mins(1);

/// Creates a job and its seeds, unless a job has its idempotency key.
pub async fn create_job<B: Backend>(store: &B, job: &NewJob) -> StoreResult<JobCreation> {
    let seeds: Vec<&NewTask> = job.seeds.iter().collect();
    let created = if seeds.len() <= MAX_SEEDS_PER_STEP {
        create(store, job, &seeds).await
    } else {
        create_in_parts(store, job, &seeds).await
    };
    created.map_err(B::fault)
}

async fn create<B: Backend>(
    store: &B,
    job: &NewJob,
    seeds: &[&NewTask],
) -> Result<JobCreation, B::Error> {
    let mut db = store.begin().await?;
    let creation = db.insert_job(job).await?;
    if creation != JobCreation::Created {
        return Ok(creation);
    }
    if let Some(exceeded) = check_new_job(store, &mut db, job).await? {
        return Ok(JobCreation::QuotaExceeded(exceeded));
    }
    let mut woken = Woken::default();
    for mut row in db.lock_jobs(&[job.id]).await? {
        admit(&mut db, &mut row, seeds, &mut woken).await?;
        let conclusion = conclude(&mut db, &mut row).await?;
        woken.extend(conclusion.woken);
    }
    db.wake(&woken).await?;
    db.commit().await?;
    Ok(creation)
}

/// Until all seeds are stored, the job exists for nobody: it is not listed, its tasks are gated, and the rules are not applied
/// to it. If this process dies, the reconciler deletes it.
async fn create_in_parts<B: Backend>(
    store: &B,
    job: &NewJob,
    seeds: &[&NewTask],
) -> Result<JobCreation, B::Error> {
    let mut db = store.begin().await?;
    let creation = db.insert_job(job).await?;
    if creation != JobCreation::Created {
        return Ok(creation);
    }
    if let Some(exceeded) = check_new_job(store, &mut db, job).await? {
        return Ok(JobCreation::QuotaExceeded(exceeded));
    }
    // The tasks count against the owner's quota at once, so that other jobs cannot take their room between two parts.
    let limit = job.limits.max_tasks.map_or(i64::MAX, to_i64);
    let mut reserved = to_i64(seeds.len() as u64).min(limit);
    for mut row in db.lock_jobs(&[job.id]).await? {
        row.open_tasks = reserved;
        db.write_job(&row, None).await?;
    }
    db.begin_creation(job.id, PART_TIME).await?;
    db.commit().await?;
    for part in seeds.chunks(MAX_SEEDS_PER_STEP) {
        let mut db = store.begin().await?;
        extend(&mut db, job).await?;
        for mut row in db.lock_jobs(&[job.id]).await? {
            let stored = reserved.min(to_i64(part.len() as u64));
            reserved -= stored;
            row.open_tasks -= stored;
            // The tasks are gated, so no lane has work yet.
            admit(&mut db, &mut row, part, &mut Woken::default()).await?;
            db.write_job(&row, None).await?;
        }
        db.commit().await?;
    }
    complete(store, job).await
}

/// Makes the job visible, and opens its tasks in parts. A job whose creator dies here is complete: its settlements open the rest.
async fn complete<B: Backend>(store: &B, job: &NewJob) -> Result<JobCreation, B::Error> {
    let mut db = store.begin().await?;
    extend(&mut db, job).await?;
    let creation = db.complete_creation(job).await?;
    if creation != JobCreation::Created {
        db.commit().await?;
        return Ok(creation);
    }
    loop {
        let mut has_more = false;
        for mut row in db.lock_jobs(&[job.id]).await? {
            let conclusion = conclude(&mut db, &mut row).await?;
            db.wake(&conclusion.woken).await?;
            has_more = row.opens_seeds() && !row.is_stopping() && !row.is_final();
        }
        db.commit().await?;
        if !has_more {
            return Ok(creation);
        }
        db = store.begin().await?;
    }
}

async fn extend<T: JobTransaction>(db: &mut T, job: &NewJob) -> Result<(), T::Error> {
    if db.extend_creation(job.id, PART_TIME).await? {
        return Ok(());
    }
    Err(T::inconsistent(format!(
        "the job {} was deleted while it was created",
        job.id
    )))
}
