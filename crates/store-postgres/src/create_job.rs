//! A new job and its seeds, in one transaction.

use std::collections::BTreeSet;

use sqlx::Error;
use store::{NewJob, NewTask};

use crate::numbers::{to_i32, to_i64, to_millis};
use crate::{PostgresStore, admit, hosts, job_row, text};

pub(crate) async fn create_job(store: &PostgresStore, job: NewJob) -> Result<(), Error> {
    let mut db = store.pool.begin().await?;
    let limits = job.limits;
    sqlx::query!(
        "INSERT INTO jobs (id, type, params, max_depth, max_tasks, max_bytes, max_duration_ms, deadline_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7::bigint, now() + $7::bigint * interval '1 ms')",
        job.id.0,
        job.kind.as_str(),
        text::clean_json(job.params),
        limits.max_depth.map(to_i32),
        limits.max_tasks.map(to_i64),
        limits.max_bytes.map(to_i64),
        limits.max_duration.map(to_millis)
    )
    .execute(&mut *db)
    .await?;
    let mut rows = job_row::lock(&mut db, &[job.id.0]).await?;
    let mut woken = BTreeSet::new();
    for row in &mut rows {
        let seeds: Vec<&NewTask> = job.seeds.iter().collect();
        admit::admit(&mut db, row, &seeds, &mut woken).await?;
        let conclusion = job_row::conclude(&mut db, row).await?;
        woken.extend(conclusion.hosts);
    }
    hosts::wake(&mut db, &woken).await?;
    db.commit().await
}
