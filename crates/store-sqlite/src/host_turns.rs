//! Politeness toward hosts. Requests outside of any job use the same buckets and slots as tasks.

use std::time::Duration;

use crawler_store::backend::{Backend, from_millis, to_millis};
use crawler_store::{HostTurn, HostTurns, StoreResult, TURN_RESERVATION, TurnId};
use crawler_weburl::HostKey;
use sqlx::Error;

use crate::SqliteStore;
use crate::fault::fault;
use crate::sqlite_transaction::SqliteTransaction;

impl HostTurns for SqliteStore {
    async fn slow_host(&self, host: &HostKey, interval: Duration) -> StoreResult<()> {
        slow_host(self, host, interval).await.map_err(fault)
    }

    async fn pause_host(&self, host: &HostKey, pause: Duration) -> StoreResult<()> {
        pause_host(self, host, pause).await.map_err(fault)
    }

    async fn take_turn(&self, host: &HostKey, lease: Duration) -> StoreResult<HostTurn> {
        take_turn(self, host, lease).await.map_err(fault)
    }

    async fn end_turn(&self, turn: TurnId) -> StoreResult<()> {
        end_turn(self, turn).await.map_err(fault)
    }

    async fn reserve_start(&self, host: &HostKey) -> StoreResult<Duration> {
        reserve_start(self, host).await.map_err(fault)
    }
}

async fn slow_host(store: &SqliteStore, host: &HostKey, interval: Duration) -> Result<(), Error> {
    let SqliteTransaction { mut db, .. } = store.begin().await?;
    let (host, interval) = (host.as_str(), to_millis(interval));
    sqlx::query!(
        "INSERT INTO hosts (host_key, interval_ms) VALUES (?, ?)
         ON CONFLICT (host_key) DO UPDATE SET interval_ms = max(interval_ms, excluded.interval_ms)",
        host,
        interval
    )
    .execute(&mut *db)
    .await?;
    db.commit().await
}

async fn pause_host(store: &SqliteStore, host: &HostKey, pause: Duration) -> Result<(), Error> {
    let SqliteTransaction { mut db, now } = store.begin().await?;
    let (host, until) = (host.as_str(), now + to_millis(pause));
    sqlx::query!(
        "INSERT INTO hosts (host_key, paused_until, open_at) VALUES (?1, ?2, ?2)
         ON CONFLICT (host_key) DO UPDATE
         SET paused_until = max(paused_until, excluded.paused_until), open_at = max(open_at, excluded.paused_until)",
        host,
        until
    )
    .execute(&mut *db)
    .await?;
    db.commit().await
}

async fn take_turn(
    store: &SqliteStore,
    host: &HostKey,
    lease: Duration,
) -> Result<HostTurn, Error> {
    let host = host.as_str();
    let SqliteTransaction { mut db, now } = store.begin().await?;
    let row = sqlx::query!(
        r#"INSERT INTO hosts (host_key) VALUES (?)
           ON CONFLICT (host_key) DO UPDATE SET interval_ms = interval_ms
           RETURNING interval_ms AS "interval_ms!: i64", next_start AS "next_start!: i64", paused_until AS "paused_until!: i64""#,
        host
    )
    .fetch_one(&mut *db)
    .await?;
    sqlx::query!(
        "DELETE FROM host_turns WHERE host_key = ? AND lease_until <= ?",
        host,
        now
    )
    .execute(&mut *db)
    .await?;
    let held = sqlx::query_scalar!(
        r#"SELECT (SELECT count(*) FROM crawl_tasks
                   WHERE host_key = ?1 AND status = 'processing' AND lease_until > ?2)
                + (SELECT count(*) FROM host_turns WHERE host_key = ?1) AS "held!: i64""#,
        host,
        now
    )
    .fetch_one(&mut *db)
    .await?;
    let opens_at = row.next_start.max(row.paused_until) - now;
    let bucket = store.options.limits.bucket(row.interval_ms, opens_at, held);
    let schedule = match bucket.turn(lease) {
        Ok(schedule) => schedule,
        Err(wait) => {
            let until = now + to_millis(TURN_RESERVATION);
            sqlx::query!(
                "UPDATE hosts SET wanted_until = ? WHERE host_key = ?",
                until,
                host
            )
            .execute(&mut *db)
            .await?;
            db.commit().await?;
            let pause = from_millis(row.paused_until - now);
            return Ok(HostTurn::Later { wait, pause });
        }
    };
    let delay = schedule.delay(0);
    let next_start = now + schedule.next_start(1);
    sqlx::query!(
        "UPDATE hosts SET next_start = ?1, wanted_until = 0, open_at = max(open_at, ?1) WHERE host_key = ?2",
        next_start,
        host
    )
    .execute(&mut *db)
    .await?;
    let until = now + to_millis(delay + lease);
    let id = sqlx::query_scalar!(
        "INSERT INTO host_turns (host_key, lease_until) VALUES (?, ?) RETURNING id",
        host,
        until
    )
    .fetch_one(&mut *db)
    .await?;
    db.commit().await?;
    Ok(HostTurn::Granted {
        id: TurnId(id),
        delay,
    })
}

async fn end_turn(store: &SqliteStore, turn: TurnId) -> Result<(), Error> {
    let SqliteTransaction { mut db, .. } = store.begin().await?;
    let ended = sqlx::query_scalar!(
        "DELETE FROM host_turns WHERE id = ? RETURNING host_key",
        turn.0
    )
    .fetch_optional(&mut *db)
    .await?;
    if let Some(host) = ended {
        sqlx::query!(
            "UPDATE hosts SET open_at = max(next_start, paused_until) WHERE host_key = ?",
            host
        )
        .execute(&mut *db)
        .await?;
    }
    db.commit().await
}

async fn reserve_start(store: &SqliteStore, host: &HostKey) -> Result<Duration, Error> {
    let SqliteTransaction { mut db, now } = store.begin().await?;
    let limits = &store.options.limits;
    let (host, interval) = (host.as_str(), to_millis(limits.hosts.interval));
    let delay = sqlx::query_scalar!(
        r#"INSERT INTO hosts (host_key, next_start) VALUES (?1, ?2 + ?3)
           ON CONFLICT (host_key) DO UPDATE
           SET next_start = max(next_start, paused_until, ?2) + max(iif(?4, 0, interval_ms), ?3)
           RETURNING next_start - ?2 - max(iif(?4, 0, interval_ms), ?3) AS "delay!: i64""#,
        host,
        now,
        interval,
        limits.fixed_interval
    )
    .fetch_one(&mut *db)
    .await?;
    db.commit().await?;
    Ok(from_millis(delay))
}
