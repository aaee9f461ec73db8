//! robots.txt, as fetched by whichever worker came first.

use std::time::Duration;

use sqlx::Error;
use store::{RobotsText, StoreError, StoredRobots};

use crate::fault::fault;
use crate::numbers::to_u64;
use crate::{PostgresStore, text};

pub(crate) async fn robots(
    store: &PostgresStore,
    origin: &str,
) -> Result<Option<StoredRobots>, StoreError> {
    let row = sqlx::query!(
        r#"SELECT answer, robots, (extract(epoch FROM now() - fetched_at) * 1000)::bigint AS "age!"
           FROM origins WHERE origin = $1"#,
        origin
    )
    .fetch_optional(&store.pool)
    .await
    .map_err(fault)?;
    row.map(|row| {
        let robots = RobotsText::from_columns(&row.answer, row.robots).ok_or_else(|| {
            StoreError::Refused(format!("an origin's answer is {:?}", row.answer))
        })?;
        Ok(StoredRobots {
            robots,
            age: Duration::from_millis(to_u64(row.age)),
        })
    })
    .transpose()
}

pub(crate) async fn keep(
    store: &PostgresStore,
    origin: &str,
    robots: RobotsText,
) -> Result<(), Error> {
    let (answer, robots) = robots.columns();
    sqlx::query!(
        "INSERT INTO origins (origin, answer, robots) VALUES ($1, $2, $3)
         ON CONFLICT (origin) DO UPDATE
         SET answer = EXCLUDED.answer, robots = EXCLUDED.robots, fetched_at = EXCLUDED.fetched_at",
        origin,
        answer,
        robots.map(text::owned)
    )
    .execute(&store.pool)
    .await?;
    Ok(())
}
