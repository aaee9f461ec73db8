//! The rules once more, for what a crash interrupted and for what only time brings about.

use std::collections::BTreeSet;

use sqlx::Error;
use store::{Reconciled, StoreError};

use crate::fault::fault;
use crate::{SqliteStore, hosts, job_row, writer};

/// Jobs looked at in one round; the next round takes the rest.
const MOST_JOBS: i64 = 500;

pub(crate) async fn reconcile(store: &SqliteStore) -> Result<Reconciled, StoreError> {
    repeat(store).await.map_err(fault)
}

async fn repeat(store: &SqliteStore) -> Result<Reconciled, Error> {
    let (mut db, now) = writer::begin(store).await?;
    let mut done = Reconciled::default();
    let due = sqlx::query_scalar!(
        "SELECT id FROM jobs WHERE status IN ('queued', 'running')
         AND (deadline_at <= ?1 OR NOT EXISTS (
             SELECT 1 FROM crawl_tasks t
             WHERE t.job_id = jobs.id AND t.status IN ('queued', 'processing') AND t.gated = 0
               AND NOT (t.status = 'queued' AND t.attempt > 0 AND t.not_before > ?1)))
         ORDER BY id LIMIT ?2",
        now,
        MOST_JOBS
    )
    .fetch_all(&mut *db)
    .await?;
    let mut woken = BTreeSet::new();
    for id in due {
        let Some(mut job) = job_row::read(&mut db, &id).await? else {
            continue;
        };
        if job.deadline_at.is_some_and(|deadline| deadline <= now) {
            job.stop_reason = Some("max_duration".to_owned());
            woken.extend(job_row::skip_rest(&mut db, &mut job, "max_duration", true, now).await?);
            done.timed_out += 1;
        }
        let conclusion = job_row::conclude(&mut db, &mut job, now).await?;
        done.finished += u64::from(conclusion.finished);
        done.opened += u64::from(conclusion.opened);
        woken.extend(conclusion.hosts);
    }
    hosts::wake(&mut db, &woken).await?;
    // Slots that nobody gave back, of hosts that nobody asked for since.
    sqlx::query!("DELETE FROM host_turns WHERE lease_until <= ?", now)
        .execute(&mut *db)
        .await?;
    done.woken = sqlx::query!(
        "UPDATE hosts SET idle = 0, open_at = max(next_start, paused_until)
         WHERE idle = 1 AND EXISTS (
             SELECT 1 FROM crawl_tasks t
             WHERE t.host_key = hosts.host_key AND t.status = 'queued' AND t.gated = 0)"
    )
    .execute(&mut *db)
    .await?
    .rows_affected();
    db.commit().await?;
    Ok(done)
}
