//! Claiming: hosts first, then their tasks, so that a host that is blocked costs nothing.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use model::Found;
use sqlx::{Error, SqliteConnection};
use store::{Claimed, Fence, Grants, HostBucket, JobId, LOOKAHEAD, Lease, TaskId, WorkerId};
use uuid::Uuid;
use weburl::HostKey;

use crate::numbers::{narrow, to_i64, to_millis};
use crate::{SqliteStore, writer};

/// No claim takes more: a lease has to outlast the work.
const MOST: usize = 1_000;
/// A claim looks at so many hosts at least.
const LOOKS: u64 = 64;

pub(crate) async fn claim(
    store: &SqliteStore,
    worker: &WorkerId,
    most: usize,
    lease: Duration,
) -> Result<Vec<Claimed>, Error> {
    let most = most.min(MOST);
    if most == 0 {
        return Ok(Vec::new());
    }
    let (mut db, now) = writer::begin(store).await?;
    let begun = Instant::now();
    let mut suspects = may_take_suspect(&mut db, worker).await?;
    let horizon = now + to_millis(LOOKAHEAD.min(lease));
    // Some that stand first in line turn out to have nothing.
    let limit = to_i64((most as u64).max(LOOKS));
    let open = sqlx::query!(
        r#"SELECT host_key, interval_ms, max(next_start, paused_until) AS "next_start!: i64",
                  wanted_until > ? AS "wanted!: bool"
           FROM hosts WHERE idle = 0 AND open_at <= ? ORDER BY open_at, host_key LIMIT ?"#,
        now,
        horizon,
        limit
    )
    .fetch_all(&mut *db)
    .await?;
    let defaults = store.options.hosts;
    let mut claimed: Vec<Claimed> = Vec::new();
    for host in open {
        if claimed.len() >= most {
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
        let grants = HostBucket {
            next_start: host.next_start - now,
            interval: store.options.interval(host.interval_ms),
            most_in_flight: i64::from(defaults.in_flight),
            // Somebody outside of any job waits for a slot: the next one is theirs.
            in_flight: held + i64::from(host.wanted),
        }
        .grants(most - claimed.len(), lease);
        let taken = take(
            &mut db,
            &host.host_key,
            grants,
            worker,
            (now, now + to_millis(lease)),
            &mut suspects,
        )
        .await?;
        let count = to_i64(taken.len() as u64);
        claimed.extend(taken);
        let next_start = (count > 0).then(|| now + grants.next_start(count));
        advance(
            &mut db,
            &host.host_key,
            next_start,
            i64::from(defaults.in_flight),
            now,
        )
        .await?;
    }
    let mut jobs: Vec<JobId> = claimed.iter().map(|task| task.job).collect();
    jobs.sort_unstable();
    jobs.dedup();
    for job in jobs {
        let job = job.0.to_string();
        sqlx::query!(
            "UPDATE jobs SET status = 'running', updated_at = ? WHERE id = ? AND status = 'queued'",
            now,
            job
        )
        .execute(&mut *db)
        .await?;
    }
    db.commit().await?;
    let age = begun.elapsed();
    for task in &mut claimed {
        task.age = age;
    }
    Ok(claimed)
}

/// Whether this worker has no task that was with a worker when that ended. One at a time, so that the page that ends
/// its workers does not take others with it a second time.
async fn may_take_suspect(db: &mut SqliteConnection, worker: &WorkerId) -> Result<bool, Error> {
    let name = worker.as_str();
    let held = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks
                          WHERE status = 'processing' AND crashes > 0 AND worker = ?) AS "held!: i64""#,
        name
    )
    .fetch_one(db)
    .await?;
    Ok(held == 0)
}

async fn take(
    db: &mut SqliteConnection,
    host: &str,
    grants: Grants,
    worker: &WorkerId,
    (now, until): (i64, i64),
    suspects: &mut bool,
) -> Result<Vec<Claimed>, Error> {
    if grants.room == 0 {
        return Ok(Vec::new());
    }
    let (name, room, with_suspect) = (worker.as_str(), grants.room, *suspects);
    let mut rows = sqlx::query!(
        r#"UPDATE crawl_tasks
           SET status = 'processing', fence = fence + 1, attempt = attempt + 1, worker = ?1, lease_until = ?2,
               processing_started_at = ?3, heartbeat_at = ?3, updated_at = ?3
           WHERE id IN (
               SELECT id FROM crawl_tasks
               WHERE host_key = ?4 AND status = 'queued' AND gated = 0 AND not_before <= ?3
                 AND (crashes = 0 OR (?6 AND id = (
                     SELECT id FROM crawl_tasks
                     WHERE host_key = ?4 AND status = 'queued' AND gated = 0 AND crashes > 0 AND not_before <= ?3
                     ORDER BY not_before, id LIMIT 1)))
               ORDER BY not_before, id LIMIT ?5)
           RETURNING id AS "id!", job_id AS "job_id!", fence AS "fence!", attempt AS "attempt!",
                     requested_url AS "requested_url!", url AS "url!", final_url AS "final_url!", depth AS "depth!",
                     hops AS "hops!", via, found AS "found!",
                     crashes AS "crashes!""#,
        name,
        until,
        now,
        host,
        room,
        with_suspect
    )
    .fetch_all(db)
    .await?;
    *suspects &= rows.iter().all(|row| row.crashes == 0);
    rows.sort_by_key(|row| row.id);
    rows.into_iter()
        .zip(0..)
        .map(|(row, place)| {
            Ok(Claimed {
                lease: Lease {
                    task: TaskId(row.id),
                    fence: Fence(row.fence),
                },
                job: JobId(
                    Uuid::parse_str(&row.job_id).map_err(|error| Error::Decode(error.into()))?,
                ),
                attempt: narrow(row.attempt),
                requested_url: row.requested_url,
                url: row.url,
                final_url: row.final_url,
                host: HostKey::new(host),
                depth: narrow(row.depth),
                hops: narrow(row.hops),
                via: row.via,
                found: Found::named(&row.found).unwrap_or(Found::Link),
                delay: grants.delay(place),
                age: Duration::ZERO,
            })
        })
        .collect()
}

/// Advances the bucket, and says when the host is to be looked at again: never while it has no task (a settlement
/// wakes it), not before a slot can be free, not before its next start.
async fn advance(
    db: &mut SqliteConnection,
    host: &str,
    next_start: Option<i64>,
    most_in_flight: i64,
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
        most_in_flight,
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

pub(crate) async fn renew(
    store: &SqliteStore,
    worker: &WorkerId,
    leases: &[Lease],
    lease: Duration,
) -> Result<Vec<Lease>, Error> {
    let (mut db, now) = writer::begin(store).await?;
    let asked: serde_json::Value = leases
        .iter()
        .map(|lease| vec![lease.task.0, lease.fence.0])
        .collect();
    let asked = asked.to_string();
    let (name, until) = (worker.as_str(), now + to_millis(lease));
    let kept = sqlx::query!(
        r#"UPDATE crawl_tasks SET lease_until = ?1, heartbeat_at = ?2
           WHERE status = 'processing' AND worker = ?3
             AND (id, fence) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?4))
           RETURNING id AS "id!", fence AS "fence!""#,
        until,
        now,
        name,
        asked
    )
    .fetch_all(&mut *db)
    .await?;
    db.commit().await?;
    let kept: HashSet<Lease> = kept
        .into_iter()
        .map(|row| Lease {
            task: TaskId(row.id),
            fence: Fence(row.fence),
        })
        .collect();
    Ok(leases
        .iter()
        .filter(|lease| !kept.contains(lease))
        .copied()
        .collect())
}
