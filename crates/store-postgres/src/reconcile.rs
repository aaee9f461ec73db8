//! The rules once more, for what a crash interrupted and for what only time brings about.

use sqlx::Error;
use store::{Reconciled, StoreError};
use uuid::Uuid;

use crate::fault::fault;
use crate::{PostgresStore, hosts, job_row};

/// Jobs looked at in one round; the next round takes the rest.
const MOST_JOBS: i64 = 500;

pub(crate) async fn reconcile(store: &PostgresStore) -> Result<Reconciled, StoreError> {
    let mut done = Reconciled::default();
    let due = sqlx::query_scalar!(
        "SELECT id FROM jobs j WHERE status IN ('queued', 'running')
         AND (deadline_at <= now() OR NOT EXISTS (
             SELECT 1 FROM crawl_tasks t
             WHERE t.job_id = j.id AND t.status IN ('queued', 'processing') AND NOT t.gated
               AND NOT (t.status = 'queued' AND t.attempt > 0 AND t.not_before > now())))
         ORDER BY id LIMIT $1",
        MOST_JOBS
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    for id in due {
        repeat(store, id, &mut done).await.map_err(fault)?;
    }
    // Slots that nobody gave back, of hosts that nobody asked for since.
    sqlx::query!("DELETE FROM host_turns WHERE lease_until <= now()")
        .execute(&store.pool)
        .await
        .map_err(fault)?;
    done.woken = sqlx::query!(
        "WITH forgotten AS MATERIALIZED (
             SELECT host_key FROM hosts h WHERE idle AND EXISTS (
                 SELECT 1 FROM crawl_tasks t
                 WHERE t.host_key = h.host_key AND t.status = 'queued' AND NOT t.gated)
             ORDER BY host_key FOR NO KEY UPDATE SKIP LOCKED
         )
         UPDATE hosts h SET idle = false, open_at = GREATEST(h.next_start, h.paused_until)
         FROM forgotten f WHERE h.host_key = f.host_key"
    )
    .execute(&store.pool)
    .await
    .map_err(fault)?
    .rows_affected();
    Ok(done)
}

async fn repeat(store: &PostgresStore, id: Uuid, done: &mut Reconciled) -> Result<(), Error> {
    let mut db = store.pool.begin().await?;
    let Some(mut job) = job_row::lock(&mut db, &[id]).await?.pop() else {
        return Ok(());
    };
    if job.is_final() {
        return Ok(());
    }
    let mut woken = std::collections::BTreeSet::new();
    if job.overdue {
        job.stop_reason = Some("max_duration".to_owned());
        woken = job_row::skip_rest(&mut db, &mut job, "max_duration", true).await?;
        done.timed_out += 1;
    }
    let conclusion = job_row::conclude(&mut db, &mut job).await?;
    done.finished += u64::from(conclusion.finished);
    done.opened += u64::from(conclusion.opened);
    woken.extend(conclusion.hosts);
    hosts::wake(&mut db, &woken).await?;
    db.commit().await
}

/// Fails a job's poisoned tasks, under its lock.
pub(crate) async fn fail_poisoned(
    store: &PostgresStore,
    id: Uuid,
    most_crashes: i32,
) -> Result<u64, Error> {
    let mut db = store.pool.begin().await?;
    let Some(mut job) = job_row::lock(&mut db, &[id]).await?.pop() else {
        return Ok(0);
    };
    let failed = sqlx::query!(
        "WITH poisoned AS MATERIALIZED (
             SELECT id FROM crawl_tasks
             WHERE job_id = $1 AND status = 'processing' AND lease_until <= now() AND crashes >= $2
             ORDER BY id FOR NO KEY UPDATE
         ), numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM poisoned)
         UPDATE crawl_tasks t
         SET status = 'failed', reason = 'poisoned', error = 'its worker ended before it did, ' || t.crashes || ' times',
             sequence = $3 + n.place, worker = NULL, lease_until = NULL, updated_at = now()
         FROM numbered n WHERE t.id = n.id",
        id,
        most_crashes,
        job.sequence
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    job.sequence += i64::try_from(failed).unwrap_or(0);
    let conclusion = job_row::conclude(&mut db, &mut job).await?;
    hosts::wake(&mut db, &conclusion.hosts).await?;
    db.commit().await?;
    Ok(failed)
}
