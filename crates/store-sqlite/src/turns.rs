//! Requests outside of any job, in a host's turn: the same bucket and the same slots as its tasks.

use std::time::Duration;

use sqlx::Error;
use store::{HostBucket, Turn, TurnId, WANTED};
use weburl::HostKey;

use crate::numbers::to_millis;
use crate::{SqliteStore, writer};

pub(crate) async fn take(
    store: &SqliteStore,
    host: &HostKey,
    lease: Duration,
) -> Result<Turn, Error> {
    let host = host.as_str();
    let (mut db, now) = writer::begin(store).await?;
    let row = sqlx::query!(
        r#"INSERT INTO hosts (host_key, idle) VALUES (?, 1)
           ON CONFLICT (host_key) DO UPDATE SET idle = idle
           RETURNING interval_ms AS "interval_ms!: i64", max(next_start, paused_until) AS "next_start!: i64""#,
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
    let defaults = store.options.hosts;
    let turn = HostBucket {
        next_start: row.next_start - now,
        interval: store.options.interval(row.interval_ms),
        most_in_flight: i64::from(defaults.in_flight),
        in_flight: held,
    }
    .turn(lease);
    let grants = match turn {
        Ok(grants) => grants,
        Err(wait) => {
            let until = now + to_millis(WANTED);
            sqlx::query!(
                "UPDATE hosts SET wanted_until = ? WHERE host_key = ?",
                until,
                host
            )
            .execute(&mut *db)
            .await?;
            db.commit().await?;
            return Ok(Turn::Later(wait));
        }
    };
    let delay = grants.delay(0);
    let next_start = now + grants.next_start(1);
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
    Ok(Turn::Granted {
        id: TurnId(id),
        delay,
    })
}

pub(crate) async fn end(store: &SqliteStore, turn: TurnId) -> Result<(), Error> {
    let (mut db, _) = writer::begin(store).await?;
    let ended = sqlx::query_scalar!(
        "DELETE FROM host_turns WHERE id = ? RETURNING host_key",
        turn.0
    )
    .fetch_optional(&mut *db)
    .await?;
    if let Some(host) = ended {
        sqlx::query!(
            "UPDATE hosts SET open_at = max(next_start, paused_until) WHERE host_key = ? AND idle = 0",
            host
        )
        .execute(&mut *db)
        .await?;
    }
    db.commit().await
}
