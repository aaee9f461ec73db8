//! The open jobs that a claim reads.

use crawler_store::backend::{
    MAX_JOBS_READ, MAX_OWNERS_READ, OpenJob, OpenJobsReader, OwnerWindow, WindowRow, to_i64,
};
use serde_json::{Value, json};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqliteConnection};

use crate::SqliteStore;

/// Reads open jobs.
#[derive(Debug)]
pub(crate) struct JobsReader<'a> {
    pub(crate) db: &'a mut SqliteConnection,
    pub(crate) now: i64,
}

impl OpenJobsReader for JobsReader<'_> {
    type Error = Error;

    async fn first(&mut self) -> Result<Vec<OpenJob>, Error> {
        first(self.db, self.now).await
    }

    async fn owners(&mut self, after: &str) -> Result<Vec<String>, Error> {
        owners(self.db, after).await
    }

    async fn window(
        &mut self,
        windows: &[OwnerWindow],
        jobs: i64,
    ) -> Result<Vec<WindowRow>, Error> {
        read(self.db, windows, jobs, self.now).await
    }
}

/// Up to one more job than are all read.
async fn first(db: &mut SqliteConnection, now: i64) -> Result<Vec<OpenJob>, Error> {
    let max = to_i64(MAX_JOBS_READ as u64 + 1);
    sqlx::query_as!(
        OpenJob,
        r#"SELECT j.id AS "id: Hyphenated", j.owner, j.priority, j.status = 'queued' AS "queued!: bool",
                  coalesce(k.quota ->> 'weight', 1) AS "weight!: i64",
                  EXISTS (SELECT 1 FROM job_hosts l WHERE l.job_id = j.id AND l.not_before <= ?1) AS "ready!: bool"
           FROM jobs j INDEXED BY jobs_open LEFT JOIN api_keys k ON k.name = j.owner
           WHERE j.status IN ('queued', 'running') AND j.creating_until IS NULL LIMIT ?2"#,
        now,
        max
    )
    .fetch_all(db)
    .await
}

/// The next owners with open jobs: each is one step in the index, however many jobs it has.
async fn owners(db: &mut SqliteConnection, after: &str) -> Result<Vec<String>, Error> {
    let max = to_i64(MAX_OWNERS_READ as u64);
    sqlx::query_scalar!(
        r#"WITH RECURSIVE owners (owner) AS (
               SELECT (SELECT j.owner FROM jobs j INDEXED BY jobs_open_of_owner
                       WHERE j.status IN ('queued', 'running') AND j.owner > ?1 ORDER BY j.owner LIMIT 1)
               UNION ALL
               SELECT (SELECT j.owner FROM jobs j INDEXED BY jobs_open_of_owner
                       WHERE j.status IN ('queued', 'running') AND j.owner > o.owner ORDER BY j.owner LIMIT 1)
               FROM owners o WHERE o.owner IS NOT NULL
               LIMIT ?2
           )
           SELECT owner AS "owner!: String" FROM owners WHERE owner IS NOT NULL"#,
        after,
        max
    )
    .fetch_all(db)
    .await
}

/// The jobs of a window.
async fn read(
    db: &mut SqliteConnection,
    windows: &[OwnerWindow],
    jobs: i64,
    now: i64,
) -> Result<Vec<WindowRow>, Error> {
    let row = |one: &OwnerWindow| json!([one.owner, one.priority, one.id.to_string()]);
    let windows = windows.iter().map(row).collect::<Value>().to_string();
    let rows = sqlx::query!(
        r#"WITH windows (owner, priority, id) AS (
               SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1)
           ), parts (job, in_turn) AS (
               SELECT j.rowid, 0 FROM windows w CROSS JOIN jobs j WHERE j.rowid IN (
                   SELECT t.rowid FROM jobs t INDEXED BY jobs_open_of_owner
                   WHERE t.owner = w.owner AND t.status IN ('queued', 'running') AND t.creating_until IS NULL
                   ORDER BY t.priority DESC, t.id DESC LIMIT ?2)
               UNION ALL
               SELECT j.rowid, 1 FROM windows w CROSS JOIN jobs j WHERE j.rowid IN (
                   SELECT t.rowid FROM jobs t INDEXED BY jobs_open_of_owner
                   WHERE t.owner = w.owner AND t.status IN ('queued', 'running') AND t.creating_until IS NULL
                     AND t.priority = w.priority AND t.id < w.id ORDER BY t.id DESC LIMIT ?2)
               UNION ALL
               SELECT j.rowid, 1 FROM windows w CROSS JOIN jobs j WHERE j.rowid IN (
                   SELECT t.rowid FROM jobs t INDEXED BY jobs_open_of_owner
                   WHERE t.owner = w.owner AND t.status IN ('queued', 'running') AND t.creating_until IS NULL
                     AND t.priority < w.priority ORDER BY t.priority DESC, t.id DESC LIMIT ?2)
           )
           SELECT j.id AS "id!: Hyphenated", j.owner AS "owner!", j.priority AS "priority!",
                  j.status = 'queued' AS "queued!: bool", coalesce(k.quota ->> 'weight', 1) AS "weight!: i64",
                  EXISTS (SELECT 1 FROM job_hosts l WHERE l.job_id = j.id AND l.not_before <= ?3) AS "ready!: bool",
                  p.in_turn AS "in_turn!: bool"
           FROM parts p CROSS JOIN jobs j LEFT JOIN api_keys k ON k.name = j.owner WHERE j.rowid = p.job"#,
        windows,
        jobs,
        now
    )
    .fetch_all(db)
    .await?;
    let rows = rows.into_iter().map(|row| WindowRow {
        job: OpenJob {
            id: row.id.into(),
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
pub(crate) async fn forget_ended(store: &SqliteStore) -> Result<(), Error> {
    if !store.window.is_cleaning_due() {
        return Ok(());
    }
    let rows = sqlx::query!(
        r#"SELECT id AS "id: Hyphenated", owner FROM jobs INDEXED BY jobs_open_of_owner
           WHERE status IN ('queued', 'running')"#
    )
    .fetch_all(&store.readers)
    .await?;
    let jobs = rows
        .into_iter()
        .map(|row| (row.id.into(), row.owner))
        .collect();
    store.shares.keep_only(&jobs);
    Ok(())
}
