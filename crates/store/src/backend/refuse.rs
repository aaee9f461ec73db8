//! URLs that are refused as crawler traps: stored as skipped tasks, so that a job tells what it did not follow.
//!
//! Another page may link to the same URL and make it worth fetching; then the skipped task makes way for a new one.

use std::collections::HashSet;

use crawler_model::RefuseReason;

use super::admit::count_new;
use super::{JobTransaction, LockedJob, to_i64};
use crate::{NewTask, RefusedUrl, TrapCounts};

/// Whether the reason of a skipped task is a trap.
pub(super) fn is_trap(reason: &str) -> bool {
    trap_reasons().any(|trap| trap == reason)
}

fn trap_reasons() -> impl Iterator<Item = &'static str> {
    let traps = RefuseReason::ALL.into_iter().filter(|one| one.is_trap());
    traps.map(RefuseReason::as_str)
}

/// Whether it is short enough: its key may be, though the URL itself is refused because of its length.
fn is_storable(task: &NewTask) -> bool {
    task.fits() && task.url.len() <= NewTask::MAX_KEY_BYTES
}

/// Stores refused URLs whose key is new, up to a limit for each reason. One that is too long to be stored is left out.
pub(super) async fn refuse<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    refused: &[&RefusedUrl],
) -> Result<(), T::Error> {
    let tasks = refused.iter().map(|one| &one.task);
    let oversized: Vec<&NewTask> = tasks.filter(|task| !is_storable(task)).collect();
    job.left_out += count_new(db, job, &oversized).await?;
    let mut counts = job.traps.clone();
    let mut keys = HashSet::new();
    let mut chosen = Vec::new();
    for one in refused {
        let reason = one.reason.as_str();
        if counts.get(reason) < TrapCounts::MAX_STORED
            && is_storable(&one.task)
            && keys.insert(one.task.final_url.as_str())
        {
            counts.add(reason);
            chosen.push(*one);
        }
    }
    if chosen.is_empty() {
        return Ok(());
    }
    let stored = db.insert_refused(job, &chosen).await?;
    job.sequence += to_i64(stored.len() as u64);
    for reason in &stored {
        job.traps.add(reason);
    }
    Ok(())
}

/// Makes room for tasks that were refused when they were found before.
pub(super) async fn readmit<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    tasks: &[&NewTask],
) -> Result<(), T::Error> {
    if job.traps.is_empty() || job.remaining_tasks() == 0 {
        return Ok(());
    }
    let keys: Vec<String> = tasks.iter().map(|task| task.final_url.clone()).collect();
    let reasons: Vec<String> = trap_reasons().map(str::to_owned).collect();
    let removed = db.remove_refused(job.id, &keys, &reasons).await?;
    for reason in &removed {
        job.traps.subtract(reason);
    }
    Ok(())
}
