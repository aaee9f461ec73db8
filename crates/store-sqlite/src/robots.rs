//! robots.txt, as fetched by whichever worker came first.

use std::time::Duration;

use sqlx::Error;
use store::{RobotsText, StoreError, StoredRobots};

use crate::fault::fault;
use crate::numbers::to_u64;
use crate::{SqliteStore, writer};

pub(crate) async fn robots(
    store: &SqliteStore,
    origin: &str,
) -> Result<Option<StoredRobots>, StoreError> {
    let row = sqlx::query!(
        r#"SELECT answer, robots, CAST(unixepoch('subsec') * 1000 AS INTEGER) - fetched_at AS "age!: i64"
           FROM origins WHERE origin = ?"#,
        origin
    )
    .fetch_optional(&store.readers)
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
    store: &SqliteStore,
    origin: &str,
    robots: RobotsText,
) -> Result<(), Error> {
    let (mut db, now) = writer::begin(store).await?;
    let (answer, robots) = robots.columns();
    sqlx::query!(
        "INSERT INTO origins (origin, answer, robots, fetched_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (origin) DO UPDATE
         SET answer = excluded.answer, robots = excluded.robots, fetched_at = excluded.fetched_at",
        origin,
        answer,
        robots,
        now
    )
    .execute(&mut *db)
    .await?;
    db.commit().await
}
