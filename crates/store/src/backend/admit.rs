//! The last step of admission: a task is admitted if its key is new.

use std::collections::{BTreeSet, HashSet};

use super::refuse::readmit;
use super::{JobTransaction, LockedJob, Woken};
use crate::NewTask;

/// Admits tasks whose key is new, up to the job's limit. Returns how many, and adds the lanes that got work to `woken`.
pub(super) async fn admit<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    tasks: &[&NewTask],
    woken: &mut Woken,
) -> Result<u64, T::Error> {
    let (mut fitting, oversized): (Vec<&NewTask>, Vec<&NewTask>) =
        tasks.iter().copied().partition(|task| task.fits());
    job.left_out += count_new(db, job, &oversized).await?;
    if fitting.is_empty() {
        return Ok(0);
    }
    // Of tasks with the same key, only the one with the smallest depth is kept, or the first one found.
    fitting.sort_by_key(|task| task.depth);
    let mut keys = HashSet::new();
    fitting.retain(|task| keys.insert(task.final_url.as_str()));
    readmit(db, job, &fitting).await?;
    let limit = job.task_limit();
    let inserted = db.insert_tasks(job, &fitting).await?;
    job.admitted += inserted.inserted;
    woken.add_lanes(job.id, inserted.hosts);
    job.open_tasks += inserted.inserted;
    let refused = inserted.refused.iter();
    let refused: Vec<&NewTask> = refused.filter_map(|at| fitting.get(*at).copied()).collect();
    if inserted.inserted > 0 && job.stop_reason.is_some() {
        // There is room again: a URL that was left out before may be among those that were admitted now.
        let places: HashSet<usize> = inserted.refused.into_iter().collect();
        let others = (0..fitting.len()).filter(|at| !places.contains(at));
        let hashes: Vec<i64> = others.map(|at| hash(&fitting[at].final_url)).collect();
        job.left_out -= db.remove_left_out(job.id, &hashes).await?;
        if job.left_out_only() && job.left_out <= 0 {
            job.stop_reason = None;
        }
    }
    if !refused.is_empty() {
        job.left_out += count_new(db, job, &refused).await?;
        job.stop_reason.get_or_insert(limit);
    }
    Ok(inserted.inserted.max(0).unsigned_abs())
}

/// Remembers the URLs of tasks that are left out; returns how many were not left out before. A URL is found by many pages, and
/// again by a worker that was restarted or was not told that its write had succeeded. It ends at a limit.
pub(super) async fn count_new<T: JobTransaction>(
    db: &mut T,
    job: &LockedJob,
    tasks: &[&NewTask],
) -> Result<i64, T::Error> {
    let hashes: BTreeSet<i64> = tasks.iter().map(|task| hash(&task.final_url)).collect();
    if hashes.is_empty() || !job.counts_left_out() {
        return Ok(0);
    }
    let hashes: Vec<i64> = hashes.into_iter().collect();
    db.insert_left_out(job.id, &hashes).await
}

/// A hash of a task's key.
pub(super) fn hash(key: &str) -> i64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&blake3::hash(key.as_bytes()).as_bytes()[..8]);
    i64::from_le_bytes(bytes)
}
