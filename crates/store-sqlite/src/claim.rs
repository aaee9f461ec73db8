//! Claiming: hosts first, then their tasks, so that a blocked host costs nothing.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crawler_store::backend::{ALONE_AFTER, Backend, ClaimedRow, MAX_CLAIM, to_i64, to_millis};
use crawler_store::{Claimed, JobId, MAX_START_DELAY, StartSchedule, WorkerId};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqliteConnection};

use crate::sqlite_transaction::SqliteTransaction;
use crate::{SqliteStore, rescue};

/// Minimum number of hosts that a claim checks: some of the first ones may have no work.
const MIN_HOSTS: u64 = 64;

pub(crate) async fn claim(
    store: &SqliteStore,
    worker: &WorkerId,
    max: usize,
    lease: Duration,
) -> Result<Vec<Claimed>, Error> {
    let max = max.min(MAX_CLAIM);
    if max == 0 {
        return Ok(Vec::new());
    }
    let SqliteTransaction { mut db, now } = store.begin().await?;
    let started = Instant::now();
    rescue::take_back_blame(&mut db, worker).await?;
    let suspects = suspects(&mut db, worker, now).await?;
    if suspects.holds_alone {
        // Commits what `take_back_blame` changed.
        db.commit().await?;
        return Ok(Vec::new());
    }
    let horizon = now + to_millis(MAX_START_DELAY.min(lease));
    let limit = to_i64((max as u64).max(MIN_HOSTS));
    let mut open = sqlx::query!(
        r#"SELECT host_key, interval_ms, max(next_start, paused_until) AS "next_start!: i64",
                  wanted_until > ? AS "wanted!: bool"
           FROM hosts WHERE idle = 0 AND open_at <= ? ORDER BY open_at, host_key LIMIT ?"#,
        now,
        horizon,
        limit
    )
    .fetch_all(&mut *db)
    .await?;
    // Hosts with a task to try alone come first, before any other task is taken.
    open.sort_by_key(|host| !suspects.alone.contains_key(&host.host_key));
    let max_in_flight = i64::from(store.options.limits.hosts.in_flight);
    let mut claimed: Vec<Claimed> = Vec::new();
    for host in open {
        if claimed.len() >= max {
            break;
        }
        let held = sqlx::query_scalar!(
            r#"SELECT (SELECT count(*) FROM crawl_tasks
                       WHERE host_key = ?1 AND status = 'processing' AND lease_until > ?2)
                    + (SELECT count(*) FROM host_turns WHERE host_key = ?1 AND lease_until > ?2) AS "held!: i64""#,
            host.host_key,
            now
        )
        .fetch_one(&mut *db)
        .await?;
        // A reserved slot counts as used: a request outside of any job waits for it.
        let used = held + i64::from(host.wanted);
        let next_start = host.next_start - now;
        let bucket = store
            .options
            .limits
            .bucket(host.interval_ms, next_start, used);
        let schedule = bucket.schedule(max - claimed.len(), lease);
        let times = (now, now + to_millis(lease));
        let alone = suspects.alone.get(&host.host_key).copied();
        if alone.is_some() && schedule.count > 0 {
            if !claimed.is_empty() {
                break;
            }
            if holds_tasks(&mut db, worker).await? {
                db.commit().await?;
                return Ok(Vec::new());
            }
        }
        let one = suspects.one.as_ref().filter(|one| one.0 == host.host_key);
        let chosen = (alone, one.map(|one| one.1));
        let taken = take(&mut db, &host.host_key, schedule, worker, times, chosen).await?;
        let count = to_i64(taken.len() as u64);
        claimed.extend(taken);
        let next_start = (count > 0).then(|| now + schedule.next_start(count));
        advance(&mut db, &host.host_key, next_start, max_in_flight, now).await?;
        if alone.is_some() && count > 0 {
            break;
        }
    }
    mark_running(&mut db, &claimed, now).await?;
    db.commit().await?;
    let age = started.elapsed();
    for task in &mut claimed {
        task.age = age;
    }
    Ok(claimed)
}

/// Marks the jobs of the claimed tasks as running.
async fn mark_running(
    db: &mut SqliteConnection,
    claimed: &[Claimed],
    now: i64,
) -> Result<(), Error> {
    let mut jobs: Vec<JobId> = claimed.iter().map(|task| task.job).collect();
    jobs.sort_unstable();
    jobs.dedup();
    for job in jobs {
        let job = job.to_string();
        sqlx::query!(
            "UPDATE jobs SET status = 'running', updated_at = ? WHERE id = ? AND status = 'queued'",
            now,
            job
        )
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

/// Tasks that a crashed worker held.
struct Suspects {
    /// The worker holds a task that is tried alone: it takes no other one meanwhile.
    holds_alone: bool,
    /// By host, the task to try alone.
    alone: HashMap<String, i64>,
    /// A host and its task to try together with tasks that are not suspects.
    one: Option<(String, i64)>,
}

/// The suspects that this worker may claim: one at a time, and alone after [`ALONE_AFTER`] crashes, so that no other task
/// is affected if it crashes its worker again.
async fn suspects(
    db: &mut SqliteConnection,
    worker: &WorkerId,
    now: i64,
) -> Result<Suspects, Error> {
    let name = worker.as_str();
    let held = sqlx::query_scalar!(
        r#"SELECT max(crashes) AS "held: i32" FROM crawl_tasks
           WHERE status = 'processing' AND crashes > 0 AND worker = ?"#,
        name
    )
    .fetch_one(&mut *db)
    .await?;
    let rows = sqlx::query!(
        r#"SELECT host_key, id AS "id!", crashes AS "crashes: i32" FROM crawl_tasks INDEXED BY crawl_tasks_suspect
           WHERE status = 'queued' AND gated = 0 AND crashes > 0 AND not_before <= ?
           ORDER BY not_before, id"#,
        now
    )
    .fetch_all(db)
    .await?;
    let mut suspects = Suspects {
        holds_alone: held.is_some_and(|crashes| crashes >= ALONE_AFTER),
        alone: HashMap::new(),
        one: None,
    };
    for row in rows {
        if row.crashes >= ALONE_AFTER {
            suspects.alone.entry(row.host_key).or_insert(row.id);
        } else if held.is_none() {
            suspects.one.get_or_insert((row.host_key, row.id));
        }
    }
    Ok(suspects)
}

async fn holds_tasks(db: &mut SqliteConnection, worker: &WorkerId) -> Result<bool, Error> {
    let name = worker.as_str();
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks WHERE status = 'processing' AND worker = ?) AS "held!: bool""#,
        name
    )
    .fetch_one(db)
    .await
}

/// Takes tasks of a host that are not suspects, and possibly one suspect; or only the one that is tried alone.
async fn take(
    db: &mut SqliteConnection,
    host: &str,
    schedule: StartSchedule,
    worker: &WorkerId,
    (now, until): (i64, i64),
    (alone, one): (Option<i64>, Option<i64>),
) -> Result<Vec<Claimed>, Error> {
    if schedule.count == 0 {
        return Ok(Vec::new());
    }
    let (name, count) = (worker.as_str(), schedule.count);
    let mut rows = sqlx::query_as!(
        ClaimedRow,
        r#"UPDATE crawl_tasks
           SET status = 'processing', fence = fence + 1, attempt = attempt + 1, worker = ?1, lease_until = ?2,
               processing_started_at = ?3, heartbeat_at = ?3, updated_at = ?3
           WHERE id IN (
               SELECT id FROM crawl_tasks
               WHERE host_key = ?4 AND status = 'queued' AND gated = 0 AND not_before <= ?3
                 AND CASE WHEN ?6 IS NULL THEN crashes = 0 OR id = ?7 ELSE id = ?6 END
               ORDER BY not_before, id LIMIT ?5)
           RETURNING id AS "id!", job_id AS "job_id!: Hyphenated", fence AS "fence!", attempt AS "attempt!",
                     requested_url AS "requested_url!", url AS "url!", final_url AS "final_url!", depth AS "depth!",
                     hops AS "hops!", via, found AS "found!", host_key AS "host_key!", crashes AS "crashes!""#,
        name,
        until,
        now,
        host,
        count,
        alone,
        one
    )
    .fetch_all(db)
    .await?;
    rows.sort_by_key(|row| row.id);
    let claimed = rows.into_iter().zip(0..).map(|(row, position)| Claimed {
        delay: schedule.delay(position),
        ..Claimed::from(row)
    });
    Ok(claimed.collect())
}

/// Advances the bucket and sets when the host is checked again: never while it has no task (a settlement wakes it), not
/// before a slot can be free, not before its next start.
async fn advance(
    db: &mut SqliteConnection,
    host: &str,
    next_start: Option<i64>,
    max_in_flight: i64,
    now: i64,
) -> Result<(), Error> {
    let row = sqlx::query!(
        r#"SELECT (SELECT min(not_before) FROM crawl_tasks
                   WHERE host_key = ?1 AND status = 'queued' AND gated = 0) AS "ready: i64",
                  (SELECT CASE WHEN count(*) >= ?2 THEN min(lease_until) END FROM (
                       SELECT lease_until FROM crawl_tasks
                       WHERE host_key = ?1 AND status = 'processing' AND lease_until > ?3
                       UNION ALL SELECT lease_until FROM host_turns
                       WHERE host_key = ?1 AND lease_until > ?3)) AS "slot_free: i64""#,
        host,
        max_in_flight,
        now
    )
    .fetch_one(&mut *db)
    .await?;
    let idle = row.ready.is_none();
    let not_before = row.ready.unwrap_or(0).max(row.slot_free.unwrap_or(0));
    sqlx::query!(
        "UPDATE hosts SET next_start = coalesce(?1, next_start), idle = ?2,
                          open_at = max(paused_until, coalesce(?1, next_start), ?3)
         WHERE host_key = ?4",
        next_start,
        idle,
        not_before,
        host
    )
    .execute(db)
    .await?;
    Ok(())
}
