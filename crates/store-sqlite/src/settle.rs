//! Settling a batch: one transaction. New tasks, documents and links first, the finished tasks last, each fenced.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::json;
use sqlx::{Error, SqliteConnection};
use store::{
    Checkpoint, Fence, Lease, NewDocument, NewMappedUrl, NewTask, Settled, Settlement, StoreError,
    TaskId, TaskState, Verdict,
};

use crate::fault::fault;
use crate::job_row::JobRow;
use crate::numbers::{to_i64, to_millis};
use crate::{SqliteStore, admit, hosts, job_row, writer};

pub(crate) async fn settle(
    store: &SqliteStore,
    batch: Vec<Settlement>,
    checkpoint: Option<Checkpoint>,
) -> Result<Settled, StoreError> {
    attempt(store, &batch, checkpoint.as_ref())
        .await
        .map_err(fault)
}

async fn attempt(
    store: &SqliteStore,
    batch: &[Settlement],
    checkpoint: Option<&Checkpoint>,
) -> Result<Settled, Error> {
    let (mut db, now) = writer::begin(store).await?;
    let mut settled = Settled::default();
    let mut by_job: BTreeMap<String, Vec<&Settlement>> = BTreeMap::new();
    let mut once = BTreeSet::new();
    let mut woken = BTreeSet::new();
    let held = still_held(&mut db, batch).await?;
    for settlement in batch {
        let job = settlement.job.0.to_string();
        match held.get(&settlement.lease) {
            Some((holder, host)) if *holder == job && once.insert(settlement.lease) => {
                woken.insert(host.clone());
                settled.kept.push(settlement.lease);
                by_job.entry(job).or_default().push(settlement);
            }
            _ => settled.lost.push(settlement.lease),
        }
    }
    for (id, mine) in &by_job {
        if let Some(mut job) = job_row::read(&mut db, id).await? {
            settled.admitted += settle_job(&mut db, &mut job, mine, &mut woken, now).await?;
        }
    }
    if let Some(checkpoint) = checkpoint {
        hosts::write_checkpoint(&mut db, checkpoint, now).await?;
    }
    hosts::wake(&mut db, &woken, now).await?;
    db.commit().await?;
    Ok(settled)
}

/// The leases of a batch that still hold, each with its job and host.
async fn still_held(
    db: &mut SqliteConnection,
    batch: &[Settlement],
) -> Result<HashMap<Lease, (String, String)>, Error> {
    let leases: serde_json::Value = batch
        .iter()
        .map(|one| vec![one.lease.task.0, one.lease.fence.0])
        .collect();
    let leases = leases.to_string();
    // A cross join is made in the order it is written: each lease is looked up by its task's key.
    let rows = sqlx::query!(
        r#"SELECT t.id AS "id!", t.fence AS "fence!", t.job_id AS "job_id!", t.host_key AS "host_key!"
           FROM json_each(?) l CROSS JOIN crawl_tasks t
           WHERE t.id = l.value ->> 0 AND t.fence = l.value ->> 1 AND t.status = 'processing'"#,
        leases
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let lease = Lease {
                task: TaskId(row.id),
                fence: Fence(row.fence),
            };
            (lease, (row.job_id, row.host_key))
        })
        .collect())
}

async fn settle_job(
    db: &mut SqliteConnection,
    job: &mut JobRow,
    mine: &[&Settlement],
    woken: &mut BTreeSet<String>,
    now: i64,
) -> Result<u64, Error> {
    let ended = |settlement: &&&Settlement| settlement.verdict.state() != TaskState::Queued;
    let found: Vec<&NewTask> = mine
        .iter()
        .filter(ended)
        .flat_map(|settlement| &settlement.found)
        .collect();
    // A redirect gives its place to its target: a limit of one page is met by a page, not by a hop.
    let moved = mine.iter().filter(|settlement| settlement.is_redirect());
    job.admitted -= to_i64(moved.count() as u64);
    let admitted = admit::admit(db, job, &found, woken, now).await?;
    let mut links = Vec::new();
    for settlement in mine {
        if let Verdict::Done {
            document, mapped, ..
        } = &settlement.verdict
        {
            if let Some(document) = document {
                insert_document(db, &job.id, document, now).await?;
            }
            links.extend(mapped);
        }
    }
    insert_links(db, &job.id, &links, now).await?;
    finish_tasks(db, job, mine, now).await?;
    let conclusion = job_row::conclude(db, job, now).await?;
    woken.extend(conclusion.hosts);
    Ok(admitted)
}

async fn insert_document(
    db: &mut SqliteConnection,
    job: &str,
    document: &NewDocument,
    now: i64,
) -> Result<(), Error> {
    let meta = document.meta.to_string();
    sqlx::query!(
        "INSERT INTO documents (job_id, requested_url, final_url, title, content_md, content_raw, meta,
                                created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) ON CONFLICT (job_id, final_url) DO NOTHING",
        job,
        document.requested_url,
        document.final_url,
        document.title,
        document.content_md,
        document.content_raw,
        meta,
        now
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn insert_links(
    db: &mut SqliteConnection,
    job: &str,
    links: &[&NewMappedUrl],
    now: i64,
) -> Result<(), Error> {
    if links.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = links
        .iter()
        .map(|link| json!([link.source_url, link.target_url, link.depth]))
        .collect();
    let rows = serde_json::Value::Array(rows).to_string();
    sqlx::query!(
        "INSERT INTO mapped_urls (job_id, source_url, target_url, depth, created_at, updated_at)
         SELECT ?1, value ->> 0, value ->> 1, value ->> 2, ?2, ?2 FROM json_each(?3) ORDER BY key",
        job,
        now,
        rows
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The fenced write of the tasks themselves: a write about a task carries its lease, wherever it stands.
async fn finish_tasks(
    db: &mut SqliteConnection,
    job: &mut JobRow,
    mine: &[&Settlement],
    now: i64,
) -> Result<(), Error> {
    let mut sequence = job.sequence;
    let mut bytes = 0;
    let mut rows = Vec::with_capacity(mine.len());
    for settlement in mine {
        let verdict = &settlement.verdict;
        let (error, reason) = verdict.words();
        let ended = verdict.state() != TaskState::Queued;
        sequence += i64::from(ended);
        bytes += to_i64(verdict.bytes());
        let not_before = match verdict {
            Verdict::Retry { after, .. } => Some(now + to_millis(*after)),
            Verdict::HandBack => Some(now),
            _ => None,
        };
        rows.push(json!([
            settlement.lease.task.0,
            settlement.lease.fence.0,
            verdict.state().as_str(),
            error,
            reason,
            to_i64(verdict.bytes()),
            ended.then_some(sequence),
            i64::from(*verdict == Verdict::HandBack),
            not_before,
        ]));
    }
    let rows = serde_json::Value::Array(rows).to_string();
    // The sign before `status` keeps its index out of it: each row is looked up by its task's key.
    let written = sqlx::query!(
        "UPDATE crawl_tasks
         SET status = n.value ->> 2, error = n.value ->> 3, reason = n.value ->> 4, bytes = bytes + (n.value ->> 5),
             sequence = n.value ->> 6, attempt = attempt - (n.value ->> 7), worker = NULL, lease_until = NULL,
             not_before = coalesce(n.value ->> 8, not_before), updated_at = ?1
         FROM json_each(?2) n
         WHERE crawl_tasks.id = n.value ->> 0 AND fence = n.value ->> 1 AND +status = 'processing'",
        now,
        rows
    )
    .execute(db)
    .await?
    .rows_affected();
    if written != mine.len() as u64 {
        let words = format!("{} tasks were held and {written} were written", mine.len());
        return Err(Error::Decode(words.into()));
    }
    job.sequence = sequence;
    job.bytes += bytes;
    Ok(())
}
