//! Settling a batch: one transaction. New tasks, documents and links first, the finished tasks last, each fenced.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use sqlx::{Error, SqliteConnection};
use store::{
    Checkpoint, NewDocument, NewMappedUrl, NewTask, Settled, Settlement, StoreError, TaskState,
    Verdict,
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
    for settlement in batch {
        let job = settlement.job.0.to_string();
        match holder(&mut db, settlement, &job).await? {
            Some(host) if once.insert(settlement.lease) => {
                woken.insert(host);
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

/// The host of a task whose lease still holds.
async fn holder(
    db: &mut SqliteConnection,
    settlement: &Settlement,
    job: &str,
) -> Result<Option<String>, Error> {
    let (task, fence) = (settlement.lease.task.0, settlement.lease.fence.0);
    sqlx::query_scalar!(
        "SELECT host_key FROM crawl_tasks WHERE id = ? AND fence = ? AND job_id = ? AND status = 'processing'",
        task,
        fence,
        job
    )
    .fetch_optional(db)
    .await
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
    for settlement in mine {
        finish_task(db, job, settlement, now).await?;
    }
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

/// The fenced write of a task itself: a write about a task carries its lease, wherever it stands.
async fn finish_task(
    db: &mut SqliteConnection,
    job: &mut JobRow,
    settlement: &Settlement,
    now: i64,
) -> Result<(), Error> {
    let verdict = &settlement.verdict;
    let (error, reason) = verdict.words();
    let state = verdict.state().as_str();
    let bytes = to_i64(verdict.bytes());
    let sequence = (verdict.state() != TaskState::Queued).then_some(job.sequence + 1);
    let given_back = i64::from(*verdict == Verdict::HandBack);
    let not_before = match verdict {
        Verdict::Retry { after, .. } => Some(now + to_millis(*after)),
        Verdict::HandBack => Some(now),
        _ => None,
    };
    let (task, fence) = (settlement.lease.task.0, settlement.lease.fence.0);
    let written = sqlx::query!(
        "UPDATE crawl_tasks
         SET status = ?1, error = ?2, reason = ?3, bytes = bytes + ?4, sequence = ?5, attempt = attempt - ?6,
             worker = NULL, lease_until = NULL, not_before = coalesce(?7, not_before), updated_at = ?8
         WHERE id = ?9 AND fence = ?10 AND status = 'processing'",
        state,
        error,
        reason,
        bytes,
        sequence,
        given_back,
        not_before,
        now,
        task,
        fence
    )
    .execute(db)
    .await?
    .rows_affected();
    if written != 1 {
        let words = format!("a task that was held was written {written} times");
        return Err(Error::Decode(words.into()));
    }
    job.sequence = sequence.unwrap_or(job.sequence);
    job.bytes += bytes;
    Ok(())
}
