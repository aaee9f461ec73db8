//! The last step of admission: a task is admitted if its key is new.

use std::collections::{BTreeSet, HashSet};

use super::locked_job::MAX_PAGES;
use super::{JobTransaction, LockedJob, to_i64};
use crate::NewTask;

/// Admits tasks whose key is new, up to the job's limit. Returns how many, and adds to `hosts` those that may have work.
pub(super) async fn admit<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    tasks: &[&NewTask],
    hosts: &mut BTreeSet<String>,
) -> Result<u64, T::Error> {
    let mut fitting: Vec<&NewTask> = tasks.iter().copied().filter(|task| task.fits()).collect();
    job.left_out += to_i64((tasks.len() - fitting.len()) as u64);
    if fitting.is_empty() {
        return Ok(0);
    }
    // The nearest of those that share a key, in the order they were found.
    fitting.sort_by_key(|task| task.depth);
    let mut keys = HashSet::new();
    fitting.retain(|task| keys.insert(task.final_url.as_str()));
    let inserted = db.insert_tasks(job, &fitting).await?;
    job.admitted += inserted.inserted;
    job.left_out += inserted.new - inserted.inserted;
    if inserted.new > inserted.inserted && job.stop_reason.is_none() {
        job.stop_reason = Some(MAX_PAGES.to_owned());
    }
    hosts.extend(inserted.hosts);
    let is_open = |task: &&NewTask| i64::from(task.depth) <= job.gate();
    if job.max_depth.is_some() && fitting.iter().any(is_open) {
        hosts.extend(db.move_nearer(job, &fitting).await?);
    }
    Ok(inserted.inserted.max(0).unsigned_abs())
}
