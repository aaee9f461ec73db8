//! Claiming: hosts first, then their tasks, so that a host that is blocked costs nothing.
//!
//! Nothing here waits for a lock. The tasks of a host are counted and taken in statements after its row was locked:
//! a statement sees only what was committed before it began.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use model::Found;
use sqlx::{Error, PgConnection};
use store::{Claimed, Fence, Grants, HostBucket, JobId, LOOKAHEAD, Lease, TaskId, WorkerId};
use uuid::Uuid;
use weburl::HostKey;

use crate::PostgresStore;
use crate::numbers::{to_i64, to_millis, to_u32};

/// No claim takes more: a lease has to outlast the work.
const MOST: usize = 1_000;
/// How often a claim looks on when those first in line had nothing.
const LOOKS: usize = 16;

pub(crate) async fn claim(
    store: &PostgresStore,
    worker: &WorkerId,
    most: usize,
    lease: Duration,
) -> Result<Vec<Claimed>, Error> {
    let most = most.min(MOST);
    if most == 0 {
        return Ok(Vec::new());
    }
    for _ in 0..LOOKS {
        let (claimed, more) = look(store, worker, most, lease).await?;
        if !claimed.is_empty() || !more {
            return Ok(claimed);
        }
    }
    Ok(Vec::new())
}

/// Looks at the hosts that stand first in line. Those that turn out to have nothing leave it; whether there are more.
async fn look(
    store: &PostgresStore,
    worker: &WorkerId,
    most: usize,
    lease: Duration,
) -> Result<(Vec<Claimed>, bool), Error> {
    let mut db = store.pool.begin().await?;
    let begun = Instant::now();
    let open = sqlx::query!(
        r#"SELECT host_key, interval_ms,
                  (extract(epoch FROM GREATEST(next_start, paused_until) - now()) * 1000)::bigint AS "next_start!",
                  wanted_until > now() AS "wanted!"
           FROM hosts WHERE NOT idle AND open_at <= now() + $2 * interval '1 ms'
           ORDER BY open_at, host_key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED"#,
        to_i64(most as u64),
        to_millis(LOOKAHEAD.min(lease)) as f64
    )
    .fetch_all(&mut *db)
    .await?;
    if open.is_empty() {
        return Ok((Vec::new(), false));
    }
    let more = open.len() >= most;
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
    let defaults = store.options.hosts;
    let grants: Vec<Grants> = open
        .iter()
        .map(|host| {
            HostBucket {
                next_start: host.next_start,
                interval: store.options.interval(host.interval_ms),
                most_in_flight: i64::from(defaults.in_flight),
                // Somebody outside of any job waits for a slot: the next one is theirs.
                in_flight: held.get(&host.host_key).copied().unwrap_or(0) + i64::from(host.wanted),
            }
            .grants(most, lease)
        })
        .collect();
    let rooms: Vec<i64> = grants.iter().map(|grant| grant.room).collect();
    let mut claimed = take(&mut db, &names, &rooms, most, worker, lease).await?;
    let places = place(&mut claimed, &names, &grants);
    let taken_from: Vec<bool> = names.iter().map(|name| places.contains_key(name)).collect();
    let next_starts: Vec<i64> = names
        .iter()
        .zip(&grants)
        .map(|(name, grant)| grant.next_start(places.get(name).copied().unwrap_or(0)))
        .collect();
    advance(
        &mut db,
        &names,
        &taken_from,
        &next_starts,
        defaults.in_flight,
    )
    .await?;
    begin_jobs(&mut db, &claimed).await?;
    db.commit().await?;
    let age = begun.elapsed();
    for task in &mut claimed {
        task.age = age;
    }
    Ok((claimed, more))
}

/// Takes up to its room from each host, longest waiting first.
///
/// The picked tasks are an array, not a table to join with: an array is looked up by key however many rows the
/// planner believes the pick to have.
async fn take(
    db: &mut PgConnection,
    names: &[String],
    rooms: &[i64],
    most: usize,
    worker: &WorkerId,
    lease: Duration,
) -> Result<Vec<Claimed>, Error> {
    let suspect = suspect(db, names, worker).await?;
    let taken = sqlx::query!(
        r#"WITH room AS (
               SELECT host_key, room FROM unnest($1::text[], $2::bigint[]) AS r(host_key, room)
           ), picked AS MATERIALIZED (
               SELECT t.id FROM room CROSS JOIN LATERAL (
                   SELECT c.id FROM crawl_tasks c
                   WHERE c.host_key = room.host_key AND c.status = 'queued' AND NOT c.gated
                     AND c.not_before <= now() AND (c.crashes = 0 OR c.id = $6)
                   ORDER BY c.not_before, c.id LIMIT room.room FOR NO KEY UPDATE SKIP LOCKED
               ) t LIMIT $3
           )
           UPDATE crawl_tasks t
           SET status = 'processing', fence = t.fence + 1, attempt = t.attempt + 1, worker = $4,
               lease_until = now() + $5 * interval '1 ms', processing_started_at = now(),
               heartbeat_at = now(), updated_at = now()
           WHERE t.id = ANY (ARRAY(SELECT id FROM picked))
           RETURNING t.id, t.job_id, t.fence, t.attempt, t.requested_url, t.url, t.final_url, t.host_key,
                     t.depth, t.hops, t.via, t.found"#,
        names,
        rooms,
        to_i64(most as u64),
        worker.as_str(),
        to_millis(lease) as f64,
        suspect
    )
    .fetch_all(db)
    .await?;
    Ok(taken
        .into_iter()
        .map(|task| Claimed {
            lease: Lease {
                task: TaskId(task.id),
                fence: Fence(task.fence),
            },
            job: JobId(task.job_id),
            attempt: to_u32(task.attempt),
            requested_url: task.requested_url,
            url: task.url,
            final_url: task.final_url,
            host: HostKey::new(&task.host_key),
            depth: to_u32(task.depth),
            hops: to_u32(task.hops),
            via: task.via,
            found: Found::named(&task.found).unwrap_or(Found::Link),
            delay: Duration::ZERO,
            age: Duration::ZERO,
        })
        .collect())
}

/// The one task of these hosts that was with a worker when that ended, if this worker has no such task already. One at
/// a time, so that the page that ends its workers does not take others with it a second time.
async fn suspect(
    db: &mut PgConnection,
    names: &[String],
    worker: &WorkerId,
) -> Result<Option<i64>, Error> {
    sqlx::query_scalar!(
        "SELECT t.id FROM crawl_tasks t
         WHERE t.status = 'queued' AND NOT t.gated AND t.crashes > 0 AND t.not_before <= now() AND t.host_key = ANY($1)
           AND NOT EXISTS (SELECT 1 FROM crawl_tasks m
                           WHERE m.status = 'processing' AND m.crashes > 0 AND m.worker = $2)
         ORDER BY t.not_before, t.id LIMIT 1",
        names,
        worker.as_str()
    )
    .fetch_optional(db)
    .await
}

/// Says when each task may start; returns how many each host gave.
fn place(claimed: &mut [Claimed], names: &[String], grants: &[Grants]) -> HashMap<String, i64> {
    let grants: HashMap<&str, &Grants> = names.iter().map(String::as_str).zip(grants).collect();
    let mut places: HashMap<String, i64> = HashMap::new();
    claimed.sort_by_key(|task| task.lease.task);
    for task in claimed {
        let place = places.entry(task.host.as_str().to_owned()).or_insert(0);
        if let Some(grant) = grants.get(task.host.as_str()) {
            task.delay = grant.delay(*place);
        }
        *place += 1;
    }
    places
}

/// A job whose first task was claimed is running. One that is locked is being settled or ended, and is left to that.
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

/// Advances the buckets, and says when each host is to be looked at again: never while it has no task (a settlement
/// wakes it), not before a slot can be free, not before its next start.
async fn advance(
    db: &mut PgConnection,
    names: &[String],
    taken_from: &[bool],
    next_starts: &[i64],
    most_in_flight: u32,
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
        i64::from(most_in_flight)
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn renew(
    store: &PostgresStore,
    worker: &WorkerId,
    leases: &[Lease],
    lease: Duration,
) -> Result<Vec<Lease>, Error> {
    let ids: Vec<i64> = leases.iter().map(|lease| lease.task.0).collect();
    let fences: Vec<i64> = leases.iter().map(|lease| lease.fence.0).collect();
    let kept = sqlx::query!(
        "WITH mine AS MATERIALIZED (
             SELECT t.id FROM crawl_tasks t
             JOIN unnest($1::bigint[], $2::bigint[]) AS l(id, fence) ON t.id = l.id AND t.fence = l.fence
             WHERE t.status = 'processing' AND t.worker = $3 ORDER BY t.id FOR NO KEY UPDATE OF t
         )
         UPDATE crawl_tasks t SET lease_until = now() + $4 * interval '1 ms', heartbeat_at = now()
         FROM mine WHERE t.id = mine.id RETURNING t.id, t.fence",
        &ids,
        &fences,
        worker.as_str(),
        to_millis(lease) as f64
    )
    .fetch_all(&store.pool)
    .await?;
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
