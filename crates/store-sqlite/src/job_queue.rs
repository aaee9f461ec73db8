//! The queue that workers claim tasks from.

use std::time::Duration;

use crawler_store::backend::{self, Backend, RequestRow, lost_leases, to_millis};
use crawler_store::{
    ClaimRoom, Claimed, Fence, JobId, JobQueue, JobRequest, Lease, Reconciled, Rescue, Rescued,
    Settled, Settlement, StoreResult, TaskId, WorkerId,
};
use sqlx::Error;

use crate::fault::fault;
use crate::sqlite_transaction::{SqliteTransaction, lease_rows};
use crate::{SqliteStore, claim, rescue};

impl JobQueue for SqliteStore {
    async fn claim(
        &self,
        worker: &WorkerId,
        room: impl Into<ClaimRoom> + Send,
        lease: Duration,
    ) -> StoreResult<Vec<Claimed>> {
        let room = room.into();
        claim::claim(self, worker, room, lease).await.map_err(fault)
    }

    async fn job_request(&self, id: JobId) -> StoreResult<Option<JobRequest>> {
        let name = id.to_string();
        let row = sqlx::query_as!(
            RequestRow,
            "SELECT type AS kind, params FROM jobs WHERE id = ?",
            name
        )
        .fetch_optional(&self.readers)
        .await
        .map_err(fault)?;
        row.map(|row| row.into_request(id)).transpose()
    }

    async fn renew(
        &self,
        worker: &WorkerId,
        leases: &[Lease],
        lease: Duration,
    ) -> StoreResult<Vec<Lease>> {
        let renewed = renew(self, worker, leases, lease).await.map_err(fault)?;
        Ok(lost_leases(leases, renewed))
    }

    async fn settle(&self, batch: Vec<Settlement>) -> StoreResult<Settled> {
        backend::settle(self, &batch).await.map_err(fault)
    }

    async fn rescue(&self, which: Rescue) -> StoreResult<Rescued> {
        rescue::rescue(self, which).await.map_err(fault)
    }

    async fn reconcile(&self) -> StoreResult<Reconciled> {
        backend::reconcile(self).await
    }
}

/// Renews leases and returns those that were renewed.
async fn renew(
    store: &SqliteStore,
    worker: &WorkerId,
    leases: &[Lease],
    lease: Duration,
) -> Result<Vec<Lease>, Error> {
    let SqliteTransaction { mut db, now } = store.begin().await?;
    let rows = lease_rows(leases);
    let (name, until) = (worker.as_str(), now + to_millis(lease));
    let renewed = sqlx::query!(
        r#"UPDATE crawl_tasks SET lease_until = ?1, heartbeat_at = ?2
           WHERE status = 'processing' AND worker = ?3
             AND (id, fence) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?4))
           RETURNING id AS "id!", fence AS "fence!""#,
        until,
        now,
        name,
        rows
    )
    .fetch_all(&mut *db)
    .await?;
    if renewed.len() < leases.len() {
        rescue::take_back_blame(&mut db, worker).await?;
    }
    db.commit().await?;
    let lease = |(task, fence)| Lease {
        task: TaskId(task),
        fence: Fence(fence),
    };
    let renewed = renewed.into_iter().map(|row| (row.id, row.fence));
    Ok(renewed.map(lease).collect())
}
