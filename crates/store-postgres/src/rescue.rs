//! Taking leases back: one UPDATE, never a read followed by a write, so a task that was settled meanwhile is left alone.

use crawler_store::backend::{
    ALONE_AFTER, ALONE_AFTER_LOST_LEASES, Backend, JobTransaction, MAX_LOST_LEASES, Woken,
    conclude, poison_limit, to_i64,
};
use crawler_store::{JobId, Rescue, Rescued, WorkerId};
use sqlx::{Error, PgConnection};

use crate::PostgresStore;
use crate::fault::is_collision;

/// Marks a task as poisoned, in place of the name of a worker.
const POISONED_MARK: &str = "(poisoned)";
/// How often waking lanes is tried. What is missed after that, the reconciler finds.
const MAX_WAKE_ATTEMPTS: u32 = 5;

pub(crate) async fn rescue(store: &PostgresStore, which: Rescue) -> Result<Rescued, Error> {
    let (all, blame) = match which {
        Rescue::Expired => (false, true),
        Rescue::Held { blame } => (true, blame),
    };
    let max_crashes = poison_limit(store.options.limits.max_crashes);
    // A finished task gets its sequence number from its job's row, and that row is locked before its tasks. A poisoned
    // task is therefore only marked here, by a lease that has expired, and failed under its job's lock.
    let taken = sqlx::query!(
        r#"WITH lost AS MATERIALIZED (
               SELECT id, crashes + $3::int >= $2 OR lost_leases + $5::int >= $6 AS poisoned FROM crawl_tasks
               WHERE status = 'processing' AND (lease_until <= now() OR $1) AND crashes < $2 AND lost_leases < $6
               ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
           )
           UPDATE crawl_tasks t
           SET crashes = t.crashes + $3::int, lost_leases = t.lost_leases + $5::int, fence = t.fence + 1, updated_at = now(),
               blamed_worker = CASE WHEN $3::int > 0 THEN t.worker ELSE t.blamed_worker END,
               status = CASE WHEN lost.poisoned THEN 'processing' ELSE 'queued' END,
               worker = CASE WHEN lost.poisoned THEN $4 END,
               lease_until = CASE WHEN lost.poisoned THEN to_timestamp(0) END,
               not_before = now()
           FROM lost WHERE t.id = lost.id
           RETURNING t.host_key, t.job_id, t.status = 'processing' AS "poisoned!""#,
        all,
        max_crashes,
        i32::from(blame),
        POISONED_MARK,
        i32::from(!all),
        MAX_LOST_LEASES
    )
    .fetch_all(&store.pool)
    .await?;
    let mut rescued = Rescued::default();
    let mut woken = Woken::default();
    for row in taken {
        if !row.poisoned {
            woken.add_lanes(JobId(row.job_id), [row.host_key.clone()]);
            rescued.requeued += 1;
        }
        woken.hosts.insert(row.host_key);
    }
    wake(store, &woken).await?;
    rescued.poisoned = fail_poisoned(store, max_crashes).await?;
    Ok(rescued)
}

/// Wakes the lanes of requeued tasks. These transactions do not have the locks of their jobs, so they may collide with others.
async fn wake(store: &PostgresStore, woken: &Woken) -> Result<(), Error> {
    let mut attempt = 1;
    loop {
        let mut db = store.begin().await?;
        match db.wake(woken).await {
            Err(error) if attempt < MAX_WAKE_ATTEMPTS && is_collision(&error) => attempt += 1,
            Err(error) => return Err(error),
            Ok(()) => return db.commit().await,
        }
    }
}

/// Subtracts the crashes that were counted for a worker that turned out to be alive: it was suspended, cut off from the
/// database, or did not receive the response to a claim. A task whose row is locked is left to the worker's next call.
pub(crate) async fn take_back_blame(db: &mut PgConnection, worker: &WorkerId) -> Result<(), Error> {
    sqlx::query!(
        "WITH blamed AS MATERIALIZED (
             SELECT id FROM crawl_tasks
             WHERE blamed_worker = $1 AND status IN ('queued', 'processing') AND crashes > 0 AND worker IS DISTINCT FROM $2
             ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
         )
         UPDATE crawl_tasks t
         SET crashes = GREATEST(t.crashes - 1, CASE WHEN t.lost_leases > $3 THEN $4::int ELSE 0 END), blamed_worker = NULL
         FROM blamed WHERE t.id = blamed.id",
        worker.as_str(),
        POISONED_MARK,
        ALONE_AFTER_LOST_LEASES,
        ALONE_AFTER
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Fails the tasks that were marked, job by job, including those that an interrupted rescue left behind.
async fn fail_poisoned(store: &PostgresStore, max_crashes: i32) -> Result<u64, Error> {
    let jobs = sqlx::query_scalar!(
        "SELECT DISTINCT job_id FROM crawl_tasks
         WHERE status = 'processing' AND lease_until <= now() AND (crashes >= $1 OR lost_leases >= $2)",
        max_crashes,
        MAX_LOST_LEASES
    )
    .fetch_all(&store.pool)
    .await?;
    let mut failed = 0;
    for job in jobs {
        failed += fail_poisoned_of(store, JobId(job), max_crashes).await?;
    }
    Ok(failed)
}

/// Fails a job's poisoned tasks, under its lock.
async fn fail_poisoned_of(
    store: &PostgresStore,
    id: JobId,
    max_crashes: i32,
) -> Result<u64, Error> {
    let mut db = store.begin().await?;
    let Some(mut job) = db.lock_jobs(&[id]).await?.pop() else {
        return Ok(0);
    };
    let failed = sqlx::query!(
        "WITH poisoned AS MATERIALIZED (
             SELECT id FROM crawl_tasks
             WHERE job_id = $1 AND status = 'processing' AND lease_until <= now() AND (crashes >= $2 OR lost_leases >= $4)
             ORDER BY id FOR NO KEY UPDATE
         ), numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM poisoned)
         UPDATE crawl_tasks t
         SET status = 'failed', reason = 'poisoned',
             error = CASE WHEN t.crashes >= $2 THEN 'abandoned after repeated worker crashes (' || t.crashes || ')'
                          ELSE 'abandoned because its lease expired ' || t.lost_leases || ' times' END,
             sequence = $3 + n.place, worker = NULL, lease_until = NULL, updated_at = now()
         FROM numbered n WHERE t.id = n.id",
        id.0,
        max_crashes,
        job.sequence,
        MAX_LOST_LEASES
    )
    .execute(&mut *db.db)
    .await?
    .rows_affected();
    job.end_tasks(to_i64(failed));
    let conclusion = conclude(&mut db, &mut job).await?;
    db.wake(&conclusion.woken).await?;
    db.commit().await?;
    Ok(failed)
}
