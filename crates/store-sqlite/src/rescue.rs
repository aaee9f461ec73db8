//! Taking back leases: one transaction, so a task that was settled meanwhile is left alone.

use std::collections::BTreeSet;

use sqlx::Error;
use store::{Rescue, Rescued, StoreError};

use crate::fault::fault;
use crate::{SqliteStore, hosts, job_row, writer};

pub(crate) async fn rescue(store: &SqliteStore, which: Rescue) -> Result<Rescued, StoreError> {
    let (all, blame) = match which {
        Rescue::Expired => (false, true),
        Rescue::Held { blame } => (true, blame),
    };
    take_back(store, all, i64::from(blame)).await.map_err(fault)
}

async fn take_back(store: &SqliteStore, all: bool, blame: i64) -> Result<Rescued, Error> {
    let (mut db, now) = writer::begin(store).await?;
    let most = i64::from(store.options.most_crashes);
    let requeued = sqlx::query!(
        r#"UPDATE crawl_tasks
           SET status = 'queued', crashes = crashes + ?1, fence = fence + 1, worker = NULL, lease_until = NULL,
               not_before = ?2, updated_at = ?2
           WHERE status = 'processing' AND (lease_until <= ?2 OR ?3) AND crashes + ?1 < ?4
           RETURNING host_key AS "host_key!""#,
        blame,
        now,
        all,
        most
    )
    .fetch_all(&mut *db)
    .await?;
    let poisoned = sqlx::query!(
        r#"SELECT id AS "id!", job_id, host_key FROM crawl_tasks
           WHERE status = 'processing' AND (lease_until <= ?1 OR ?2) ORDER BY id"#,
        now,
        all
    )
    .fetch_all(&mut *db)
    .await?;
    let mut woken: BTreeSet<String> = BTreeSet::new();
    let rescued = Rescued {
        requeued: requeued.len() as u64,
        poisoned: poisoned.len() as u64,
    };
    woken.extend(requeued.into_iter().map(|row| row.host_key));
    for task in poisoned {
        woken.insert(task.host_key);
        let Some(mut job) = job_row::read(&mut db, &task.job_id).await? else {
            continue;
        };
        job.sequence += 1;
        sqlx::query!(
            "UPDATE crawl_tasks
             SET status = 'failed', reason = 'poisoned', crashes = crashes + ?1, fence = fence + 1,
                 error = 'its worker ended before it did, ' || (crashes + ?1) || ' times',
                 sequence = ?2, worker = NULL, lease_until = NULL, updated_at = ?3
             WHERE id = ?4",
            blame,
            job.sequence,
            now,
            task.id
        )
        .execute(&mut *db)
        .await?;
        let conclusion = job_row::conclude(&mut db, &mut job, now).await?;
        woken.extend(conclusion.hosts);
    }
    hosts::wake(&mut db, &woken, now).await?;
    db.commit().await?;
    Ok(rescued)
}
