//! The rules once more, for what a crash interrupted and for what only time brings about.

use sqlx::Error;
use store::{Reconciled, StoreError};

use crate::fault::fault;
use crate::{SqliteStore, hosts, job_row, writer};

/// Jobs looked at in one round; the next round takes the rest.
const MOST_JOBS: i64 = 500;
/// Hosts looked at in one round; the next round goes on behind them.
const MOST_HOSTS: i64 = 2_000;

pub(crate) async fn reconcile(store: &SqliteStore) -> Result<Reconciled, StoreError> {
    let mut done = Reconciled::default();
    // One job that cannot be had now must not keep the others from their end.
    let mut problem = None;
    for id in due(store).await.map_err(fault)? {
        if let Err(error) = repeat(store, &id, &mut done).await {
            problem.get_or_insert(error);
        }
    }
    done.woken = wake_forgotten(store).await.map_err(fault)?;
    problem.map_or(Ok(done), |error| Err(fault(error)))
}

/// Those that are to end, first, so that nothing can hide them; and those that nothing moves: no task is ready or with
/// a worker, and a level waits or nothing does.
async fn due(store: &SqliteStore) -> Result<Vec<String>, Error> {
    let mut db = store.readers.acquire().await?;
    let now = writer::clock(&mut db).await?;
    let mut ids = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE status IN ('queued', 'running') AND (deadline_at <= ?1 OR stop_reason IS NOT NULL)
         ORDER BY deadline_at LIMIT ?2",
        now,
        MOST_JOBS
    )
    .fetch_all(&mut *db)
    .await?;
    let stuck = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE status IN ('queued', 'running')
         AND NOT EXISTS (
             SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
             WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing') AND t.gated = 0
               AND NOT (t.status = 'queued' AND t.attempt > 0 AND t.not_before > ?1))
         AND (EXISTS (SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
                      WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing') AND t.gated = 1)
              OR NOT EXISTS (SELECT 1 FROM crawl_tasks t INDEXED BY crawl_tasks_open
                             WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing')))
         ORDER BY id LIMIT ?2",
        now,
        MOST_JOBS
    )
    .fetch_all(&mut *db)
    .await?;
    ids.extend(stuck);
    Ok(ids)
}

async fn repeat(store: &SqliteStore, id: &str, done: &mut Reconciled) -> Result<(), Error> {
    let mut told = false;
    loop {
        let (mut db, now) = writer::begin(store).await?;
        let Some(mut job) = job_row::read(&mut db, id).await? else {
            return Ok(());
        };
        if job.is_final() {
            return Ok(());
        }
        let overdue = job.deadline_at.is_some_and(|deadline| deadline <= now);
        if overdue && job.stop_reason.as_deref() != Some("cancelled") {
            job.stop_reason = Some("max_duration".to_owned());
            done.timed_out += u64::from(!told);
            told = true;
        }
        let conclusion = job_row::conclude(&mut db, &mut job, now).await?;
        done.finished += u64::from(conclusion.finished);
        done.opened += u64::from(conclusion.opened);
        hosts::wake(&mut db, &conclusion.hosts, now).await?;
        db.commit().await?;
        // What is under way at a limit of bytes ends by itself; everything else is skipped until nothing is left.
        let goes_on = job.stop_reason.is_some_and(|reason| reason != "max_bytes");
        if conclusion.finished || !goes_on {
            return Ok(());
        }
    }
}

/// Hosts that have work and are marked idle, looked for a part at a time; and slots that nobody gave back.
async fn wake_forgotten(store: &SqliteStore) -> Result<u64, Error> {
    let (mut db, now) = writer::begin(store).await?;
    sqlx::query!("DELETE FROM host_turns WHERE lease_until <= ?", now)
        .execute(&mut *db)
        .await?;
    let from = store.swept_hosts();
    let part = sqlx::query_scalar!(
        "SELECT host_key FROM hosts WHERE host_key > ? ORDER BY host_key LIMIT ?",
        from,
        MOST_HOSTS
    )
    .fetch_all(&mut *db)
    .await?;
    let last = part.last().cloned().unwrap_or_default();
    let woken = sqlx::query!(
        "UPDATE hosts SET idle = 0, open_at = max(?1, next_start, paused_until)
         WHERE host_key > ?2 AND host_key <= ?3 AND idle = 1 AND EXISTS (
             SELECT 1 FROM crawl_tasks t
             WHERE t.host_key = hosts.host_key AND t.status = 'queued' AND t.gated = 0)",
        now,
        from,
        last
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    db.commit().await?;
    let whole = i64::try_from(part.len()).unwrap_or(i64::MAX) < MOST_HOSTS;
    store.set_swept_hosts(if whole { String::new() } else { last });
    Ok(woken)
}
