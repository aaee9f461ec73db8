//! Hosts: waking those that have work again, and what they ask for.

use std::collections::BTreeSet;
use std::time::Duration;

use sqlx::{Error, PgConnection};
use store::Checkpoint;
use weburl::HostKey;

use crate::PostgresStore;
use crate::numbers::to_millis;

/// Claims look at these hosts again, behind those that wait already: a job that finds hosts faster than they are asked
/// must not keep the others from their turn. Takes their rows' locks in one order, and always takes them: a claim that found
/// a host without work marks it idle under the same lock, so neither can miss the other.
pub(crate) async fn wake(db: &mut PgConnection, hosts: &BTreeSet<String>) -> Result<(), Error> {
    if hosts.is_empty() {
        return Ok(());
    }
    let hosts: Vec<String> = hosts.iter().cloned().collect();
    sqlx::query!(
        "INSERT INTO hosts (host_key, open_at) SELECT host, now() FROM unnest($1::text[]) AS n(host) ORDER BY host
         ON CONFLICT (host_key) DO UPDATE
         SET idle = false,
             open_at = CASE WHEN hosts.idle THEN GREATEST(now(), hosts.next_start, hosts.paused_until)
                            ELSE LEAST(hosts.open_at, GREATEST(now(), hosts.next_start, hosts.paused_until)) END",
        &hosts
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn slow(
    store: &PostgresStore,
    host: &HostKey,
    interval: Duration,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO hosts (host_key, interval_ms, idle) VALUES ($1, $2, true)
         ON CONFLICT (host_key) DO UPDATE
         SET interval_ms = GREATEST(hosts.interval_ms, EXCLUDED.interval_ms)",
        host.as_str(),
        to_millis(interval)
    )
    .execute(&store.pool)
    .await?;
    Ok(())
}

pub(crate) async fn pause(
    store: &PostgresStore,
    host: &HostKey,
    pause: Duration,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO hosts (host_key, paused_until, open_at, idle)
         VALUES ($1, now() + $2 * interval '1 ms', now() + $2 * interval '1 ms', true)
         ON CONFLICT (host_key) DO UPDATE
         SET paused_until = GREATEST(hosts.paused_until, EXCLUDED.paused_until),
             open_at = GREATEST(hosts.open_at, EXCLUDED.paused_until)",
        host.as_str(),
        to_millis(pause) as f64
    )
    .execute(&store.pool)
    .await?;
    Ok(())
}

pub(crate) async fn reserve_start(
    store: &PostgresStore,
    host: &HostKey,
) -> Result<Duration, Error> {
    let delay = sqlx::query_scalar!(
        r#"INSERT INTO hosts AS h (host_key, next_start, idle)
           VALUES ($1, now() + $2 * interval '1 ms', true)
           ON CONFLICT (host_key) DO UPDATE
           SET next_start = GREATEST(h.next_start, h.paused_until, now())
                            + GREATEST(h.interval_ms, $2) * interval '1 ms'
           RETURNING (extract(epoch FROM next_start - now()) * 1000)::bigint - GREATEST(interval_ms, $2)::bigint AS "delay!""#,
        host.as_str(),
        to_millis(store.options.hosts.interval) as f64
    )
    .fetch_one(&store.pool)
    .await?;
    Ok(Duration::from_millis(delay.max(0).unsigned_abs()))
}

/// Writes, because a database that can only be read is not ready.
pub(crate) async fn ready(store: &PostgresStore) -> Result<(), Error> {
    let mut db = store.pool.begin().await?;
    let probe = Checkpoint {
        key: "ready".to_owned(),
        bytes: Vec::new(),
    };
    write_checkpoint(&mut db, &probe).await?;
    db.rollback().await
}

pub(crate) async fn write_checkpoint(
    db: &mut PgConnection,
    checkpoint: &Checkpoint,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO checkpoints (key, bytes) VALUES ($1, $2)
         ON CONFLICT (key) DO UPDATE SET bytes = EXCLUDED.bytes, updated_at = now()",
        checkpoint.key,
        checkpoint.bytes
    )
    .execute(db)
    .await?;
    Ok(())
}
