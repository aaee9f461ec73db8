//! URLs that are refused as crawler traps: stored as skipped tasks, so that a job tells what it did not follow. Beyond a limit
//! for each reason, and of those that are too deep, only a hash is stored, so that each is counted once.
//!
//! Another page may link to the same URL and make it worth fetching; then it is not counted any more, and the skipped task makes
//! way for a new one.

use std::collections::{BTreeMap, HashSet};

use crawler_model::RefuseReason;

use super::admit::{count_new, hash};
use super::{JobTransaction, LockedJob, to_i64, to_u64};
use crate::{NewTask, RefusedCounts, RefusedUrl};

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

/// Stores refused URLs whose key is new, up to a limit for each reason, and counts the others. One that is too long to be stored
/// is left out.
pub(super) async fn refuse<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    refused: &[&RefusedUrl],
) -> Result<(), T::Error> {
    let (traps, too_deep): (Vec<&RefusedUrl>, Vec<&RefusedUrl>) =
        refused.iter().partition(|one| one.reason.is_trap());
    let tasks = traps.iter().map(|one| &one.task);
    let oversized: Vec<&NewTask> = tasks.filter(|task| !is_storable(task)).collect();
    job.left_out += count_new(db, job, &oversized).await?;
    let mut counts = job.traps.clone();
    let mut keys = HashSet::new();
    let (mut chosen, mut others) = (Vec::new(), Vec::new());
    for one in traps.into_iter().filter(|one| is_storable(&one.task)) {
        let reason = one.reason.as_str();
        if !keys.insert(one.task.final_url.as_str()) {
            continue;
        }
        if counts.listed(reason) < RefusedCounts::MAX_LISTED {
            counts.add(reason);
            chosen.push(one);
        } else {
            others.push(one);
        }
    }
    others.extend(
        too_deep
            .into_iter()
            .filter(|one| keys.insert(one.task.final_url.as_str())),
    );
    if !chosen.is_empty() {
        let tasks: Vec<&NewTask> = chosen.iter().map(|one| &one.task).collect();
        forget_unlisted(db, job, &tasks).await?;
        let stored = db.insert_refused(job, &chosen).await?;
        job.sequence += to_i64(stored.len() as u64);
        for reason in &stored {
            job.traps.add(reason);
        }
    }
    count_unlisted(db, job, &others).await
}

/// Counts URLs that are not tasks, each once: for the reason that it was last refused for.
async fn count_unlisted<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    refused: &[&RefusedUrl],
) -> Result<(), T::Error> {
    let counted = refused.iter().copied();
    let refused: Vec<&RefusedUrl> = counted
        .filter(|one| job.traps.counts_unlisted(one.reason))
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    let tasks: Vec<&NewTask> = refused.iter().map(|one| &one.task).collect();
    // A job without room admits nothing, and is told which keys are new.
    let full = LockedJob {
        owner_room: 0,
        // Nor are tasks moved that were found at a greater depth.
        max_depth: None,
        ..job.clone()
    };
    let new = db.insert_tasks(&full, &tasks).await?.refused;
    let mut by_reason = BTreeMap::<&str, Vec<&NewTask>>::new();
    for one in new.into_iter().filter_map(|at| refused.get(at)) {
        let tasks = by_reason.entry(one.reason.as_str()).or_default();
        tasks.push(&one.task);
    }
    for (reason, tasks) in by_reason {
        let known = job.traps.unlisted_reasons();
        for other in known.into_iter().filter(|other| other != reason) {
            let hashes = hashes(&other, &tasks);
            let removed = db.remove_left_out(job.id, &hashes).await?;
            job.traps.subtract_unlisted(&other, to_u64(removed));
        }
        let counted = db.insert_left_out(job.id, &hashes(reason, &tasks)).await?;
        job.traps.add_unlisted(reason, to_u64(counted));
    }
    Ok(())
}

/// URLs become tasks: they are not counted as others that were refused any more.
async fn forget_unlisted<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    tasks: &[&NewTask],
) -> Result<(), T::Error> {
    for reason in job.traps.unlisted_reasons() {
        let hashes = hashes(&reason, tasks);
        let removed = db.remove_left_out(job.id, &hashes).await?;
        job.traps.subtract_unlisted(&reason, to_u64(removed));
    }
    Ok(())
}

/// Hashes of the keys, which differ from those of URLs that were left out or refused for another reason.
fn hashes(reason: &str, tasks: &[&NewTask]) -> Vec<i64> {
    let hashes = tasks
        .iter()
        .map(|task| hash(&format!("{reason} {}", task.final_url)));
    hashes.collect()
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
    forget_unlisted(db, job, tasks).await?;
    let keys: Vec<String> = tasks.iter().map(|task| task.final_url.clone()).collect();
    let reasons: Vec<String> = trap_reasons().map(str::to_owned).collect();
    let removed = db.remove_refused(job.id, &keys, &reasons).await?;
    for reason in &removed {
        job.traps.subtract(reason);
    }
    Ok(())
}
