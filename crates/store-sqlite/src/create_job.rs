//! A new job and its seeds, in one transaction.

use std::collections::BTreeSet;

use sqlx::Error;
use store::{NewJob, NewTask};

use crate::numbers::{to_i64, to_millis};
use crate::{SqliteStore, admit, hosts, job_row, writer};

pub(crate) async fn create_job(store: &SqliteStore, job: NewJob) -> Result<(), Error> {
    let (mut db, now) = writer::begin(store).await?;
    let id = job.id.0.to_string();
    let (kind, params) = (job.kind.as_str(), job.params.to_string());
    let max_depth = job.limits.max_depth.map(i64::from);
    let max_tasks = job.limits.max_tasks.map(to_i64);
    let max_bytes = job.limits.max_bytes.map(to_i64);
    let max_duration = job.limits.max_duration.map(to_millis);
    let deadline = max_duration.map(|millis| now + millis);
    sqlx::query!(
        "INSERT INTO jobs (id, type, params, max_depth, max_tasks, max_bytes, max_duration_ms, deadline_at,
                           created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
        id,
        kind,
        params,
        max_depth,
        max_tasks,
        max_bytes,
        max_duration,
        deadline,
        now
    )
    .execute(&mut *db)
    .await?;
    let mut woken = BTreeSet::new();
    if let Some(mut row) = job_row::read(&mut db, &id).await? {
        let seeds: Vec<&NewTask> = job.seeds.iter().collect();
        admit::admit(&mut db, &mut row, &seeds, &mut woken, now).await?;
        let conclusion = job_row::conclude(&mut db, &mut row, now).await?;
        woken.extend(conclusion.hosts);
    }
    hosts::wake(&mut db, &woken, now).await?;
    db.commit().await
}
