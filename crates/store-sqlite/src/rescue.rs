//! Taking leases back in one transaction, so a task that was settled meanwhile is left alone.

use crawler_store::backend::{
    ALONE_AFTER, ALONE_AFTER_LOST_LEASES, Backend, JobTransaction, MAX_LOST_LEASES, Woken,
    conclude, poison_limit,
};
use crawler_store::{Rescue, Rescued, WorkerId};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqliteConnection};

use crate::SqliteStore;

pub(crate) async fn rescue(store: &SqliteStore, which: Rescue) -> Result<Rescued, Error> {
    let (all, blame) = match which {
        Rescue::Expired => (false, 1),
        Rescue::Held { blame } => (true, i64::from(blame)),
    };
    let mut transaction = store.begin().await?;
    let now = transaction.now;
    let limit = i64::from(poison_limit(store.options.limits.max_crashes));
    let expired = i64::from(!all);
    let requeued = sqlx::query!(
        r#"UPDATE crawl_tasks
           SET status = 'queued', crashes = crashes + ?1, blamed_worker = iif(?1 > 0, worker, blamed_worker), fence = fence + 1,
               lost_leases = lost_leases + ?5, worker = NULL, lease_until = NULL, not_before = ?2, updated_at = ?2
           WHERE status = 'processing' AND (lease_until <= ?2 OR ?3) AND crashes + ?1 < ?4 AND lost_leases + ?5 < ?6
           RETURNING host_key AS "host_key!", job_id AS "job_id!: Hyphenated""#,
        blame,
        now,
        all,
        limit,
        expired,
        MAX_LOST_LEASES
    )
    .fetch_all(&mut *transaction.db)
    .await?;
    let poisoned = sqlx::query!(
        r#"SELECT id AS "id!", job_id AS "job_id: Hyphenated", host_key FROM crawl_tasks
           WHERE status = 'processing' AND (lease_until <= ?1 OR ?2) ORDER BY id"#,
        now,
        all
    )
    .fetch_all(&mut *transaction.db)
    .await?;
    let mut woken = Woken::default();
    let rescued = Rescued {
        requeued: requeued.len() as u64,
        poisoned: poisoned.len() as u64,
    };
    let lanes = requeued
        .into_iter()
        .map(|row| (row.job_id.into(), row.host_key));
    woken.lanes.extend(lanes);
    for task in poisoned {
        woken.hosts.insert(task.host_key);
        let Some(mut job) = transaction.lock_jobs(&[task.job_id.into()]).await?.pop() else {
            continue;
        };
        job.end_tasks(1);
        sqlx::query!(
            "UPDATE crawl_tasks
             SET status = 'failed', reason = 'poisoned', crashes = crashes + ?1, fence = fence + 1,
                 lost_leases = lost_leases + ?5,
                 error = iif(crashes + ?1 >= ?6, 'abandoned after repeated worker crashes (' || (crashes + ?1) || ')',
                             'abandoned because its lease expired ' || (lost_leases + ?5) || ' times'),
                 sequence = ?2, worker = NULL, lease_until = NULL, updated_at = ?3
             WHERE id = ?4",
            blame,
            job.sequence,
            now,
            task.id,
            expired,
            limit
        )
        .execute(&mut *transaction.db)
        .await?;
        let conclusion = conclude(&mut transaction, &mut job).await?;
        woken.extend(conclusion.woken);
    }
    transaction.wake(&woken).await?;
    transaction.commit().await?;
    Ok(rescued)
}

/// Subtracts the crashes that were counted for a worker that turned out to be alive: it was suspended, or did not receive the
/// response to a claim.
pub(crate) async fn take_back_blame(
    db: &mut SqliteConnection,
    worker: &WorkerId,
) -> Result<(), Error> {
    let name = worker.as_str();
    sqlx::query!(
        "UPDATE crawl_tasks
         SET crashes = max(crashes - 1, iif(lost_leases > ?2, ?3, 0)), blamed_worker = NULL
         WHERE blamed_worker = ?1 AND status IN ('queued', 'processing') AND crashes > 0",
        name,
        ALONE_AFTER_LOST_LEASES,
        ALONE_AFTER
    )
    .execute(db)
    .await?;
    Ok(())
}
