//! robots.txt files, fetched once for all workers.

use crawler_store::backend::RobotsRow;
use crawler_store::{RobotsRecords, RobotsText, StoreResult, StoredRobots};

use crate::fault::fault;
use crate::{PostgresStore, text};

impl RobotsRecords for PostgresStore {
    async fn robots(&self, origin: &str) -> StoreResult<Option<StoredRobots>> {
        let row = sqlx::query_as!(
            RobotsRow,
            r#"SELECT answer, robots, (extract(epoch FROM now() - fetched_at) * 1000)::bigint AS "age!"
               FROM origins WHERE origin = $1"#,
            origin
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(fault)?;
        row.map(StoredRobots::try_from).transpose()
    }

    async fn save_robots(&self, origin: &str, robots: RobotsText) -> StoreResult<()> {
        let (answer, robots) = robots.columns();
        sqlx::query!(
            "INSERT INTO origins (origin, answer, robots) VALUES ($1, $2, $3)
             ON CONFLICT (origin) DO UPDATE
             SET answer = EXCLUDED.answer, robots = EXCLUDED.robots, fetched_at = EXCLUDED.fetched_at",
            origin,
            answer,
            robots.map(text::owned)
        )
        .execute(&self.pool)
        .await
        .map_err(fault)?;
        Ok(())
    }
}
