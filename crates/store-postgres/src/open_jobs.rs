//! The open jobs that a claim reads.

use crawler_store::backend::{
    MAX_JOBS_READ, MAX_OWNERS_READ, OpenJob, OpenJobsReader, OwnerWindow, WindowRow, to_i64,
};
use crawler_store::{JobId, WorkerId};
use sqlx::{Error, PgConnection};
use uuid::Uuid;

use crate::PostgresStore;

/// Reads open jobs, and what a claim has to know besides.
#[derive(Debug)]
pub(crate) struct JobsReader<'a> {
    db: &'a mut PgConnection,
    worker: &'a WorkerId,
    /// Whether crashes are counted for the worker that claims.
    pub(crate) blames: bool,
    /// Whether a task that a crashed worker held is queued, or held by the worker that claims.
    pub(crate) suspects: bool,
}

impl<'a> JobsReader<'a> {
    pub(crate) fn new(db: &'a mut PgConnection, worker: &'a WorkerId) -> Self {
        Self {
            db,
            worker,
            blames: false,
            suspects: false,
        }
    }
}

impl OpenJobsReader for JobsReader<'_> {
    type Error = Error;

    async fn first(&mut self) -> Result<Vec<OpenJob>, Error> {
        first(self).await
    }

    async fn owners(&mut self, after: &str) -> Result<Vec<String>, Error> {
        owners(self.db, after).await
    }

    async fn window(
        &mut self,
        windows: &[OwnerWindow],
        jobs: i64,
    ) -> Result<Vec<WindowRow>, Error> {
        read(self, windows, jobs).await
    }
}

/// Up to one more job than are all read.
async fn first(reader: &mut JobsReader<'_>) -> Result<Vec<OpenJob>, Error> {
    let rows = sqlx::query!(
        r#"SELECT j.id, j.owner, j.priority::bigint AS "priority!", j.status = 'queued' AS "queued!",
                  COALESCE((k.quota ->> 'weight')::bigint, 1) AS "weight!", r.ready IS NOT NULL AS "ready!",
                  EXISTS (SELECT 1 FROM crawl_tasks WHERE blamed_worker = $1 AND status IN ('queued', 'processing')) AS "blames!",
                  EXISTS (SELECT 1 FROM crawl_tasks WHERE status = 'queued' AND NOT gated AND crashes > 0)
                  OR EXISTS (SELECT 1 FROM crawl_tasks
                             WHERE status = 'processing' AND crashes > 0 AND worker = $1) AS "suspects!"
           FROM (SELECT id, owner, priority, status FROM jobs
                 WHERE status IN ('queued', 'running') AND creating_until IS NULL LIMIT $2) j
           LEFT JOIN api_keys k ON k.name = j.owner
           LEFT JOIN LATERAL (SELECT true AS ready FROM job_hosts l
                              WHERE l.job_id = j.id AND l.not_before <= now() LIMIT 1) r ON true"#,
        reader.worker.as_str(),
        to_i64(MAX_JOBS_READ as u64 + 1)
    )
    .fetch_all(&mut *reader.db)
    .await?;
    reader.blames |= rows.iter().any(|row| row.blames);
    reader.suspects |= rows.iter().any(|row| row.suspects);
    let jobs = rows.into_iter().map(|row| OpenJob {
        id: JobId(row.id),
        owner: row.owner,
        weight: row.weight,
        priority: row.priority,
        queued: row.queued,
        ready: row.ready,
    });
    Ok(jobs.collect())
}

/// The next owners with open jobs: each is one step in the index, however many jobs it has.
async fn owners(db: &mut PgConnection, after: &str) -> Result<Vec<String>, Error> {
    sqlx::query_scalar!(
        r#"WITH RECURSIVE owners AS (
               (SELECT owner FROM jobs WHERE status IN ('queued', 'running') AND owner > $1 ORDER BY owner LIMIT 1)
               UNION ALL
               SELECT n.owner FROM owners o CROSS JOIN LATERAL (
                   SELECT j.owner FROM jobs j
                   WHERE j.status IN ('queued', 'running') AND j.owner > o.owner ORDER BY j.owner LIMIT 1) n
           )
           SELECT owner AS "owner!" FROM owners LIMIT $2"#,
        after,
        to_i64(MAX_OWNERS_READ as u64)
    )
    .fetch_all(db)
    .await
}

/// The jobs of a window.
async fn read(
    reader: &mut JobsReader<'_>,
    windows: &[OwnerWindow],
    jobs: i64,
) -> Result<Vec<WindowRow>, Error> {
    let owners: Vec<String> = windows.iter().map(|one| one.owner.clone()).collect();
    let priorities: Vec<i64> = windows.iter().map(|one| one.priority).collect();
    let ids: Vec<Uuid> = windows.iter().map(|one| one.id.0).collect();
    let rows = sqlx::query!(
        r#"SELECT j.id AS "id!", j.owner AS "owner!", j.priority::bigint AS "priority!", j.status = 'queued' AS "queued!",
                  COALESCE((k.quota ->> 'weight')::bigint, 1) AS "weight!", r.ready IS NOT NULL AS "ready!",
                  j.in_turn AS "in_turn!",
                  EXISTS (SELECT 1 FROM crawl_tasks WHERE blamed_worker = $5 AND status IN ('queued', 'processing')) AS "blames!",
                  EXISTS (SELECT 1 FROM crawl_tasks WHERE status = 'queued' AND NOT gated AND crashes > 0)
                  OR EXISTS (SELECT 1 FROM crawl_tasks
                             WHERE status = 'processing' AND crashes > 0 AND worker = $5) AS "suspects!"
           FROM unnest($1::text[], $2::bigint[], $3::uuid[]) AS w(owner, priority, id)
           CROSS JOIN LATERAL (
               (SELECT t.id, t.owner, t.priority, t.status, false AS in_turn FROM jobs t
                WHERE t.owner = w.owner AND t.status IN ('queued', 'running') AND t.creating_until IS NULL
                ORDER BY t.priority DESC, t.id DESC LIMIT $4)
               UNION ALL
               (SELECT t.id, t.owner, t.priority, t.status, true FROM jobs t
                WHERE t.owner = w.owner AND t.status IN ('queued', 'running') AND t.creating_until IS NULL
                  AND t.priority = w.priority AND t.id < w.id ORDER BY t.priority DESC, t.id DESC LIMIT $4)
               UNION ALL
               (SELECT t.id, t.owner, t.priority, t.status, true FROM jobs t
                WHERE t.owner = w.owner AND t.status IN ('queued', 'running') AND t.creating_until IS NULL
                  AND t.priority < w.priority ORDER BY t.priority DESC, t.id DESC LIMIT $4)
           ) j
           LEFT JOIN api_keys k ON k.name = j.owner
           LEFT JOIN LATERAL (SELECT true AS ready FROM job_hosts l
                              WHERE l.job_id = j.id AND l.not_before <= now() LIMIT 1) r ON true"#,
        &owners,
        &priorities,
        &ids,
        jobs,
        reader.worker.as_str()
    )
    .fetch_all(&mut *reader.db)
    .await?;
    reader.blames |= rows.iter().any(|row| row.blames);
    reader.suspects |= rows.iter().any(|row| row.suspects);
    let rows = rows.into_iter().map(|row| WindowRow {
        job: OpenJob {
            id: JobId(row.id),
            owner: row.owner,
            weight: row.weight,
            priority: row.priority,
            queued: row.queued,
            ready: row.ready,
        },
        in_turn: row.in_turn,
    });
    Ok(rows.collect())
}

/// Forgets the turns of jobs that have ended, if claims do not read all that are open.
pub(crate) async fn forget_ended(store: &PostgresStore) -> Result<(), Error> {
    if !store.window.is_cleaning_due() {
        return Ok(());
    }
    let rows = sqlx::query!("SELECT id, owner FROM jobs WHERE status IN ('queued', 'running')")
        .fetch_all(&store.pool)
        .await?;
    let jobs = rows
        .into_iter()
        .map(|row| (JobId(row.id), row.owner))
        .collect();
    store.shares.keep_only(&jobs);
    Ok(())
}
