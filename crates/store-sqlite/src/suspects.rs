//! Tasks that a crashed worker held.

use crawler_store::backend::{ALONE_AFTER, ClaimLane};
use crawler_store::{JobId, WorkerId};
use sqlx::types::uuid::fmt::Hyphenated;
use sqlx::{Error, SqliteConnection};

/// A queued task that a crashed worker held.
pub(crate) struct Suspect {
    pub(crate) id: i64,
    job: JobId,
    host: String,
}

impl Suspect {
    pub(crate) fn is_of(&self, lane: &ClaimLane<'_>) -> bool {
        self.job == lane.job.id && self.host == lane.host
    }
}

/// Tasks that a crashed worker held.
pub(crate) struct Suspects {
    /// The worker holds a task that is tried alone: it takes no other one meanwhile.
    pub(crate) holds_alone: bool,
    /// The tasks to try alone, longest waiting first.
    alone: Vec<Suspect>,
    /// The tasks to try together with tasks that are not suspects, longest waiting first.
    beside: Vec<Suspect>,
}

impl Suspects {
    /// Of the tasks to try alone, the first one of these lanes. One of another job at the same hosts is no reason to claim
    /// nothing else: it is tried when its own lane is found.
    pub(crate) fn alone(&self, lanes: &[ClaimLane<'_>]) -> Option<&Suspect> {
        first_of(&self.alone, lanes)
    }

    /// Of the tasks to try together with others, the first one of these lanes.
    pub(crate) fn beside(&self, lanes: &[ClaimLane<'_>]) -> Option<&Suspect> {
        first_of(&self.beside, lanes)
    }
}

fn first_of<'a>(suspects: &'a [Suspect], lanes: &[ClaimLane<'_>]) -> Option<&'a Suspect> {
    suspects
        .iter()
        .find(|task| lanes.iter().any(|lane| task.is_of(lane)))
}

/// The suspects that this worker may claim: one at a time, and alone after [`ALONE_AFTER`] crashes, so that no other task
/// is affected if it crashes its worker again.
pub(crate) async fn suspects(
    db: &mut SqliteConnection,
    worker: &WorkerId,
    now: i64,
) -> Result<Suspects, Error> {
    let name = worker.as_str();
    let held = sqlx::query_scalar!(
        r#"SELECT max(crashes) AS "held: i32" FROM crawl_tasks
           WHERE status = 'processing' AND crashes > 0 AND worker = ?"#,
        name
    )
    .fetch_one(&mut *db)
    .await?;
    let rows = sqlx::query!(
        r#"SELECT host_key, id AS "id!", job_id AS "job_id: Hyphenated", crashes AS "crashes: i32"
           FROM crawl_tasks INDEXED BY crawl_tasks_suspect
           WHERE status = 'queued' AND gated = 0 AND crashes > 0 AND not_before <= ?
           ORDER BY not_before, id"#,
        now
    )
    .fetch_all(db)
    .await?;
    let mut suspects = Suspects {
        holds_alone: held.is_some_and(|crashes| crashes >= ALONE_AFTER),
        alone: Vec::new(),
        beside: Vec::new(),
    };
    for row in rows {
        let suspect = Suspect {
            id: row.id,
            job: row.job_id.into(),
            host: row.host_key,
        };
        if row.crashes >= ALONE_AFTER {
            suspects.alone.push(suspect);
        } else if held.is_none() {
            suspects.beside.push(suspect);
        }
    }
    Ok(suspects)
}

/// Whether the worker holds any task.
pub(crate) async fn holds_tasks(
    db: &mut SqliteConnection,
    worker: &WorkerId,
) -> Result<bool, Error> {
    let name = worker.as_str();
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM crawl_tasks WHERE status = 'processing' AND worker = ?) AS "held!: bool""#,
        name
    )
    .fetch_one(db)
    .await
}
