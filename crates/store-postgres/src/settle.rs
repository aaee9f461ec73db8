//! Settling a batch: one transaction, in the one order that neither loses nor deadlocks.
//!
//! The jobs' rows, then the leases that still hold, then new tasks, documents and links, and the finished tasks last:
//! another writer's `ON CONFLICT` waits for a row that was updated, not for one that is only locked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlx::{Error, PgConnection};
use store::{
    Checkpoint, Fence, Lease, NewDocument, NewMappedUrl, NewTask, Settled, Settlement, StoreError,
    TaskId, TaskState, Verdict,
};
use uuid::Uuid;

use crate::fault::{fault, is_collision};
use crate::job_row::JobRow;
use crate::numbers::{to_i32, to_i64, to_millis};
use crate::{PostgresStore, admit, hosts, job_row, text};

/// How often a batch that collided with another is tried.
const TRIES: u32 = 6;

pub(crate) async fn settle(
    store: &PostgresStore,
    batch: Vec<Settlement>,
    checkpoint: Option<Checkpoint>,
) -> Result<Settled, StoreError> {
    let mut tries = 1;
    loop {
        match attempt(store, &batch, checkpoint.as_ref()).await {
            Err(error) if tries < TRIES && is_collision(&error) => tries += 1,
            done => return done.map_err(fault),
        }
    }
}

async fn attempt(
    store: &PostgresStore,
    batch: &[Settlement],
    checkpoint: Option<&Checkpoint>,
) -> Result<Settled, Error> {
    let mut db = store.pool.begin().await?;
    let mut ids: Vec<Uuid> = batch.iter().map(|settlement| settlement.job.0).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut jobs = job_row::lock(&mut db, &ids).await?;
    let held = still_held(&mut db, batch).await?;
    let mut settled = Settled::default();
    let mut by_job: BTreeMap<Uuid, Vec<&Settlement>> = BTreeMap::new();
    let mut once = BTreeSet::new();
    let mut woken = BTreeSet::new();
    for settlement in batch {
        let holder = held.get(&settlement.lease);
        match holder {
            Some((job, host)) if *job == settlement.job.0 && once.insert(settlement.lease) => {
                woken.insert(host.clone());
                settled.kept.push(settlement.lease);
                by_job.entry(*job).or_default().push(settlement);
            }
            _ => settled.lost.push(settlement.lease),
        }
    }
    for job in &mut jobs {
        let Some(mine) = by_job.get(&job.id) else {
            continue;
        };
        settled.admitted += settle_job(&mut db, job, mine, &mut woken).await?;
    }
    if let Some(checkpoint) = checkpoint {
        hosts::write_checkpoint(&mut db, checkpoint).await?;
    }
    hosts::wake(&mut db, &woken).await?;
    db.commit().await?;
    Ok(settled)
}

/// The leases of a batch that still hold, each with its job and host, locked until the end.
async fn still_held(
    db: &mut PgConnection,
    batch: &[Settlement],
) -> Result<HashMap<Lease, (Uuid, String)>, Error> {
    let ids: Vec<i64> = batch
        .iter()
        .map(|settlement| settlement.lease.task.0)
        .collect();
    let fences: Vec<i64> = batch
        .iter()
        .map(|settlement| settlement.lease.fence.0)
        .collect();
    let rows = sqlx::query!(
        "SELECT t.id, t.fence, t.job_id, t.host_key FROM crawl_tasks t
         WHERE t.status = 'processing' AND EXISTS (
             SELECT 1 FROM unnest($1::bigint[], $2::bigint[]) AS l(id, fence) WHERE t.id = l.id AND t.fence = l.fence)
           AND t.id = ANY($1)
         ORDER BY t.id FOR NO KEY UPDATE OF t",
        &ids,
        &fences
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
    db: &mut PgConnection,
    job: &mut JobRow,
    mine: &[&Settlement],
    woken: &mut BTreeSet<String>,
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
    let admitted = admit::admit(db, job, &found, woken).await?;
    let mut documents = Vec::new();
    let mut links = Vec::new();
    for settlement in mine {
        if let Verdict::Done {
            document, mapped, ..
        } = &settlement.verdict
        {
            documents.extend(document);
            links.extend(mapped);
        }
    }
    insert_documents(db, job.id, &documents).await?;
    insert_links(db, job.id, &links).await?;
    finish_tasks(db, job, mine).await?;
    let conclusion = job_row::conclude(db, job).await?;
    woken.extend(conclusion.hosts);
    Ok(admitted)
}

async fn insert_documents(
    db: &mut PgConnection,
    job: Uuid,
    documents: &[&NewDocument],
) -> Result<(), Error> {
    if documents.is_empty() {
        return Ok(());
    }
    let optional = |text: fn(&NewDocument) -> &Option<String>| -> Vec<Option<String>> {
        documents
            .iter()
            .map(|document| text(document).as_deref().map(text::owned))
            .collect()
    };
    let requested: Vec<String> = documents
        .iter()
        .map(|one| text::owned(&one.requested_url))
        .collect();
    let finals: Vec<String> = documents
        .iter()
        .map(|one| text::owned(&one.final_url))
        .collect();
    let metas: Vec<serde_json::Value> = documents
        .iter()
        .map(|one| text::clean_json(one.meta.clone()))
        .collect();
    sqlx::query!(
        "INSERT INTO documents (job_id, requested_url, final_url, title, content_md, content_raw, meta)
         SELECT $1, n.requested_url, n.final_url, n.title, n.content_md, n.content_raw, n.meta
         FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
              AS n(requested_url, final_url, title, content_md, content_raw, meta)
         ON CONFLICT (job_id, md5(final_url)) DO NOTHING",
        job,
        &requested,
        &finals,
        &optional(|one| &one.title) as _,
        &optional(|one| &one.content_md) as _,
        &optional(|one| &one.content_raw) as _,
        &metas
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn insert_links(
    db: &mut PgConnection,
    job: Uuid,
    links: &[&NewMappedUrl],
) -> Result<(), Error> {
    if links.is_empty() {
        return Ok(());
    }
    let sources: Vec<String> = links
        .iter()
        .map(|link| text::owned(&link.source_url))
        .collect();
    let targets: Vec<String> = links
        .iter()
        .map(|link| text::owned(&link.target_url))
        .collect();
    let depths: Vec<i32> = links.iter().map(|link| to_i32(link.depth)).collect();
    sqlx::query!(
        "INSERT INTO mapped_urls (job_id, source_url, target_url, depth)
         SELECT $1, n.source_url, n.target_url, n.depth
         FROM unnest($2::text[], $3::text[], $4::int[]) AS n(source_url, target_url, depth)",
        job,
        &sources,
        &targets,
        &depths
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The fenced write of the tasks themselves. It repeats the fence though the rows are locked: a write about a task
/// carries its lease, wherever it stands.
async fn finish_tasks(
    db: &mut PgConnection,
    job: &mut JobRow,
    mine: &[&Settlement],
) -> Result<(), Error> {
    let mut sequence = job.sequence;
    let mut sequences = Vec::with_capacity(mine.len());
    let mut retries = Vec::with_capacity(mine.len());
    let mut errors = Vec::with_capacity(mine.len());
    let mut reasons = Vec::with_capacity(mine.len());
    for settlement in mine {
        sequences.push((settlement.verdict.state() != TaskState::Queued).then(|| {
            sequence += 1;
            sequence
        }));
        retries.push(match &settlement.verdict {
            Verdict::Retry { after, .. } => to_millis(*after),
            _ => 0,
        });
        let (error, reason) = settlement.verdict.words();
        errors.push(error.map(text::owned));
        reasons.push(reason.map(text::owned));
    }
    let ids: Vec<i64> = mine.iter().map(|one| one.lease.task.0).collect();
    let fences: Vec<i64> = mine.iter().map(|one| one.lease.fence.0).collect();
    let states: Vec<String> = mine
        .iter()
        .map(|one| one.verdict.state().as_str().to_owned())
        .collect();
    let bytes: Vec<i64> = mine.iter().map(|one| to_i64(one.verdict.bytes())).collect();
    let given_back: Vec<bool> = mine
        .iter()
        .map(|one| one.verdict == Verdict::HandBack)
        .collect();
    let written = sqlx::query!(
        "UPDATE crawl_tasks t
         SET status = n.status, error = n.error, reason = n.reason, bytes = t.bytes + n.bytes,
             sequence = n.sequence, attempt = t.attempt - n.given_back::int, worker = NULL, lease_until = NULL,
             not_before = CASE WHEN n.status = 'queued' THEN now() + n.retry * interval '1 ms' ELSE t.not_before END,
             updated_at = now()
         FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                     $8::bigint[], $9::boolean[])
              AS n(id, fence, status, error, reason, bytes, sequence, retry, given_back)
         WHERE t.id = n.id AND t.fence = n.fence AND t.status = 'processing'",
        &ids,
        &fences,
        &states,
        &errors as _,
        &reasons as _,
        &bytes,
        &sequences as _,
        &retries,
        &given_back
    )
    .execute(db)
    .await?
    .rows_affected();
    if written != mine.len() as u64 {
        let words = format!("{} tasks were held and {written} were written", mine.len());
        return Err(Error::Decode(words.into()));
    }
    job.sequence = sequence;
    job.bytes += bytes.iter().sum::<i64>();
    Ok(())
}
