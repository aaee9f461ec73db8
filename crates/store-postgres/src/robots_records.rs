//! robots.txt files, fetched once for all workers.

use crawler_store::backend::RobotsRow;
use crawler_store::{RobotsRecords, RobotsText, StoreResult, StoredRobots};
use sqlx::Error;

use crate::fault::fault;
use crate::{PostgresStore, text};

impl RobotsRecords for PostgresStore {
    async fn robots(&self, origin: &str) -> StoreResult<Option<StoredRobots>> {
        let row = sqlx::query_as!(
            RobotsRow,
            r#"SELECT answer, robots, (extract(epoch FROM now() - fetched_at) * 1000)::bigint AS "age!",
                      failure, failure_kind, failure_message,
                      (extract(epoch FROM now() - failed_at) * 1000)::bigint AS failure_age
               FROM origins WHERE origin = $1"#,
            origin
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(fault)?;
        row.map(StoredRobots::try_from).transpose()
    }

    async fn save_robots(&self, origin: &str, robots: RobotsText) -> StoreResult<()> {
        save(self, origin, &robots).await.map_err(fault)
    }
}

async fn save(store: &PostgresStore, origin: &str, robots: &RobotsText) -> Result<(), Error> {
    if let Some((name, failure)) = robots.failure() {
        sqlx::query!(
            "INSERT INTO origins (origin, answer, failure, failure_kind, failure_message, failed_at)
             VALUES ($1, 'unavailable', $2, $3, $4, now())
             ON CONFLICT (origin) DO UPDATE
             SET failure = EXCLUDED.failure, failure_kind = EXCLUDED.failure_kind,
                 failure_message = EXCLUDED.failure_message, failed_at = EXCLUDED.failed_at",
            origin,
            name,
            failure.kind.as_str(),
            text::owned(&failure.message)
        )
        .execute(&store.pool)
        .await?;
    } else {
        let (answer, robots) = robots.columns();
        sqlx::query!(
            "INSERT INTO origins (origin, answer, robots) VALUES ($1, $2, $3)
             ON CONFLICT (origin) DO UPDATE
             SET answer = EXCLUDED.answer, robots = EXCLUDED.robots, fetched_at = EXCLUDED.fetched_at,
                 failure = NULL, failure_kind = NULL, failure_message = NULL, failed_at = NULL",
            origin,
            answer,
            robots.map(text::owned)
        )
        .execute(&store.pool)
        .await?;
    }
    Ok(())
}
