//! Claiming: hosts first, then their tasks, so that a blocked host costs nothing.
//!
//! Nothing here waits for a lock. The tasks of a host are counted and taken in statements that begin after its row was
//! locked: a statement sees only what was committed before it began.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crawler_store::backend::{ALONE_AFTER, ClaimedRow, MAX_CLAIM, to_i64, to_millis};
use crawler_store::{Claimed, MAX_START_DELAY, StartSchedule, WorkerId};
use sqlx::{Error, PgConnection};
use uuid::Uuid;

use crate::postgres_transaction::commit;
use crate::{PostgresStore, rescue};

/// Maximum number of batches of hosts that a claim checks.
const MAX_ROUNDS: usize = 16;

pub(crate) async fn claim(
    store: &PostgresStore,
    worker: &WorkerId,
    max: usize,
    lease: Duration,
) -> Result<Vec<Claimed>, Error> {
    let max = max.min(MAX_CLAIM);
    if max == 0 {
        return Ok(Vec::new());
    }
    rescue::take_back_blame(store, worker).await?;
    for _ in 0..MAX_ROUNDS {
        let (claimed, more) = claim_round(store, worker, max, lease).await?;
        if !claimed.is_empty() || !more {
            return Ok(claimed);
        }
    }
    Ok(Vec::new())
}

/// Claims from the hosts that have waited longest; hosts without work are marked idle. Also returns whether there are more.
async fn claim_round(
    store: &PostgresStore,
    worker: &WorkerId,
    max: usize,
    lease: Duration,
) -> Result<(Vec<Claimed>, bool), Error> {
    let mut db = store.pool.begin().await?;
    let started = Instant::now();
    let open = sqlx::query!(
        r#"SELECT host_key, interval_ms,
                  (extract(epoch FROM GREATEST(next_start, paused_until) - now()) * 1000)::bigint AS "next_start!",
                  wanted_until > now() AS "wanted!"
           FROM hosts WHERE NOT idle AND open_at <= now() + $2 * interval '1 ms'
           ORDER BY open_at, host_key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED"#,
        to_i64(max as u64),
        to_millis(MAX_START_DELAY.min(lease)) as f64
    )
    .fetch_all(&mut *db)
    .await?;
    if open.is_empty() {
        return Ok((Vec::new(), false));
    }
    let more = open.len() >= max;
    let names: Vec<String> = open.iter().map(|host| host.host_key.clone()).collect();
    let held = sqlx::query!(
        r#"SELECT host_key AS "host_key!", count(*) AS "held!" FROM (
               SELECT host_key FROM crawl_tasks
               WHERE host_key = ANY($1) AND status = 'processing' AND lease_until > now()
               UNION ALL SELECT host_key FROM host_turns WHERE host_key = ANY($1) AND lease_until > now()
           ) slots GROUP BY host_key"#,
        &names
    )
    .fetch_all(&mut *db)
    .await?;
    let held: HashMap<String, i64> = held
        .into_iter()
        .map(|row| (row.host_key, row.held))
        .collect();
    let schedules: Vec<StartSchedule> = open
        .iter()
        .map(|host| {
            // A reserved slot counts as used: a request outside of any job waits for it.
            let used = held.get(&host.host_key).copied().unwrap_or(0) + i64::from(host.wanted);
            let bucket = store
                .options
                .limits
                .bucket(host.interval_ms, host.next_start, used);
            bucket.schedule(max, lease)
        })
        .collect();
    let open_names = names.iter().zip(&schedules);
    let open_names: Vec<String> = open_names
        .filter(|(_, schedule)| schedule.count > 0)
        .map(|(name, _)| name.clone())
        .collect();
    let Some(suspects) = suspects(&mut db, &open_names, worker).await? else {
        return Ok((Vec::new(), false));
    };
    let counts: Vec<i64> = schedules.iter().map(|schedule| schedule.count).collect();
    let mut claimed = take(&mut db, &names, &counts, max, worker, lease, &suspects).await?;
    let taken = set_delays(&mut claimed, &names, &schedules);
    let taken_from: Vec<bool> = names.iter().map(|name| taken.contains_key(name)).collect();
    let next_starts: Vec<i64> = names
        .iter()
        .zip(&schedules)
        .map(|(name, schedule)| schedule.next_start(taken.get(name).copied().unwrap_or(0)))
        .collect();
    let max_in_flight = i64::from(store.options.limits.hosts.in_flight);
    advance(&mut db, &names, &taken_from, &next_starts, max_in_flight).await?;
    begin_jobs(&mut db, &claimed).await?;
    commit(db).await?;
    let age = started.elapsed();
    for task in &mut claimed {
        task.age = age;
    }
    Ok((claimed, more))
}

/// Takes up to `counts` tasks from each host, longest waiting first, or only the suspect that is tried alone.
///
/// The picked tasks are an array, not a table to join with: an array is looked up by key however many rows the planner
/// expects.
async fn take(
    db: &mut PgConnection,
    names: &[String],
    counts: &[i64],
    max: usize,
    worker: &WorkerId,
    lease: Duration,
    suspects: &Suspects,
) -> Result<Vec<Claimed>, Error> {
    let taken = sqlx::query_as!(
        ClaimedRow,
        r#"WITH room AS (
               SELECT host_key, room FROM unnest($1::text[], $2::bigint[]) AS r(host_key, room)
           ), picked AS MATERIALIZED (
               SELECT t.id FROM room CROSS JOIN LATERAL (
                   SELECT c.id FROM crawl_tasks c
                   WHERE c.host_key = room.host_key AND c.status = 'queued' AND NOT c.gated
                     AND c.not_before <= now() AND CASE WHEN $6::bigint IS NULL THEN c.crashes = 0 OR c.id = $7 ELSE c.id = $6 END
                   ORDER BY c.not_before, c.id LIMIT room.room FOR NO KEY UPDATE SKIP LOCKED
               ) t LIMIT $3
           )
           UPDATE crawl_tasks t
           SET status = 'processing', fence = t.fence + 1, attempt = t.attempt + 1, worker = $4,
               lease_until = now() + $5 * interval '1 ms', processing_started_at = now(),
               heartbeat_at = now(), updated_at = now()
           WHERE t.id = ANY (ARRAY(SELECT id FROM picked))
           RETURNING t.id, t.job_id, t.fence, t.attempt, t.crashes, t.requested_url, t.url, t.final_url, t.host_key,
                     t.depth, t.hops, t.via, t.found"#,
        names,
        counts,
        to_i64(max as u64),
        worker.as_str(),
        to_millis(lease) as f64,
        suspects.alone,
        suspects.one
    )
    .fetch_all(db)
    .await?;
    Ok(taken.into_iter().map(Claimed::from).collect())
}

/// Which tasks of crashed workers a claim may take.
struct Suspects {
    /// This task, and no other.
    alone: Option<i64>,
    /// This task, together with tasks that are not suspects.
    one: Option<i64>,
}

/// The suspects of these hosts that this worker may claim: one at a time, and alone after [`ALONE_AFTER`] crashes, so that no
/// other task is affected if it crashes its worker again. `None` if the worker must claim nothing now: it holds a task
/// that is tried alone, or has to finish others first.
async fn suspects(
    db: &mut PgConnection,
    names: &[String],
    worker: &WorkerId,
) -> Result<Option<Suspects>, Error> {
    let found = sqlx::query!(
        r#"SELECT (SELECT max(m.crashes) FROM crawl_tasks m
                   WHERE m.status = 'processing' AND m.crashes > 0 AND m.worker = $2) AS held,
                  (SELECT t.id FROM crawl_tasks t
                   WHERE t.status = 'queued' AND NOT t.gated AND t.crashes > 0 AND t.crashes >= $3
                     AND t.not_before <= now() AND t.host_key = ANY($1)
                   ORDER BY t.not_before, t.id LIMIT 1) AS alone,
                  (SELECT t.id FROM crawl_tasks t
                   WHERE t.status = 'queued' AND NOT t.gated AND t.crashes > 0 AND t.crashes < $3
                     AND t.not_before <= now() AND t.host_key = ANY($1)
                   ORDER BY t.not_before, t.id LIMIT 1) AS one"#,
        names,
        worker.as_str(),
        ALONE_AFTER
    )
    .fetch_one(&mut *db)
    .await?;
    if found.held.is_some_and(|crashes| crashes >= ALONE_AFTER)
        || found.alone.is_some() && holds_tasks(db, worker).await?
    {
        return Ok(None);
    }
    Ok(Some(Suspects {
        alone: found.alone,
        one: found.one.filter(|_| found.held.is_none()),
    }))
}

async fn holds_tasks(db: &mut PgConnection, worker: &WorkerId) -> Result<bool, Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks WHERE status = 'processing' AND worker = $1) AS "held!""#,
        worker.as_str()
    )
    .fetch_one(db)
    .await
}

/// Sets the delay of each task; returns how many tasks each host gave.
fn set_delays(
    claimed: &mut [Claimed],
    names: &[String],
    schedules: &[StartSchedule],
) -> HashMap<String, i64> {
    let schedules: HashMap<&str, &StartSchedule> =
        names.iter().map(String::as_str).zip(schedules).collect();
    let mut taken: HashMap<String, i64> = HashMap::new();
    claimed.sort_by_key(|task| task.lease.task);
    for task in claimed {
        let position = taken.entry(task.host.as_str().to_owned()).or_insert(0);
        if let Some(schedule) = schedules.get(task.host.as_str()) {
            task.delay = schedule.delay(*position);
        }
        *position += 1;
    }
    taken
}

/// Marks jobs as running. A locked one is being settled or ended, and that transaction will mark it.
async fn begin_jobs(db: &mut PgConnection, claimed: &[Claimed]) -> Result<(), Error> {
    let mut jobs: Vec<Uuid> = claimed.iter().map(|task| task.job.0).collect();
    jobs.sort_unstable();
    jobs.dedup();
    if jobs.is_empty() {
        return Ok(());
    }
    sqlx::query!(
            "UPDATE jobs SET status = 'running', updated_at = now() WHERE id IN (
                 SELECT id FROM jobs WHERE id = ANY($1) AND status = 'queued' FOR NO KEY UPDATE SKIP LOCKED)",
            &jobs
        )
        .execute(db)
        .await?;
    Ok(())
}

/// Advances the buckets and sets when each host is checked again: never while it has no task (a settlement wakes it), not
/// before a slot can be free, not before its next start.
async fn advance(
    db: &mut PgConnection,
    names: &[String],
    taken_from: &[bool],
    next_starts: &[i64],
    max_in_flight: i64,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE hosts h
         SET next_start = CASE WHEN n.taken THEN n.next_start ELSE h.next_start END,
             idle = n.ready IS NULL,
             open_at = GREATEST(h.paused_until, CASE WHEN n.taken THEN n.next_start ELSE h.next_start END,
                                n.ready, n.slot_free)
         FROM (
             SELECT u.host_key, u.taken, now() + u.millis * interval '1 ms' AS next_start,
                    (SELECT min(t.not_before) FROM crawl_tasks t
                     WHERE t.host_key = u.host_key AND t.status = 'queued' AND NOT t.gated) AS ready,
                    (SELECT CASE WHEN count(*) >= $4 THEN min(s.lease_until) END FROM (
                         SELECT t.lease_until FROM crawl_tasks t
                         WHERE t.host_key = u.host_key AND t.status = 'processing' AND t.lease_until > now()
                         UNION ALL SELECT o.lease_until FROM host_turns o
                         WHERE o.host_key = u.host_key AND o.lease_until > now()) s) AS slot_free
             FROM unnest($1::text[], $2::boolean[], $3::bigint[]) AS u(host_key, taken, millis)
         ) n WHERE h.host_key = n.host_key",
        names,
        taken_from,
        next_starts,
        max_in_flight
    )
    .execute(db)
    .await?;
    Ok(())
}
