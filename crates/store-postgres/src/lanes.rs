//! Lanes: the queue of one job at one host, as a row that says when a claim should check it.
//!
//! Tasks are added and their lane is woken in one transaction. A claim deletes a lane that has no task left, unless it was
//! woken after the claim read it; the number of wake-ups is compared with the newest version of the row, so neither
//! misses the other, and no lock is held in between.

use crawler_store::backend::{
    ClaimLane, CrowdedHost, LaneRow, LaneSearch, MAX_CROWDED_LANES, OpenJob, PostponedLane, Woken,
    to_millis,
};
use crawler_store::{ClaimRoom, JobId, MAX_START_DELAY};
use sqlx::{Error, PgConnection};
use uuid::Uuid;

use crate::PostgresStore;

/// Of the hosts that a claim finds, this many times as many as it can lock are tried: claims of other processes that search
/// at the same moment find the same ones and have locked some.
const SPARE_HOSTS: usize = 4;

/// Finds the lanes that a claim takes from.
pub(crate) async fn search(
    store: &PostgresStore,
    db: &mut PgConnection,
    jobs: Vec<OpenJob>,
    room: &ClaimRoom,
    horizon: f64,
) -> Result<LaneSearch, Error> {
    let mut search = LaneSearch::of(&store.shares, jobs, room.max);
    while let Some(part) = search.next_part() {
        let jobs: Vec<Uuid> = part.jobs.iter().map(|job| job.0).collect();
        // With the limits inside, each job's lanes and each lane's host are looked up by key, however many rows the
        // planner expects.
        let rows = sqlx::query_as!(
            LaneRow,
            r#"SELECT j.place - 1 AS "place!", l.host_key, l.woken, h.open_at <= now() + $3 * interval '1 ms' AS "open!",
                      ceil(extract(epoch FROM GREATEST(h.next_start, h.paused_until) - now()) * 1000 - $3)::bigint AS "opens_in!"
               FROM unnest($1::uuid[]) WITH ORDINALITY AS j(id, place)
               CROSS JOIN LATERAL (
                   SELECT m.host_key, m.woken, m.not_before FROM job_hosts m
                   WHERE m.job_id = j.id AND m.not_before <= now() ORDER BY m.not_before, m.host_key LIMIT $2
               ) l
               CROSS JOIN LATERAL (SELECT * FROM hosts o WHERE o.host_key = l.host_key LIMIT 1) h
               ORDER BY j.place, l.not_before, l.host_key"#,
            &jobs,
            part.lanes,
            horizon
        )
        .fetch_all(&mut *db)
        .await?;
        search.add(rows);
    }
    search.choose(&store.shares, room.max * SPARE_HOSTS, room);
    Ok(search)
}

/// The columns of postponed lanes.
fn postponed_columns(lanes: &[PostponedLane]) -> (Vec<Uuid>, Vec<String>, Vec<i64>) {
    let jobs = lanes.iter().map(|lane| lane.job.0).collect();
    let hosts = lanes.iter().map(|lane| lane.host.clone()).collect();
    let millis = lanes.iter().map(|lane| lane.millis).collect();
    (jobs, hosts, millis)
}

/// Postpones the lanes of hosts that too many wait for.
pub(crate) async fn postpone_crowds(
    db: &mut PgConnection,
    crowded: &[CrowdedHost],
) -> Result<(), Error> {
    if crowded.is_empty() {
        return Ok(());
    }
    let hosts: Vec<String> = crowded.iter().map(|one| one.host.clone()).collect();
    let millis: Vec<i64> = crowded.iter().map(|one| one.millis).collect();
    let first = crowded.iter().flat_map(|one| &one.first);
    let first: Vec<Uuid> = first.map(|job| job.0).collect();
    sqlx::query!(
        "WITH postponed AS MATERIALIZED (
             SELECT l.job_id, l.host_key, n.millis FROM unnest($1::text[], $2::bigint[]) AS n(host_key, millis)
             CROSS JOIN LATERAL (
                 SELECT m.job_id, m.host_key FROM job_hosts m
                 WHERE m.host_key = n.host_key AND m.not_before <= now() AND m.job_id <> ALL($3)
                 LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED
             ) l LIMIT $4
         )
         UPDATE job_hosts l SET not_before = now() + p.millis * interval '1 ms'
         FROM postponed p WHERE l.host_key = p.host_key AND l.job_id = p.job_id",
        &hosts,
        &millis,
        &first,
        MAX_CROWDED_LANES
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Postpones lanes that keep searches from finding others. A locked one is being woken.
pub(crate) async fn postpone(db: &mut PgConnection, lanes: &[PostponedLane]) -> Result<(), Error> {
    if lanes.is_empty() {
        return Ok(());
    }
    let (jobs, hosts, millis) = postponed_columns(lanes);
    sqlx::query!(
        "WITH postponed AS MATERIALIZED (
             SELECT l.job_id, l.host_key, n.millis FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS n(job_id, host_key, millis)
             JOIN job_hosts l ON l.host_key = n.host_key AND l.job_id = n.job_id
             FOR NO KEY UPDATE OF l SKIP LOCKED
         )
         UPDATE job_hosts l SET not_before = now() + p.millis * interval '1 ms'
         FROM postponed p WHERE l.host_key = p.host_key AND l.job_id = p.job_id",
        &jobs,
        &hosts,
        &millis
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Puts the lanes that a claim took from behind the others of their jobs, or deletes them if they are empty; returns
/// whether one was empty or waits for later. Postpones others.
pub(crate) async fn advance(
    db: &mut PgConnection,
    lanes: &[(ClaimLane<'_>, (i64, bool))],
    postponed: &[PostponedLane],
) -> Result<bool, Error> {
    postpone(&mut *db, postponed).await?;
    if lanes.is_empty() {
        return Ok(false);
    }
    let jobs: Vec<Uuid> = lanes.iter().map(|(lane, _)| lane.job.id.0).collect();
    let hosts: Vec<String> = lanes.iter().map(|(lane, _)| lane.host.to_owned()).collect();
    let (woken, others): (Vec<i64>, Vec<bool>) = lanes.iter().map(|(_, marks)| *marks).unzip();
    let changed = sqlx::query!(
        r#"WITH checked AS MATERIALIZED (
               SELECT l.job_id, l.host_key, r.ready, GREATEST(r.ready, now(), h.next_start - $5 * interval '1 ms') AS next,
                      r.ready > now() AS later, n.others
               FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::boolean[]) AS n(job_id, host_key, woken, others)
               CROSS JOIN LATERAL (
                   SELECT min(t.not_before) AS ready FROM crawl_tasks t
                   WHERE t.job_id = n.job_id AND t.host_key = n.host_key AND t.status = 'queued' AND NOT t.gated
               ) r
               CROSS JOIN LATERAL (SELECT o.next_start FROM hosts o WHERE o.host_key = n.host_key LIMIT 1) h
               JOIN job_hosts l ON l.host_key = n.host_key AND l.job_id = n.job_id AND l.woken = n.woken
               WHERE r.ready IS NULL OR r.ready > now() OR n.others
               FOR NO KEY UPDATE OF l SKIP LOCKED
           ), emptied AS (
               DELETE FROM job_hosts l USING checked c
               WHERE l.host_key = c.host_key AND l.job_id = c.job_id AND c.ready IS NULL RETURNING 1
           ), moved AS (
               UPDATE job_hosts l SET not_before = c.next FROM checked c
               WHERE l.host_key = c.host_key AND l.job_id = c.job_id AND c.ready IS NOT NULL
           )
           SELECT (SELECT count(*) FROM emptied)
                  + (SELECT count(*) FROM checked WHERE later) AS "changed!""#,
        &jobs,
        &hosts,
        &woken,
        &others,
        to_millis(MAX_START_DELAY) as f64
    )
    .fetch_one(db)
    .await?;
    Ok(changed.changed > 0)
}

/// Wakes lanes, and hosts that have a free slot, and deletes lanes without tasks. Lanes come before hosts, both sorted: so
/// two transactions never wait for each other.
///
/// A host is changed only if it is blocked by its slots, or was not used recently (deleting it checks that). But its row
/// is always locked: a claim that found no free slot wrote that under the same lock, so neither can miss the other.
pub(crate) async fn wake(db: &mut PgConnection, woken: &Woken) -> Result<(), Error> {
    if woken.is_empty() {
        return Ok(());
    }
    let columns = |(job, host): &(JobId, String)| (job.0, host.clone());
    let (jobs, hosts): (Vec<Uuid>, Vec<String>) = woken.lanes.iter().map(columns).unzip();
    if !woken.closed.is_empty() {
        let (closed_jobs, closed_hosts): (Vec<Uuid>, Vec<String>) =
            woken.closed_lanes().map(columns).unzip();
        // Those that are woken are locked as well: all in one order.
        sqlx::query!(
            "WITH locked AS MATERIALIZED (
                 SELECT l.job_id, l.host_key, n.closed
                 FROM (SELECT job_id, host_key, true AS closed FROM unnest($1::uuid[], $2::text[]) AS c(job_id, host_key)
                       UNION ALL
                       SELECT job_id, host_key, false FROM unnest($3::uuid[], $4::text[]) AS w(job_id, host_key)) n
                 JOIN job_hosts l ON l.host_key = n.host_key AND l.job_id = n.job_id
                 ORDER BY l.job_id, l.host_key FOR UPDATE OF l
             )
             DELETE FROM job_hosts l USING locked d
             WHERE d.closed AND l.host_key = d.host_key AND l.job_id = d.job_id",
            &closed_jobs,
            &closed_hosts,
            &jobs,
            &hosts
        )
        .execute(&mut *db)
        .await?;
    }
    let all: Vec<String> = woken.all_hosts().into_iter().map(str::to_owned).collect();
    sqlx::query!(
        "WITH lanes AS (
             INSERT INTO job_hosts (job_id, host_key)
             SELECT job_id, host_key FROM unnest($1::uuid[], $2::text[]) AS n(job_id, host_key) ORDER BY job_id, host_key
             ON CONFLICT (host_key, job_id) DO UPDATE
             SET not_before = LEAST(job_hosts.not_before, now()), woken = job_hosts.woken + 1
             RETURNING 1
         )
         INSERT INTO hosts (host_key, open_at)
         SELECT host, now() FROM unnest($3::text[]) AS n(host) WHERE (SELECT count(*) FROM lanes) >= 0 ORDER BY host
         ON CONFLICT (host_key) DO UPDATE
         SET open_at = GREATEST(now(), hosts.next_start, hosts.paused_until)
         WHERE hosts.open_at > GREATEST(now(), hosts.next_start, hosts.paused_until)
            OR hosts.open_at < now() - interval '1 minute'",
        &jobs,
        &hosts,
        &all
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Creates the missing lanes and hosts of a part of the queued tasks, and sets lanes whose host is open to their first ready
/// task: a process that requeues tasks may end before it wakes their lanes. Returns the number of lanes, and the last job and
/// host if there may be more.
pub(crate) async fn restore(
    store: &PostgresStore,
    after: (JobId, String),
    max: i64,
) -> Result<(i64, Option<(JobId, String)>), Error> {
    let swept = sqlx::query!(
        r#"WITH RECURSIVE pairs AS (
               (SELECT job_id, host_key FROM crawl_tasks
                WHERE status = 'queued' AND NOT gated AND (job_id, host_key) > ($1, $2) ORDER BY job_id, host_key LIMIT 1)
               UNION ALL
               SELECT n.job_id, n.host_key FROM pairs p CROSS JOIN LATERAL (
                   SELECT t.job_id, t.host_key FROM crawl_tasks t
                   WHERE t.status = 'queued' AND NOT t.gated AND (t.job_id, t.host_key) > (p.job_id, p.host_key)
                   ORDER BY t.job_id, t.host_key LIMIT 1) n
           ), part AS MATERIALIZED (
               SELECT job_id, host_key FROM pairs LIMIT $3
           ), lost AS MATERIALIZED (
               SELECT job_id, host_key FROM part p
               WHERE NOT EXISTS (SELECT 1 FROM job_hosts l WHERE l.host_key = p.host_key AND l.job_id = p.job_id)
                  OR NOT EXISTS (SELECT 1 FROM hosts h WHERE h.host_key = p.host_key)
           ), created AS (
               INSERT INTO job_hosts (job_id, host_key) SELECT job_id, host_key FROM lost ORDER BY job_id, host_key
               ON CONFLICT DO NOTHING RETURNING 1
           ), hosts_created AS (
               INSERT INTO hosts (host_key) SELECT DISTINCT host_key FROM lost ORDER BY host_key ON CONFLICT DO NOTHING
           ), late AS MATERIALIZED (
               SELECT l.job_id, l.host_key, GREATEST(r.ready, now()) AS ready FROM part p
               JOIN job_hosts l ON l.host_key = p.host_key AND l.job_id = p.job_id
               CROSS JOIN LATERAL (SELECT o.open_at FROM hosts o WHERE o.host_key = p.host_key LIMIT 1) h
               CROSS JOIN LATERAL (
                   SELECT min(t.not_before) AS ready FROM crawl_tasks t
                   WHERE t.job_id = p.job_id AND t.host_key = p.host_key AND t.status = 'queued' AND NOT t.gated
               ) r
               WHERE h.open_at <= now() AND l.not_before > GREATEST(r.ready, now())
               FOR NO KEY UPDATE OF l SKIP LOCKED
           ), pulled AS (
               UPDATE job_hosts l SET not_before = d.ready, woken = l.woken + 1
               FROM late d WHERE l.host_key = d.host_key AND l.job_id = d.job_id
           )
           SELECT (SELECT count(*) FROM part) AS "looked!", (SELECT count(*) FROM created) AS "created!",
                  (SELECT job_id FROM part ORDER BY job_id DESC, host_key DESC LIMIT 1) AS job,
                  (SELECT host_key FROM part ORDER BY job_id DESC, host_key DESC LIMIT 1) AS host"#,
        after.0.0,
        after.1,
        max
    )
    .fetch_one(&store.pool)
    .await?;
    let last = swept
        .job
        .zip(swept.host)
        .filter(|_| swept.looked >= max)
        .map(|(job, host)| (JobId(job), host));
    Ok((swept.created, last))
}
