//! Numbers for an operator, from the partial indexes of what is alive.

use std::time::Duration;

use store::{JobKind, KindStatistics, Statistics, StoreError};

use crate::fault::fault;
use crate::numbers::to_u64;
use crate::{SqliteStore, writer};

pub(crate) async fn statistics(store: &SqliteStore) -> Result<Statistics, StoreError> {
    let mut db = store.readers.acquire().await.map_err(fault)?;
    let now = writer::clock(&mut db).await.map_err(fault)?;
    let kinds = sqlx::query!(
        r#"SELECT j.type AS "kind!",
                  count(*) FILTER (WHERE t.status = 'queued' AND t.gated = 0 AND t.not_before <= ?1) AS "ready!: i64",
                  count(*) FILTER (WHERE t.status = 'queued' AND t.gated = 0 AND t.not_before > ?1) AS "waiting!: i64",
                  count(*) FILTER (WHERE t.gated = 1) AS "gated!: i64",
                  count(*) FILTER (WHERE t.status = 'processing') AS "processing!: i64"
           FROM jobs j JOIN crawl_tasks t ON t.job_id = j.id
           WHERE j.status IN ('queued', 'running') AND t.status IN ('queued', 'processing') GROUP BY j.type"#,
        now
    )
    .fetch_all(&mut *db)
    .await
    .map_err(fault)?;
    let row = sqlx::query!(
        r#"SELECT (SELECT min(not_before) FROM crawl_tasks
                   WHERE status = 'queued' AND gated = 0 AND not_before <= ?1) AS "oldest: i64",
                  (SELECT count(*) FROM crawl_tasks
                   WHERE status = 'processing' AND lease_until <= ?1) AS "expired!: i64",
                  (SELECT count(*) FROM jobs WHERE status IN ('queued', 'running')) AS "open!: i64""#,
        now
    )
    .fetch_one(&mut *db)
    .await
    .map_err(fault)?;
    let kinds = kinds
        .into_iter()
        .map(|row| {
            let kind = JobKind::named(&row.kind)
                .ok_or_else(|| StoreError::Refused(format!("a job's type is {:?}", row.kind)))?;
            Ok(KindStatistics {
                kind,
                ready: to_u64(row.ready),
                waiting: to_u64(row.waiting),
                gated: to_u64(row.gated),
                processing: to_u64(row.processing),
            })
        })
        .collect::<Result<_, StoreError>>()?;
    Ok(Statistics {
        kinds,
        oldest_ready: row
            .oldest
            .map(|since| Duration::from_millis(to_u64(now - since))),
        expired_leases: to_u64(row.expired),
        open_jobs: to_u64(row.open),
    })
}
