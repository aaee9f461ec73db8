//! Settling a batch in one transaction (of very many links, only the last ones), in the one order that neither loses a write nor deadlocks.
//!
//! The jobs' rows, then the leases that still hold, then new tasks, documents and links, and the settled tasks last:
//! in Postgres another writer's `ON CONFLICT` waits for a row that was updated, not for one that is only locked.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crawler_model::counted;

use super::admit::admit;
use super::excess_rows::BatchRows;
use super::owner_quotas::{OwnerBalance, OwnerBalances};
use super::redirect_loops::{redirect_loops, target_key};
use super::refuse::{is_trap, refuse};
use super::{
    Backend, HeldLease, JobTransaction, LockedJob, TaskUpdate, Woken, conclude, to_i64, to_millis,
};
use crate::{
    AddedUsage, JobId, Lease, NewTask, RefusedUrl, Settled, Settlement, TaskOutcome, TaskState,
};

/// Settles a batch.
pub async fn settle<B: Backend>(store: &B, batch: &[Settlement]) -> Result<Settled, B::Error> {
    let rows = BatchRows::of(batch);
    let admitted_before = rows.admit_parts(store).await?;
    let mut db = store.begin().await?;
    let jobs: BTreeSet<JobId> = batch.iter().map(|settlement| settlement.job).collect();
    let jobs: Vec<JobId> = jobs.into_iter().collect();
    let mut jobs = db.lock_jobs(&jobs).await?;
    let leases: Vec<Lease> = batch.iter().map(|settlement| settlement.lease).collect();
    let held = db.held_leases(&leases).await?;
    let mut settled = Settled {
        admitted: admitted_before,
        ..Settled::default()
    };
    let mut by_job: BTreeMap<JobId, Vec<(&Settlement, &HeldLease)>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut woken = Woken::default();
    for settlement in batch {
        match held.get(&settlement.lease) {
            Some(holder) if holder.job == settlement.job && seen.insert(settlement.lease) => {
                if settlement.outcome.state() == TaskState::Queued {
                    woken.add_lanes(holder.job, [holder.host.clone()]);
                } else {
                    woken.hosts.insert(holder.host.clone());
                }
                settled.kept.push(settlement.lease);
                let settlements = by_job.entry(holder.job).or_default();
                settlements.push((settlement, holder));
            }
            _ => settled.lost.push(settlement.lease),
        }
    }
    let mut owners = OwnerBalances::default();
    for job in &mut jobs {
        if let Some(settlements) = by_job.get(&job.id) {
            let loops = redirect_loops(&mut db, job.id, settlements).await?;
            let settlements = settlements.iter();
            let settlements: Vec<&Settlement> = settlements
                .map(|(settlement, _)| loops.get(&settlement.lease).unwrap_or(*settlement))
                .collect();
            settled.loops.extend(loops.keys());
            let owner = owners.of(store, &mut db, job).await?;
            settled.admitted +=
                settle_job(&mut db, job, &settlements, &rows, owner, &mut woken).await?;
        }
    }
    owners.write(&mut db).await?;
    db.wake(&woken).await?;
    db.commit().await?;
    owners.remember(store.usage_cache());
    Ok(settled)
}

async fn settle_job<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    settlements: &[&Settlement],
    rows: &BatchRows<'_>,
    owner: &mut OwnerBalance,
    woken: &mut Woken,
) -> Result<u64, T::Error> {
    let ended = |settlement: &&&Settlement| settlement.outcome.state() != TaskState::Queued;
    let (open_before, stored_before) = (job.open_tasks, job.stored_bytes);
    // Tasks that end make room for others.
    let ending = settlements.iter().filter(ended).count();
    job.owner_room = owner.room().saturating_add(to_i64(ending as u64));
    // Those of tasks that end.
    let rows = settlements.iter().filter_map(|one| rows.rest(one.lease));
    let found: Vec<&NewTask> = rows.clone().flat_map(|rows| &rows.found).copied().collect();
    // A redirect's target takes its place: a limit of one page is one page, not one hop.
    let redirects = settlements.iter().filter_map(|one| one.redirect_target());
    job.admitted -= to_i64(redirects.count() as u64);
    let admitted = admit(db, job, &found, woken).await?;
    let refused: Vec<&RefusedUrl> = rows.flat_map(|rows| &rows.refused).copied().collect();
    refuse(db, job, &refused).await?;
    let (mut documents, mut links) = (Vec::new(), Vec::new());
    for settlement in settlements {
        if let TaskOutcome::Done {
            document, mapped, ..
        } = &settlement.outcome
        {
            documents.extend(document.as_deref());
            links.extend(mapped);
        }
    }
    if !documents.is_empty() {
        job.stored_bytes += db.insert_documents(job.id, &documents).await?;
    }
    if !links.is_empty() {
        db.insert_mapped_urls(job.id, &links).await?;
        let bytes: usize = links.iter().map(|link| link.stored_bytes()).sum();
        job.stored_bytes += to_i64(bytes as u64);
    }
    update_tasks(db, job, settlements).await?;
    let fetched = settlements.iter().filter(|one| one.outcome.is_fetched());
    let browser_time: Duration = settlements.iter().map(|one| one.browser_time).sum();
    owner.add(AddedUsage {
        pages: fetched.count() as u64,
        browser_time,
        stored_bytes: job.stored_bytes - stored_before,
    });
    let renders = !browser_time.is_zero();
    if let Some(reason) = owner.exhausted_for(renders) {
        job.stop_early(reason);
    }
    let conclusion = conclude(db, job).await?;
    woken.extend(conclusion.woken);
    if job.is_final() || job.is_stopping() {
        woken.remove_lanes(job.id);
    }
    owner.add_tasks(job.open_tasks - open_before);
    Ok(admitted)
}

/// Writes the tasks themselves, with their fences although the rows are locked: every write about a task has its fence.
async fn update_tasks<T: JobTransaction>(
    db: &mut T,
    job: &mut LockedJob,
    settlements: &[&Settlement],
) -> Result<(), T::Error> {
    let updates: Vec<TaskUpdate<'_>> = settlements
        .iter()
        .map(|settlement| update(settlement, job))
        .collect();
    let written = db.update_tasks(&updates).await?;
    if written != updates.len() as u64 {
        let held = counted(updates.len() as u64, "held task");
        let message = format!("{written} of {held} written");
        return Err(T::inconsistent(message));
    }
    Ok(())
}

/// One task's write; counts it in the job's row.
fn update<'a>(settlement: &'a Settlement, job: &mut LockedJob) -> TaskUpdate<'a> {
    let outcome = &settlement.outcome;
    let (error, reason) = outcome.message();
    let state = outcome.state();
    let bytes = to_i64(outcome.bytes());
    job.bytes += bytes;
    let ended = state != TaskState::Queued;
    job.end_tasks(i64::from(ended));
    if let Some(reason) = reason.filter(|reason| ended && is_trap(reason)) {
        job.traps.add(reason);
    }
    TaskUpdate {
        lease: settlement.lease,
        state,
        error,
        reason,
        bytes,
        sequence: ended.then_some(job.sequence),
        retry_in: match outcome {
            TaskOutcome::Retry { after, .. } | TaskOutcome::Postponed { after, .. } => {
                Some(to_millis(*after))
            }
            TaskOutcome::HandBack => Some(0),
            _ => None,
        },
        handed_back: matches!(
            outcome,
            TaskOutcome::HandBack | TaskOutcome::Postponed { .. }
        ),
        redirects_to: target_key(settlement),
    }
}
