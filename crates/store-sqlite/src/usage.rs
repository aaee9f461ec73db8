//! What owners use of their quotas.

use crawler_store::backend::{Backend, DAY_MILLIS, JobTransaction, OwnerUsageRow, to_millis};
use crawler_store::{AddedUsage, Owner, OwnerUsage, StoreResult, Usage};
use sqlx::{Error, SqliteConnection};

use crate::SqliteStore;
use crate::fault::fault;
use crate::sqlite_transaction::clock;

impl Usage for SqliteStore {
    async fn usage(&self, owner: &Owner) -> StoreResult<OwnerUsage> {
        read_alone(self, owner).await.map_err(fault)
    }

    async fn add_usage(&self, added: &[(Owner, AddedUsage)]) -> StoreResult<()> {
        add_alone(self, added).await.map_err(fault)
    }
}

async fn read_alone(store: &SqliteStore, owner: &Owner) -> Result<OwnerUsage, Error> {
    let mut db = store.readers.acquire().await?;
    let now = clock(&mut db).await?;
    read(&mut db, owner.as_str(), now).await
}

async fn add_alone(store: &SqliteStore, added: &[(Owner, AddedUsage)]) -> Result<(), Error> {
    let mut db = store.begin().await?;
    for (owner, added) in added {
        db.add_usage(&[(owner.as_str(), *added)]).await?;
    }
    db.commit().await
}

pub(crate) async fn read(
    db: &mut SqliteConnection,
    owner: &str,
    now: i64,
) -> Result<OwnerUsage, Error> {
    let today = now / DAY_MILLIS;
    let row = sqlx::query_as!(
        OwnerUsageRow,
        r#"SELECT coalesce((SELECT quota FROM api_keys WHERE name = ?1), '{}') AS "quota!: String",
                  open.jobs AS "open_jobs!: i64", open.tasks AS "open_tasks!: i64", used.pages AS "pages!: i64",
                  used.browser_ms AS "browser_ms!: i64", used.stored_bytes AS "stored_bytes!: i64", ?2 AS "now!: i64"
           FROM (SELECT count(*) AS jobs, coalesce(sum(open_tasks), 0) AS tasks FROM jobs
                 WHERE owner = ?1 AND status IN ('queued', 'running')) open,
                (SELECT coalesce(sum(pages) FILTER (WHERE day = ?3), 0) AS pages,
                        coalesce(sum(browser_ms) FILTER (WHERE day = ?3), 0) AS browser_ms,
                        coalesce(sum(stored_bytes), 0) AS stored_bytes
                 FROM owner_usage WHERE owner = ?1) used"#,
        owner,
        now,
        today
    )
    .fetch_one(db)
    .await?;
    Ok(row.into())
}

pub(crate) async fn add(
    db: &mut SqliteConnection,
    now: i64,
    added: &[(&str, AddedUsage)],
) -> Result<(), Error> {
    let today = now / DAY_MILLIS;
    for (owner, added) in added {
        let (pages, browser) = (added.pages.cast_signed(), to_millis(added.browser_time));
        sqlx::query!(
            "INSERT INTO owner_usage (owner, day, pages, browser_ms, stored_bytes) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (owner, day) DO UPDATE
             SET pages = pages + ?3, browser_ms = browser_ms + ?4, stored_bytes = stored_bytes + ?5",
            owner,
            today,
            pages,
            browser,
            added.stored_bytes
        )
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

/// Replaces the rows of days before yesterday by one row for each owner, with the bytes that are still stored.
pub(crate) async fn fold(db: &mut SqliteConnection, now: i64) -> Result<(), Error> {
    let yesterday = now / DAY_MILLIS - 1;
    sqlx::query!(
        "INSERT INTO owner_usage (owner, day, stored_bytes)
         SELECT owner, 0, sum(stored_bytes) FROM owner_usage WHERE day > 0 AND day < ?1 GROUP BY owner
         ON CONFLICT (owner, day) DO UPDATE SET stored_bytes = stored_bytes + excluded.stored_bytes",
        yesterday
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "DELETE FROM owner_usage WHERE day > 0 AND day < ?",
        yesterday
    )
    .execute(db)
    .await?;
    Ok(())
}
