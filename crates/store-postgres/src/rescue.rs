//! Taking back leases: one UPDATE, never a read and then a write, so a task that was settled meanwhile is left alone.

use std::collections::BTreeSet;

use store::{Rescue, Rescued, StoreError};
use uuid::Uuid;

use crate::fault::fault;
use crate::numbers::to_i32;
use crate::{PostgresStore, hosts, reconcile};

pub(crate) async fn rescue(store: &PostgresStore, which: Rescue) -> Result<Rescued, StoreError> {
    let (all, blame) = match which {
        Rescue::Expired => (false, true),
        Rescue::Held { blame } => (true, blame),
    };
    // The end of a task has its number from its job's row, and the job's row is locked before its tasks. A poisoned
    // task is therefore only marked here, by a lease that is over, and ended under its job's lock.
    let taken = sqlx::query!(
        r#"WITH lost AS MATERIALIZED (
               SELECT id FROM crawl_tasks
               WHERE status = 'processing' AND (lease_until <= now() OR $1) AND crashes < $2
               ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
           )
           UPDATE crawl_tasks t
           SET crashes = t.crashes + $3::int, fence = t.fence + 1, updated_at = now(),
               status = CASE WHEN t.crashes + $3::int >= $2 THEN 'processing' ELSE 'queued' END,
               worker = CASE WHEN t.crashes + $3::int >= $2 THEN 'nobody' END,
               lease_until = CASE WHEN t.crashes + $3::int >= $2 THEN to_timestamp(0) END,
               not_before = now()
           FROM lost WHERE t.id = lost.id
           RETURNING t.host_key, t.job_id, t.status = 'processing' AS "poisoned!""#,
        all,
        to_i32(store.options.most_crashes),
        i32::from(blame)
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    let mut rescued = Rescued::default();
    let mut woken = BTreeSet::new();
    for row in taken {
        woken.insert(row.host_key);
        if !row.poisoned {
            rescued.requeued += 1;
        }
    }
    let mut db = store.pool.begin().await.map_err(fault)?;
    hosts::wake(&mut db, &woken).await.map_err(fault)?;
    db.commit().await.map_err(fault)?;
    rescued.poisoned = fail_poisoned(store).await?;
    Ok(rescued)
}

/// Ends the tasks that were marked, job by job; also those that an interrupted rescue left behind.
async fn fail_poisoned(store: &PostgresStore) -> Result<u64, StoreError> {
    let limit = to_i32(store.options.most_crashes);
    let jobs: Vec<Uuid> = sqlx::query_scalar!(
        "SELECT DISTINCT job_id FROM crawl_tasks
         WHERE status = 'processing' AND lease_until <= now() AND crashes >= $1",
        limit
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    let mut failed = 0;
    for job in jobs {
        failed += reconcile::fail_poisoned(store, job, limit)
            .await
            .map_err(fault)?;
    }
    Ok(failed)
}
