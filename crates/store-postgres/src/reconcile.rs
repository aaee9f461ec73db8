//! The rules once more, for what a crash interrupted and for what only time brings about.

use sqlx::Error;
use store::{Reconciled, StoreError};
use uuid::Uuid;

use crate::fault::fault;
use crate::{PostgresStore, hosts, job_row};

/// Jobs looked at in one round; the next round takes the rest.
const MOST_JOBS: i64 = 500;
/// Hosts looked at in one round; the next round goes on behind them.
const MOST_HOSTS: i64 = 2_000;

pub(crate) async fn reconcile(store: &PostgresStore) -> Result<Reconciled, StoreError> {
    let mut done = Reconciled::default();
    // Those that are to end come first, so that nothing can hide them.
    let ending = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE status IN ('queued', 'running') AND (deadline_at <= now() OR stop_reason IS NOT NULL)
         ORDER BY deadline_at LIMIT $1",
        MOST_JOBS
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    // Those that nothing moves: no task is ready or with a worker, and a level waits or nothing does.
    let stuck = sqlx::query_scalar!(
        "SELECT id FROM jobs j WHERE status IN ('queued', 'running')
         AND NOT EXISTS (
             SELECT 1 FROM crawl_tasks t
             WHERE t.job_id = j.id AND t.status IN ('queued', 'processing') AND NOT t.gated
               AND NOT (t.status = 'queued' AND t.attempt > 0 AND t.not_before > now()))
         AND (EXISTS (SELECT 1 FROM crawl_tasks t WHERE t.job_id = j.id AND t.status = 'queued' AND t.gated)
              OR NOT EXISTS (SELECT 1 FROM crawl_tasks t
                             WHERE t.job_id = j.id AND t.status IN ('queued', 'processing') AND NOT t.gated))
         ORDER BY id LIMIT $1",
        MOST_JOBS
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    // One job that cannot be had now must not keep the others from their end.
    let mut problem = None;
    for id in ending.into_iter().chain(stuck) {
        if let Err(error) = repeat(store, id, &mut done).await {
            problem.get_or_insert(error);
        }
    }
    // Slots that nobody gave back, of hosts that nobody asked for since.
    sqlx::query!("DELETE FROM host_turns WHERE lease_until <= now()")
        .execute(&store.pool)
        .await
        .map_err(fault)?;
    done.woken = wake_forgotten(store).await.map_err(fault)?;
    problem.map_or(Ok(done), |error| Err(fault(error)))
}

/// Hosts that have work and are marked idle, looked for a part at a time.
async fn wake_forgotten(store: &PostgresStore) -> Result<u64, Error> {
    let from = store.swept_hosts();
    let swept = sqlx::query!(
        r#"WITH part AS MATERIALIZED (
               SELECT host_key, idle FROM hosts WHERE host_key > $1 ORDER BY host_key LIMIT $2
           ), forgotten AS MATERIALIZED (
               SELECT host_key FROM hosts h WHERE idle AND host_key IN (SELECT host_key FROM part WHERE idle) AND EXISTS (
                   SELECT 1 FROM crawl_tasks t
                   WHERE t.host_key = h.host_key AND t.status = 'queued' AND NOT t.gated)
               ORDER BY host_key FOR NO KEY UPDATE SKIP LOCKED
           ), woken AS (
               UPDATE hosts h SET idle = false, open_at = GREATEST(now(), h.next_start, h.paused_until)
               FROM forgotten f WHERE h.host_key = f.host_key RETURNING 1
           )
           SELECT (SELECT count(*) FROM part) AS "looked!", (SELECT max(host_key) FROM part) AS last,
                  (SELECT count(*) FROM woken) AS "woken!""#,
        from,
        MOST_HOSTS
    )
    .fetch_one(&store.pool)
    .await?;
    let last = swept.last.filter(|_| swept.looked >= MOST_HOSTS);
    store.set_swept_hosts(last.unwrap_or_default());
    Ok(u64::try_from(swept.woken).unwrap_or(0))
}

async fn repeat(store: &PostgresStore, id: Uuid, done: &mut Reconciled) -> Result<(), Error> {
    let mut told = false;
    loop {
        let mut db = store.pool.begin().await?;
        let Some(mut job) = job_row::lock(&mut db, &[id]).await?.pop() else {
            return Ok(());
        };
        if job.is_final() {
            return Ok(());
        }
        if job.overdue && job.stop_reason.as_deref() != Some("cancelled") {
            job.stop_reason = Some("max_duration".to_owned());
            done.timed_out += u64::from(!told);
            told = true;
        }
        let conclusion = job_row::conclude(&mut db, &mut job).await?;
        done.finished += u64::from(conclusion.finished);
        done.opened += u64::from(conclusion.opened);
        hosts::wake(&mut db, &conclusion.hosts).await?;
        db.commit().await?;
        // What is under way at a limit of bytes ends by itself; everything else is skipped until nothing is left.
        let goes_on = job.stop_reason.is_some_and(|reason| reason != "max_bytes");
        if conclusion.finished || !goes_on {
            return Ok(());
        }
    }
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
