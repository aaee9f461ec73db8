//! The rules that follow every change of a job's tasks: stopping, the gate, and the end.
//!
//! Settling, cancelling and reconciling all go through [`conclude`], so each rule is written once.

use super::{Conclusion, JobTransaction, LockedJob, MAX_TASKS_PER_STEP};
use crate::{JobCounts, JobState, JobStopReason};

/// Applies the rules to a locked job and writes its row.
pub async fn conclude<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
) -> Result<Conclusion, T::Error> {
    let mut conclusion = Conclusion::default();
    if job.is_final() {
        return Ok(conclusion);
    }
    if !job.is_stopping() && job.max_bytes.is_some_and(|max| job.bytes >= max) {
        job.stop_reason = Some(JobStopReason::MaxBytes);
    }
    let mut has_open_tasks = None;
    if let Some(reason) = job.stop_reason.filter(|_| job.is_stopping()) {
        let skipped = db.skip_tasks(job, reason, job.stops_held_tasks()).await?;
        job.end_tasks(skipped.count);
        conclusion.skips_more = skipped.count >= MAX_TASKS_PER_STEP;
        conclusion.woken.close_lanes(job.id, skipped.hosts);
    } else if job.opens_seeds() {
        open_seeds(db, job, &mut conclusion).await?;
    } else if job.max_depth.is_some() {
        has_open_tasks = Some(open_gate(db, job, &mut conclusion).await?);
    }
    let has_open_tasks = match has_open_tasks {
        Some(known) => known,
        None => db.has_open_tasks(job).await?,
    };
    // Counting all rows is left to the end of the job.
    let counts = if has_open_tasks {
        None
    } else {
        Some(db.count_tasks(job.id).await?)
    };
    if job.state == JobState::Queued
        && counts.as_ref().is_none_or(|counts| counts.total() > 0)
        && db.was_claimed(job).await?
    {
        job.state = JobState::Running;
    }
    let error = match counts {
        Some(counts) => end(db, job, &counts, &mut conclusion).await?,
        None => None,
    };
    db.write_job(job, error).await?;
    Ok(conclusion)
}

/// Ends a job without open tasks; returns its error if it failed.
async fn end<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    counts: &JobCounts,
    conclusion: &mut Conclusion,
) -> Result<Option<String>, T::Error> {
    let Some(mut state) = JobState::derive(counts) else {
        return Ok(None);
    };
    if job.stop_reason == Some(JobStopReason::Cancelled) {
        state = JobState::Cancelled;
    }
    job.state = state;
    conclusion.finished = true;
    if state != JobState::Failed {
        return Ok(None);
    }
    let error = db.first_error(job.id).await?;
    Ok(Some(error.unwrap_or_else(|| {
        "there was nothing to fetch".to_owned()
    })))
}

/// Opens some seeds of a job that was created in parts.
async fn open_seeds<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    conclusion: &mut Conclusion,
) -> Result<(), T::Error> {
    let hosts = db.open_level(job, 0).await?;
    if hosts.is_empty() {
        job.open_depth = 0;
    }
    conclusion.opened = true;
    conclusion.woken.add_lanes(job.id, hosts);
    Ok(())
}

/// Opens the next depth level once nothing nearer is ready or held; a task that waits for a retry does not count. A large
/// level is opened in parts, each before the part before it runs out. Returns whether the job has open tasks.
async fn open_gate<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    conclusion: &mut Conclusion,
) -> Result<bool, T::Error> {
    let level = db.next_level(job).await?;
    if let Some(depth) = level.depth.filter(|_| level.may_open) {
        let opened = db.open_level(job, depth).await?;
        conclusion.woken.add_lanes(job.id, opened);
        conclusion.opened = true;
        job.open_depth = job.open_depth.max(depth);
    }
    Ok(level.has_open_tasks)
}
