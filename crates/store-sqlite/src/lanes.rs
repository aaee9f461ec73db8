//! Lanes: the queue of one job at one host, as a row that says when a claim should check it.

use crawler_store::backend::{
    ClaimLane, LaneRow, LaneSearch, MAX_CROWDED_LANES, MAX_LANES_PER_ROUND, SearchPart, Woken,
    to_millis,
};
use crawler_store::{JobId, MAX_START_DELAY};
use serde_json::{Value, json};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqliteConnection};

/// The longest waiting lanes of each of these jobs.
pub(crate) async fn of_jobs(
    db: &mut SqliteConnection,
    part: &SearchPart,
    now: i64,
    horizon: i64,
) -> Result<Vec<LaneRow>, Error> {
    let jobs: Vec<String> = part.jobs.iter().map(ToString::to_string).collect();
    let jobs = json!(jobs).to_string();
    let rows = sqlx::query!(
        r#"SELECT n.key + 0 AS "place!: i64", l.host_key, h.open_at <= ?2 + ?4 AS "open!: bool",
                  max(h.next_start, h.paused_until) - ?2 - ?4 AS "opens_in!: i64"
           FROM json_each(?1) n CROSS JOIN job_hosts l CROSS JOIN hosts h
           WHERE l.rowid IN (
               SELECT m.rowid FROM job_hosts m INDEXED BY job_hosts_waiting
               WHERE m.job_id = n.value AND m.not_before <= ?2 ORDER BY m.not_before, m.host_key LIMIT ?3)
             AND h.host_key = l.host_key
           ORDER BY n.key, l.not_before, l.host_key"#,
        jobs,
        now,
        part.lanes,
        horizon
    )
    .fetch_all(db)
    .await?;
    let lanes = rows.into_iter().map(|row| LaneRow {
        place: row.place,
        host_key: row.host_key,
        woken: 0,
        open: row.open,
        opens_in: row.opens_in,
    });
    Ok(lanes.collect())
}

/// Counts the ready tasks of each lane of a search.
pub(crate) async fn ready(
    db: &mut SqliteConnection,
    search: &LaneSearch,
    now: i64,
) -> Result<Vec<i64>, Error> {
    let row = |lane: &ClaimLane<'_>| json!([lane.job.id.to_string(), lane.host]);
    let rows = search
        .lanes()
        .iter()
        .map(row)
        .collect::<Value>()
        .to_string();
    let max = search.max_ready();
    sqlx::query_scalar!(
        r#"SELECT (SELECT count(*) FROM (
                       SELECT 1 FROM crawl_tasks c INDEXED BY crawl_tasks_ready
                       WHERE c.job_id = n.value ->> 0 AND c.host_key = n.value ->> 1 AND c.status = 'queued'
                         AND c.gated = 0 AND c.not_before <= ?2 LIMIT ?3)) AS "ready!: i64"
           FROM json_each(?1) n ORDER BY n.key"#,
        rows,
        now,
        max
    )
    .fetch_all(db)
    .await
}

/// Postpones lanes that keep searches from finding others, and those of hosts that too many wait for.
pub(crate) async fn postpone(
    db: &mut SqliteConnection,
    search: &LaneSearch,
    now: i64,
) -> Result<(), Error> {
    for crowd in &search.crowded {
        let first: Vec<String> = crowd.first.iter().map(ToString::to_string).collect();
        let (first, not_before) = (json!(first).to_string(), now + crowd.millis);
        sqlx::query!(
            "UPDATE job_hosts SET not_before = ?1 WHERE rowid IN (
                 SELECT rowid FROM job_hosts
                 WHERE host_key = ?2 AND not_before <= ?3 AND job_id NOT IN (SELECT value FROM json_each(?4)) LIMIT ?5)",
            not_before,
            crowd.host,
            now,
            first,
            MAX_CROWDED_LANES
        )
        .execute(&mut *db)
        .await?;
    }
    if search.postponed.is_empty() {
        return Ok(());
    }
    let lanes = search.postponed.iter();
    let rows = lanes.map(|lane| json!([lane.job.to_string(), lane.host, now + lane.millis]));
    move_to(db, rows.collect()).await
}

/// Puts each lane that a claim checked behind the others of its job, if there are any, or deletes it if it is empty; returns
/// whether one was empty or waits for later. Each comes with whether there are others, and the next start of its host.
pub(crate) async fn advance(
    db: &mut SqliteConnection,
    checked: &[(&ClaimLane<'_>, bool, i64)],
    now: i64,
) -> Result<bool, Error> {
    let rows = checked
        .iter()
        .map(|(lane, ..)| json!([lane.job.id.to_string(), lane.host]));
    let rows = rows.collect::<Value>().to_string();
    let ready = sqlx::query_scalar!(
        r#"SELECT (SELECT min(c.not_before) FROM crawl_tasks c INDEXED BY crawl_tasks_ready
                   WHERE c.job_id = n.value ->> 0 AND c.host_key = n.value ->> 1 AND c.status = 'queued'
                     AND c.gated = 0) AS "ready: i64"
           FROM json_each(?1) n ORDER BY n.key"#,
        rows
    )
    .fetch_all(&mut *db)
    .await?;
    let (mut empty, mut moved) = (Vec::new(), Vec::new());
    let mut emptied = false;
    for ((lane, others, next_start), ready) in checked.iter().zip(ready) {
        let job = lane.job.id.to_string();
        emptied |= ready.is_none_or(|ready| ready > now);
        match ready {
            None => empty.push(json!([job, lane.host])),
            Some(ready) if *others || ready > now => {
                let earliest = next_start - to_millis(MAX_START_DELAY);
                moved.push(json!([job, lane.host, ready.max(now).max(earliest)]));
            }
            Some(_) => (),
        }
    }
    if !empty.is_empty() {
        delete(&mut *db, empty).await?;
    }
    if !moved.is_empty() {
        move_to(db, moved).await?;
    }
    Ok(emptied)
}

/// Deletes lanes: each a job and a host.
async fn delete(db: &mut SqliteConnection, lanes: Vec<Value>) -> Result<(), Error> {
    let lanes = Value::from(lanes).to_string();
    sqlx::query!(
        "DELETE FROM job_hosts WHERE (host_key, job_id) IN (SELECT value ->> 1, value ->> 0 FROM json_each(?))",
        lanes
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Sets when lanes are checked: each a job, a host and a time.
async fn move_to(db: &mut SqliteConnection, lanes: Vec<Value>) -> Result<(), Error> {
    let lanes = Value::from(lanes).to_string();
    sqlx::query!(
        "UPDATE job_hosts SET not_before = n.value ->> 2
         FROM json_each(?) n WHERE host_key = n.value ->> 1 AND job_id = n.value ->> 0",
        lanes
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Wakes lanes, and hosts that have a free slot, and deletes lanes without tasks. A host is written only if it is blocked by
/// its slots, or was not used recently.
pub(crate) async fn wake(db: &mut SqliteConnection, woken: &Woken, now: i64) -> Result<(), Error> {
    let row = |(job, host): &(JobId, String)| json!([job.to_string(), host]);
    if !woken.closed.is_empty() {
        delete(&mut *db, woken.closed_lanes().map(row).collect()).await?;
    }
    if !woken.lanes.is_empty() {
        let lanes = woken.lanes.iter().map(row).collect::<Value>().to_string();
        sqlx::query!(
            "INSERT INTO job_hosts (job_id, host_key, not_before)
             SELECT value ->> 0, value ->> 1, ?1 FROM json_each(?2) WHERE true
             ON CONFLICT (host_key, job_id) DO UPDATE SET not_before = ?1 WHERE not_before > ?1",
            now,
            lanes
        )
        .execute(&mut *db)
        .await?;
    }
    let hosts = woken.all_hosts();
    if hosts.is_empty() {
        return Ok(());
    }
    let hosts = json!(hosts).to_string();
    sqlx::query!(
        "INSERT INTO hosts (host_key, open_at) SELECT value, ?1 FROM json_each(?2) WHERE true
         ON CONFLICT (host_key) DO UPDATE SET open_at = max(?1, next_start, paused_until)
         WHERE open_at > max(?1, next_start, paused_until) OR open_at < ?1 - 60000",
        now,
        hosts
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Creates the missing lanes and hosts of a part of the queued tasks; returns the number of lanes, and the last job and
/// host if there may be more.
pub(crate) async fn restore(
    db: &mut SqliteConnection,
    (job, host): (JobId, String),
    now: i64,
) -> Result<(u64, Option<(JobId, String)>), Error> {
    let job = job.to_string();
    let part = sqlx::query!(
        r#"WITH RECURSIVE first_tasks (id) AS (
               SELECT id FROM (
                   SELECT t.id FROM crawl_tasks t INDEXED BY crawl_tasks_ready
                   WHERE t.status = 'queued' AND t.gated = 0 AND (t.job_id, t.host_key) > (?1, ?2)
                   ORDER BY t.job_id, t.host_key LIMIT 1)
               UNION ALL
               -- Compared as a pair, the columns of another row would use the first column of the index only.
               SELECT coalesce(
                   (SELECT t.id FROM crawl_tasks t INDEXED BY crawl_tasks_ready
                    WHERE t.status = 'queued' AND t.gated = 0 AND t.job_id = c.job_id AND t.host_key > c.host_key
                    ORDER BY t.host_key LIMIT 1),
                   (SELECT t.id FROM crawl_tasks t INDEXED BY crawl_tasks_ready
                    WHERE t.status = 'queued' AND t.gated = 0 AND t.job_id > c.job_id
                    ORDER BY t.job_id, t.host_key LIMIT 1))
               FROM first_tasks f CROSS JOIN crawl_tasks c WHERE c.id = f.id
               LIMIT ?3
           )
           SELECT t.job_id AS "job_id: Hyphenated", t.host_key FROM first_tasks f CROSS JOIN crawl_tasks t WHERE t.id = f.id"#,
        job,
        host,
        MAX_LANES_PER_ROUND
    )
    .fetch_all(&mut *db)
    .await?;
    let full = part.len() as u64 >= MAX_LANES_PER_ROUND.unsigned_abs();
    let last = part
        .last()
        .map(|row| (row.job_id.into(), row.host_key.clone()));
    let row = |job: &Hyphenated, host: &str| json!([job.to_string(), host]);
    let rows = part.iter().map(|lane| row(&lane.job_id, &lane.host_key));
    let rows = rows.collect::<Value>().to_string();
    let created = sqlx::query!(
        "INSERT INTO job_hosts (job_id, host_key, not_before)
         SELECT value ->> 0, value ->> 1, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING",
        now,
        rows
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    sqlx::query!(
        "INSERT INTO hosts (host_key) SELECT DISTINCT value ->> 1 FROM json_each(?) WHERE true ON CONFLICT DO NOTHING",
        rows
    )
    .execute(db)
    .await?;
    Ok((created, last.filter(|_| full)))
}
