//! Numbers for an operator, from the partial indexes of what is alive.

use std::time::Duration;

use store::{JobKind, KindStatistics, Statistics, StoreError};

use crate::PostgresStore;
use crate::fault::fault;
use crate::numbers::to_u64;

pub(crate) async fn statistics(store: &PostgresStore) -> Result<Statistics, StoreError> {
    // In two parts, because each has its own index of what is alive.
    let kinds = sqlx::query!(
        r#"SELECT kind AS "kind!", sum(ready)::bigint AS "ready!", sum(waiting)::bigint AS "waiting!",
                  sum(gated)::bigint AS "gated!", sum(processing)::bigint AS "processing!"
           FROM (
               SELECT j.type AS kind,
                      count(*) FILTER (WHERE t.status = 'queued' AND t.not_before <= now()) AS ready,
                      count(*) FILTER (WHERE t.status = 'queued' AND t.not_before > now()) AS waiting,
                      0 AS gated, count(*) FILTER (WHERE t.status = 'processing') AS processing
               FROM jobs j JOIN crawl_tasks t ON t.job_id = j.id
               WHERE j.status IN ('queued', 'running') AND t.status IN ('queued', 'processing') AND NOT t.gated
               GROUP BY j.type
               UNION ALL
               SELECT j.type, 0, 0, count(*), 0 FROM jobs j JOIN crawl_tasks t ON t.job_id = j.id
               WHERE j.status IN ('queued', 'running') AND t.status = 'queued' AND t.gated GROUP BY j.type
           ) parts GROUP BY kind"#
    )
    .fetch_all(&store.pool)
    .await
    .map_err(fault)?;
    let row = sqlx::query!(
        r#"SELECT (SELECT (extract(epoch FROM now() - min(not_before)) * 1000)::bigint FROM crawl_tasks
                   WHERE status = 'queued' AND NOT gated AND not_before <= now()) AS oldest,
                  (SELECT count(*) FROM crawl_tasks
                   WHERE status = 'processing' AND lease_until <= now()) AS "expired!",
                  (SELECT count(*) FROM jobs WHERE status IN ('queued', 'running')) AS "open!""#
    )
    .fetch_one(&store.pool)
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
        oldest_ready: row.oldest.map(|age| Duration::from_millis(to_u64(age))),
        expired_leases: to_u64(row.expired),
        open_jobs: to_u64(row.open),
    })
}
