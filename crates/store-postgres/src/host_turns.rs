//! Politeness toward hosts. Requests outside of any job use the same buckets and slots as tasks.

use std::time::Duration;

use crawler_store::backend::{from_millis, to_millis};
use crawler_store::{HostTurn, HostTurns, StoreResult, TURN_RESERVATION, TurnId};
use crawler_weburl::HostKey;
use sqlx::Error;

use crate::PostgresStore;
use crate::fault::fault;
use crate::postgres_transaction::commit;

impl HostTurns for PostgresStore {
    async fn slow_host(&self, host: &HostKey, interval: Duration) -> StoreResult<()> {
        sqlx::query!(
            "INSERT INTO hosts (host_key, interval_ms) VALUES ($1, $2)
             ON CONFLICT (host_key) DO UPDATE
             SET interval_ms = GREATEST(hosts.interval_ms, EXCLUDED.interval_ms)",
            host.as_str(),
            to_millis(interval)
        )
        .execute(&self.pool)
        .await
        .map_err(fault)?;
        Ok(())
    }

    async fn pause_host(&self, host: &HostKey, pause: Duration) -> StoreResult<()> {
        sqlx::query!(
            "INSERT INTO hosts (host_key, paused_until, open_at)
             VALUES ($1, now() + $2 * interval '1 ms', now() + $2 * interval '1 ms')
             ON CONFLICT (host_key) DO UPDATE
             SET paused_until = GREATEST(hosts.paused_until, EXCLUDED.paused_until),
                 open_at = GREATEST(hosts.open_at, EXCLUDED.paused_until)",
            host.as_str(),
            to_millis(pause) as f64
        )
        .execute(&self.pool)
        .await
        .map_err(fault)?;
        Ok(())
    }

    async fn take_turn(&self, host: &HostKey, lease: Duration) -> StoreResult<HostTurn> {
        take_turn(self, host, lease).await.map_err(fault)
    }

    async fn end_turn(&self, turn: TurnId) -> StoreResult<()> {
        sqlx::query!(
            "WITH ended AS (DELETE FROM host_turns WHERE id = $1 RETURNING host_key)
             UPDATE hosts h SET open_at = GREATEST(h.next_start, h.paused_until)
             FROM ended WHERE h.host_key = ended.host_key",
            turn.0
        )
        .execute(&self.pool)
        .await
        .map_err(fault)?;
        Ok(())
    }

    async fn reserve_start(&self, host: &HostKey) -> StoreResult<Duration> {
        let limits = &self.options.limits;
        let delay = sqlx::query_scalar!(
            r#"INSERT INTO hosts AS h (host_key, next_start) VALUES ($1, now() + $2 * interval '1 ms')
               ON CONFLICT (host_key) DO UPDATE
               SET next_start = GREATEST(h.next_start, h.paused_until, now())
                                + GREATEST(CASE WHEN $3 THEN 0 ELSE h.interval_ms END, $2) * interval '1 ms'
               RETURNING (extract(epoch FROM next_start - now()) * 1000)::bigint
                         - GREATEST(CASE WHEN $3 THEN 0 ELSE interval_ms END, $2)::bigint AS "delay!""#,
            host.as_str(),
            to_millis(limits.hosts.interval) as f64,
            limits.fixed_interval
        )
        .fetch_one(&self.pool)
        .await
        .map_err(fault)?;
        Ok(from_millis(delay))
    }
}

async fn take_turn(
    store: &PostgresStore,
    host: &HostKey,
    lease: Duration,
) -> Result<HostTurn, Error> {
    let host = host.as_str();
    let mut db = store.pool.begin().await?;
    // Also locks the row, so that no claim hands out slots while they are counted.
    let row = sqlx::query!(
        r#"INSERT INTO hosts AS h (host_key) VALUES ($1)
           ON CONFLICT (host_key) DO UPDATE SET interval_ms = h.interval_ms
           RETURNING interval_ms,
                     (extract(epoch FROM next_start - now()) * 1000)::bigint AS "next_start!",
                     (extract(epoch FROM paused_until - now()) * 1000)::bigint AS "paused_until!""#,
        host
    )
    .fetch_one(&mut *db)
    .await?;
    sqlx::query!(
        "DELETE FROM host_turns WHERE host_key = $1 AND lease_until <= now()",
        host
    )
    .execute(&mut *db)
    .await?;
    let held = sqlx::query_scalar!(
        r#"SELECT (SELECT count(*) FROM crawl_tasks
                   WHERE host_key = $1 AND status = 'processing' AND lease_until > now())
                + (SELECT count(*) FROM host_turns WHERE host_key = $1) AS "held!""#,
        host
    )
    .fetch_one(&mut *db)
    .await?;
    let opens_at = row.next_start.max(row.paused_until);
    let bucket = store.options.limits.bucket(row.interval_ms, opens_at, held);
    let schedule = match bucket.turn(lease) {
        Ok(schedule) => schedule,
        Err(wait) => {
            sqlx::query!(
                "UPDATE hosts SET wanted_until = now() + $2 * interval '1 ms' WHERE host_key = $1",
                host,
                to_millis(TURN_RESERVATION) as f64
            )
            .execute(&mut *db)
            .await?;
            commit(db).await?;
            let pause = from_millis(row.paused_until);
            return Ok(HostTurn::Later { wait, pause });
        }
    };
    let delay = schedule.delay(0);
    let id = sqlx::query_scalar!(
        r#"WITH advanced AS (
               UPDATE hosts
               SET next_start = now() + $2 * interval '1 ms', wanted_until = 'epoch',
                   open_at = GREATEST(open_at, now() + $2 * interval '1 ms')
               WHERE host_key = $1
           )
           INSERT INTO host_turns (host_key, lease_until)
           VALUES ($1, now() + $3 * interval '1 ms') RETURNING id"#,
        host,
        schedule.next_start(1) as f64,
        to_millis(delay + lease) as f64
    )
    .fetch_one(&mut *db)
    .await?;
    commit(db).await?;
    Ok(HostTurn::Granted {
        id: TurnId(id),
        delay,
    })
}
