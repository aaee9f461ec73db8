//! robots.txt files, fetched once for all workers.

use crawler_store::backend::{Backend, JobTransaction, RobotsRow};
use crawler_store::{RobotsRecords, RobotsText, StoreResult, StoredRobots};
use sqlx::Error;

use crate::SqliteStore;
use crate::fault::fault;

impl RobotsRecords for SqliteStore {
    async fn robots(&self, origin: &str) -> StoreResult<Option<StoredRobots>> {
        let row = sqlx::query_as!(
            RobotsRow,
            r#"SELECT answer, robots, CAST(unixepoch('subsec') * 1000 AS INTEGER) - fetched_at AS "age!: i64",
                      failure, failure_kind, failure_message,
                      CAST(unixepoch('subsec') * 1000 AS INTEGER) - failed_at AS "failure_age: i64"
               FROM origins WHERE origin = ?"#,
            origin
        )
        .fetch_optional(&self.readers)
        .await
        .map_err(fault)?;
        row.map(StoredRobots::try_from).transpose()
    }

    async fn save_robots(&self, origin: &str, robots: RobotsText) -> StoreResult<()> {
        save(self, origin, &robots).await.map_err(fault)
    }
}

async fn save(store: &SqliteStore, origin: &str, robots: &RobotsText) -> Result<(), Error> {
    let mut transaction = store.begin().await?;
    if let Some((name, failure)) = robots.failure() {
        let kind = failure.kind.as_str();
        sqlx::query!(
            "INSERT INTO origins (origin, answer, fetched_at, failure, failure_kind, failure_message, failed_at)
             VALUES (?1, 'unavailable', ?2, ?3, ?4, ?5, ?2)
             ON CONFLICT (origin) DO UPDATE
             SET failure = excluded.failure, failure_kind = excluded.failure_kind,
                 failure_message = excluded.failure_message, failed_at = excluded.failed_at",
            origin,
            transaction.now,
            name,
            kind,
            failure.message
        )
        .execute(&mut *transaction.db)
        .await?;
    } else {
        let (answer, robots) = robots.columns();
        sqlx::query!(
            "INSERT INTO origins (origin, answer, robots, fetched_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (origin) DO UPDATE
             SET answer = excluded.answer, robots = excluded.robots, fetched_at = excluded.fetched_at,
                 failure = NULL, failure_kind = NULL, failure_message = NULL, failed_at = NULL",
            origin,
            answer,
            robots,
            transaction.now
        )
        .execute(&mut *transaction.db)
        .await?;
    }
    transaction.commit().await
}
