//! Hosts: waking those that have work again, and what they ask for.

use std::collections::BTreeSet;
use std::time::Duration;

use sqlx::{Error, SqliteConnection};
use store::Checkpoint;
use weburl::HostKey;

use crate::numbers::to_millis;
use crate::{SqliteStore, writer};

/// Claims look at these hosts again, behind those that wait already: a job that finds hosts faster than they are asked
/// must not keep the others from their turn.
pub(crate) async fn wake(
    db: &mut SqliteConnection,
    hosts: &BTreeSet<String>,
    now: i64,
) -> Result<(), Error> {
    for host in hosts {
        sqlx::query!(
            "INSERT INTO hosts (host_key, open_at) VALUES (?1, ?2)
             ON CONFLICT (host_key) DO UPDATE
             SET idle = 0,
                 open_at = CASE WHEN idle THEN max(?2, next_start, paused_until)
                                ELSE min(open_at, max(?2, next_start, paused_until)) END",
            host,
            now
        )
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

pub(crate) async fn slow(
    store: &SqliteStore,
    host: &HostKey,
    interval: Duration,
) -> Result<(), Error> {
    let (mut db, _) = writer::begin(store).await?;
    let (host, interval) = (host.as_str(), to_millis(interval));
    sqlx::query!(
        "INSERT INTO hosts (host_key, interval_ms, idle) VALUES (?, ?, 1)
         ON CONFLICT (host_key) DO UPDATE SET interval_ms = max(interval_ms, excluded.interval_ms)",
        host,
        interval
    )
    .execute(&mut *db)
    .await?;
    db.commit().await
}

pub(crate) async fn pause(
    store: &SqliteStore,
    host: &HostKey,
    pause: Duration,
) -> Result<(), Error> {
    let (mut db, now) = writer::begin(store).await?;
    let (host, until) = (host.as_str(), now + to_millis(pause));
    sqlx::query!(
        "INSERT INTO hosts (host_key, paused_until, open_at, idle) VALUES (?1, ?2, ?2, 1)
         ON CONFLICT (host_key) DO UPDATE
         SET paused_until = max(paused_until, excluded.paused_until), open_at = max(open_at, excluded.paused_until)",
        host,
        until
    )
    .execute(&mut *db)
    .await?;
    db.commit().await
}

pub(crate) async fn reserve_start(store: &SqliteStore, host: &HostKey) -> Result<Duration, Error> {
    let (mut db, now) = writer::begin(store).await?;
    let (host, interval) = (host.as_str(), to_millis(store.options.hosts.interval));
    let delay = sqlx::query_scalar!(
        r#"INSERT INTO hosts (host_key, next_start, idle) VALUES (?1, ?2 + ?3, 1)
           ON CONFLICT (host_key) DO UPDATE
           SET next_start = max(next_start, paused_until, ?2) + max(interval_ms, ?3)
           RETURNING next_start - ?2 - max(interval_ms, ?3) AS "delay!: i64""#,
        host,
        now,
        interval
    )
    .fetch_one(&mut *db)
    .await?;
    db.commit().await?;
    Ok(Duration::from_millis(delay.max(0).unsigned_abs()))
}

/// Writes, because a file that can only be read is not ready.
pub(crate) async fn ready(store: &SqliteStore) -> Result<(), Error> {
    let (mut db, now) = writer::begin(store).await?;
    let probe = Checkpoint {
        key: "ready".to_owned(),
        bytes: Vec::new(),
    };
    write_checkpoint(&mut db, &probe, now).await?;
    db.rollback().await
}

pub(crate) async fn write_checkpoint(
    db: &mut SqliteConnection,
    checkpoint: &Checkpoint,
    now: i64,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO checkpoints (key, bytes, updated_at) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET bytes = excluded.bytes, updated_at = excluded.updated_at",
        checkpoint.key,
        checkpoint.bytes,
        now
    )
    .execute(db)
    .await?;
    Ok(())
}
