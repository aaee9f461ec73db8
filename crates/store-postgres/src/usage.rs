//! What owners use of their quotas.

use std::collections::BTreeMap;

use crawler_store::backend::{Backend, DAY_MILLIS, JobTransaction, OwnerUsageRow, to_millis};
use crawler_store::{AddedUsage, Owner, OwnerUsage, StoreResult, Usage};
use sqlx::{Error, PgConnection};
use uuid::Uuid;

use crate::PostgresStore;
use crate::fault::fault;

impl Usage for PostgresStore {
    async fn usage(&self, owner: &Owner) -> StoreResult<OwnerUsage> {
        let mut db = self.pool.acquire().await.map_err(fault)?;
        read(&mut db, owner.as_str()).await.map_err(fault)
    }

    async fn add_usage(&self, added: &[(Owner, AddedUsage)]) -> StoreResult<()> {
        add_alone(self, added).await.map_err(fault)
    }
}

async fn add_alone(store: &PostgresStore, added: &[(Owner, AddedUsage)]) -> Result<(), Error> {
    // One statement cannot write a row twice.
    let mut by_owner: BTreeMap<&str, AddedUsage> = BTreeMap::new();
    for (owner, added) in added {
        let sum = by_owner.entry(owner.as_str()).or_default();
        *sum = sum.plus(added);
    }
    let added: Vec<(&str, AddedUsage)> = by_owner.into_iter().collect();
    let mut db = store.begin().await?;
    db.add_usage(&added).await?;
    db.commit().await
}

pub(crate) async fn read(db: &mut PgConnection, owner: &str) -> Result<OwnerUsage, Error> {
    let row = sqlx::query_as!(
        OwnerUsageRow,
        r#"SELECT COALESCE((SELECT quota FROM api_keys WHERE name = $1), '{}') AS "quota!",
                  open.jobs AS "open_jobs!", open.tasks AS "open_tasks!", used.pages AS "pages!",
                  used.browser_ms AS "browser_ms!", used.stored_bytes AS "stored_bytes!",
                  (extract(epoch FROM now()) * 1000)::bigint AS "now!"
           FROM (SELECT count(*) AS jobs, COALESCE(sum(open_tasks), 0)::bigint AS tasks
                 FROM jobs WHERE owner = $1 AND status IN ('queued', 'running')) open,
                (SELECT COALESCE(sum(pages) FILTER (WHERE is_today), 0)::bigint AS pages,
                        COALESCE(sum(browser_ms) FILTER (WHERE is_today), 0)::bigint AS browser_ms,
                        COALESCE(sum(stored_bytes), 0)::bigint AS stored_bytes
                 FROM (SELECT pages, browser_ms, stored_bytes,
                              day = floor(extract(epoch FROM now()) * 1000 / $2::bigint)::bigint AS is_today
                       FROM owner_usage WHERE owner = $1) days) used"#,
        owner,
        DAY_MILLIS
    )
    .fetch_one(db)
    .await?;
    Ok(row.into())
}

/// Adds to the rows of this process.
pub(crate) async fn add(
    db: &mut PgConnection,
    process: Uuid,
    added: &[(&str, AddedUsage)],
) -> Result<(), Error> {
    let owners: Vec<String> = added.iter().map(|(owner, _)| (*owner).to_owned()).collect();
    let pages: Vec<i64> = added
        .iter()
        .map(|(_, added)| added.pages.cast_signed())
        .collect();
    let browser: Vec<i64> = added
        .iter()
        .map(|(_, added)| to_millis(added.browser_time))
        .collect();
    let stored: Vec<i64> = added.iter().map(|(_, added)| added.stored_bytes).collect();
    sqlx::query!(
        "INSERT INTO owner_usage (owner, day, process, pages, browser_ms, stored_bytes)
         SELECT n.owner, floor(extract(epoch FROM now()) * 1000 / $1::bigint)::bigint, $2, n.pages, n.browser_ms, n.stored
         FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) AS n(owner, pages, browser_ms, stored)
         ON CONFLICT (owner, day, process) DO UPDATE
         SET pages = owner_usage.pages + EXCLUDED.pages, browser_ms = owner_usage.browser_ms + EXCLUDED.browser_ms,
             stored_bytes = owner_usage.stored_bytes + EXCLUDED.stored_bytes",
        DAY_MILLIS,
        process,
        &owners,
        &pages,
        &browser,
        &stored
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Replaces the rows of days before yesterday by one row for each owner, with the bytes that are still stored.
pub(crate) async fn fold(store: &PostgresStore) -> Result<(), Error> {
    sqlx::query!(
        "WITH past AS (
             DELETE FROM owner_usage
             WHERE day > 0 AND day < floor(extract(epoch FROM now()) * 1000 / $1::bigint)::bigint - 1
             RETURNING owner, stored_bytes
         )
         INSERT INTO owner_usage (owner, day, process, stored_bytes)
         SELECT owner, 0, $2, sum(stored_bytes)::bigint FROM past GROUP BY owner ORDER BY owner
         ON CONFLICT (owner, day, process) DO UPDATE SET stored_bytes = owner_usage.stored_bytes + EXCLUDED.stored_bytes",
        DAY_MILLIS,
        Uuid::nil()
    )
    .execute(&store.pool)
    .await?;
    Ok(())
}
