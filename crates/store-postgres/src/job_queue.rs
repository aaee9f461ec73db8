//! The queue that workers claim tasks from.

use std::time::Duration;

use crawler_store::backend::{self, RequestRow, lost_leases, to_millis};
use crawler_store::{
    ClaimRoom, Claimed, Fence, JobId, JobQueue, JobRequest, Lease, Reconciled, Rescue, Rescued,
    Settled, Settlement, StoreResult, TaskId, WorkerId,
};

use crate::fault::{fault, is_collision};
use crate::{PostgresStore, claim, rescue};

/// Maximum attempts for a batch that collides with another one.
const MAX_SETTLE_ATTEMPTS: u32 = 6;

impl JobQueue for PostgresStore {
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
        let row = sqlx::query_as!(
            RequestRow,
            "SELECT type AS kind, params FROM jobs WHERE id = $1",
            id.0
        )
        .fetch_optional(&self.pool)
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
        let ids: Vec<i64> = leases.iter().map(|lease| lease.task.0).collect();
        let fences: Vec<i64> = leases.iter().map(|lease| lease.fence.0).collect();
        let renewed = sqlx::query!(
            "WITH mine AS MATERIALIZED (
                 SELECT t.id FROM crawl_tasks t
                 JOIN unnest($1::bigint[], $2::bigint[]) AS l(id, fence) ON t.id = l.id AND t.fence = l.fence
                 WHERE t.status = 'processing' AND t.worker = $3 ORDER BY t.id FOR NO KEY UPDATE OF t
             )
             UPDATE crawl_tasks t SET lease_until = now() + $4 * interval '1 ms', heartbeat_at = now()
             FROM mine WHERE t.id = mine.id RETURNING t.id, t.fence",
            &ids,
            &fences,
            worker.as_str(),
            to_millis(lease) as f64
        )
        .fetch_all(&self.pool)
        .await
        .map_err(fault)?;
        if renewed.len() < leases.len() {
            let mut db = self.pool.acquire().await.map_err(fault)?;
            let taken_back = rescue::take_back_blame(&mut db, worker).await;
            taken_back.map_err(fault)?;
        }
        let renewed = renewed.into_iter().map(|row| Lease {
            task: TaskId(row.id),
            fence: Fence(row.fence),
        });
        Ok(lost_leases(leases, renewed))
    }

    async fn settle(&self, batch: Vec<Settlement>) -> StoreResult<Settled> {
        let mut attempt = 1;
        loop {
            match backend::settle(self, &batch).await {
                Err(error) if attempt < MAX_SETTLE_ATTEMPTS && is_collision(&error) => attempt += 1,
                settled => return settled.map_err(fault),
            }
        }
    }

    async fn rescue(&self, which: Rescue) -> StoreResult<Rescued> {
        rescue::rescue(self, which).await.map_err(fault)
    }

    async fn reconcile(&self) -> StoreResult<Reconciled> {
        backend::reconcile(self).await
    }
}
