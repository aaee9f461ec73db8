//! Requests outside of any job, in a host's turn: the same bucket and the same slots as its tasks.

use std::time::Duration;

use sqlx::Error;
use store::{HostBucket, Turn, TurnId, WANTED};
use weburl::HostKey;

use crate::PostgresStore;
use crate::numbers::to_millis;

pub(crate) async fn take(
    store: &PostgresStore,
    host: &HostKey,
    lease: Duration,
) -> Result<Turn, Error> {
    let host = host.as_str();
    let mut db = store.pool.begin().await?;
    // Also takes the row's lock, so nothing is counted while a claim hands out slots.
    let row = sqlx::query!(
        r#"INSERT INTO hosts AS h (host_key, idle) VALUES ($1, true)
           ON CONFLICT (host_key) DO UPDATE SET idle = h.idle
           RETURNING interval_ms,
                     (extract(epoch FROM GREATEST(next_start, paused_until) - now()) * 1000)::bigint AS "next_start!""#,
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
    let defaults = store.options.hosts;
    let turn = HostBucket {
        next_start: row.next_start,
        interval: store.options.interval(row.interval_ms),
        most_in_flight: i64::from(defaults.in_flight),
        in_flight: held,
    }
    .turn(lease);
    let grants = match turn {
        Ok(grants) => grants,
        Err(wait) => {
            sqlx::query!(
                "UPDATE hosts SET wanted_until = now() + $2 * interval '1 ms' WHERE host_key = $1",
                host,
                to_millis(WANTED) as f64
            )
            .execute(&mut *db)
            .await?;
            db.commit().await?;
            return Ok(Turn::Later(wait));
        }
    };
    let delay = grants.delay(0);
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
        grants.next_start(1) as f64,
        to_millis(delay + lease) as f64
    )
    .fetch_one(&mut *db)
    .await?;
    db.commit().await?;
    Ok(Turn::Granted {
        id: TurnId(id),
        delay,
    })
}

pub(crate) async fn end(store: &PostgresStore, turn: TurnId) -> Result<(), Error> {
    sqlx::query!(
        "WITH ended AS (DELETE FROM host_turns WHERE id = $1 RETURNING host_key)
         UPDATE hosts h SET open_at = GREATEST(h.next_start, h.paused_until)
         FROM ended WHERE h.host_key = ended.host_key AND NOT h.idle",
        turn.0
    )
    .execute(&store.pool)
    .await?;
    Ok(())
}
