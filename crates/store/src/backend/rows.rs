//! Rows as the databases return them, and their conversion into the domain's types.

#![expect(missing_docs, reason = "a field is the column of that name")]

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use crawler_model::Discovery;
use crawler_weburl::HostKey;
use serde_json::Value;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::fair_shares::ClaimLane;
use super::numbers::{to_u32, to_u64};
use crate::{
    ApiKey, Claimed, Fence, FinishedTask, Job, JobCounts, JobId, JobKind, JobLimits, JobRequest,
    JobState, JobStopReason, KeyRole, KeyState, KindStatistics, Lease, MappedUrl, NewMappedUrl,
    Owner, OwnerUsage, Priority, RefusedCounts, RobotsText, Statistics, StoreError, StoreResult,
    StoredDocument, StoredRobots, StoredTask, TaskId, TaskState, UnixMillis,
};

impl From<Uuid> for JobId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl From<Hyphenated> for JobId {
    fn from(id: Hyphenated) -> Self {
        Self(id.into_uuid())
    }
}

fn unknown(what: &str, value: &str) -> StoreError {
    StoreError::Refused(format!("the stored {what} is {value:?}"))
}

fn job_kind(name: &str) -> StoreResult<JobKind> {
    JobKind::named(name).ok_or_else(|| unknown("type of a job", name))
}

fn owner(what: &str, name: &str) -> StoreResult<Owner> {
    Owner::parse(name).ok_or_else(|| unknown(what, name))
}

fn priority(number: i64) -> StoreResult<Priority> {
    let priority = u8::try_from(number).ok().and_then(Priority::new);
    priority.ok_or_else(|| unknown("priority of a job", &number.to_string()))
}

/// Length of a day, in milliseconds.
pub const DAY_MILLIS: i64 = 86_400_000;

fn millis(number: i64) -> Duration {
    Duration::from_millis(to_u64(number))
}

/// A JSON column: a value in Postgres, text in SQLite.
#[derive(Clone, Debug)]
pub enum JsonColumn {
    /// Parsed by the database.
    Parsed(Value),
    /// Not parsed yet.
    Text(String),
}

impl From<Value> for JsonColumn {
    fn from(value: Value) -> Self {
        Self::Parsed(value)
    }
}

impl From<String> for JsonColumn {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl JsonColumn {
    fn value(self) -> StoreResult<Value> {
        match self {
            Self::Parsed(value) => Ok(value),
            Self::Text(text) => serde_json::from_str(&text)
                .map_err(|error| StoreError::Refused(format!("stored JSON: {error}"))),
        }
    }
}

/// A row of `jobs`, with the number of its results.
#[derive(Clone, Debug)]
pub struct JobRow {
    pub id: JobId,
    pub owner: String,
    pub priority: i64,
    pub status: String,
    pub kind: String,
    pub params: JsonColumn,
    pub error: Option<String>,
    pub stop_reason: Option<String>,
    pub max_depth: Option<i64>,
    pub max_tasks: Option<i64>,
    pub max_bytes: Option<i64>,
    pub max_duration_ms: Option<i64>,
    pub left_out: i64,
    pub traps: RefusedCounts,
    pub bytes: i64,
    pub created_at: i64,
    pub updated_at: i64,
    pub documents: i64,
    pub mapped_urls: i64,
}

/// What a job was created with.
#[derive(Clone, Debug)]
pub struct RequestRow {
    pub kind: String,
    pub params: JsonColumn,
}

/// A job's tasks by state.
#[derive(Clone, Debug)]
pub struct CountsRow {
    pub queued: i64,
    pub processing: i64,
    pub done: i64,
    pub failed: i64,
    pub skipped: i64,
}

/// A row of `crawl_tasks` as it is listed.
#[derive(Clone, Debug)]
pub struct TaskRow {
    pub id: i64,
    pub requested_url: String,
    pub final_url: String,
    pub url: String,
    pub depth: i64,
    pub hops: i64,
    pub status: String,
    pub attempt: i64,
    pub error: Option<String>,
    pub reason: Option<String>,
    pub sequence: Option<i64>,
    pub updated_at: i64,
}

/// A row of `crawl_tasks` that was just claimed.
#[derive(Clone, Debug)]
pub struct ClaimedRow {
    pub id: i64,
    pub job_id: JobId,
    pub fence: i64,
    pub attempt: i64,
    pub crashes: i64,
    pub requested_url: String,
    pub url: String,
    pub final_url: String,
    pub host_key: String,
    pub depth: i64,
    pub hops: i64,
    pub via: Option<String>,
    pub found: String,
}

/// A row of `documents`.
#[derive(Clone, Debug)]
pub struct DocumentRow {
    pub id: i64,
    pub requested_url: String,
    pub final_url: String,
    pub title: Option<String>,
    pub content_md: Option<String>,
    pub content_raw: Option<String>,
    pub meta: JsonColumn,
    pub created_at: i64,
}

/// A row of `mapped_urls`.
#[derive(Clone, Debug)]
pub struct MappedUrlRow {
    pub id: i64,
    pub source_url: String,
    pub target_url: String,
    pub depth: i64,
    pub created_at: i64,
}

/// A row of `origins`, with its ages in milliseconds.
#[derive(Clone, Debug)]
pub struct RobotsRow {
    pub answer: String,
    pub robots: Option<String>,
    pub age: i64,
    pub failure: Option<String>,
    pub failure_kind: Option<String>,
    pub failure_message: Option<String>,
    pub failure_age: Option<i64>,
}

/// A row of `api_keys`.
#[derive(Clone, Debug)]
pub struct ApiKeyRow {
    pub id: Uuid,
    pub name: String,
    pub role: String,
    pub quota: JsonColumn,
    pub created_at: i64,
    pub expired: bool,
    /// The secret that the key was looked up with was replaced, and is not accepted any more.
    pub replaced: bool,
    pub expires_at: Option<i64>,
    pub last_used_at: Option<i64>,
    pub revoked_at: Option<i64>,
    pub previous_until: Option<i64>,
}

/// What an owner uses; times in milliseconds.
#[derive(Clone, Debug)]
pub struct OwnerUsageRow {
    pub quota: JsonColumn,
    pub open_jobs: i64,
    pub open_tasks: i64,
    pub pages: i64,
    pub browser_ms: i64,
    pub stored_bytes: i64,
    pub now: i64,
}

/// The open tasks of one kind of job.
#[derive(Clone, Debug)]
pub struct KindRow {
    pub kind: String,
    pub ready: i64,
    pub waiting: i64,
    pub gated: i64,
    pub processing: i64,
}

/// Numbers of the whole store; `oldest` is an age in milliseconds.
#[derive(Clone, Debug)]
pub struct TotalsRow {
    pub oldest: Option<i64>,
    pub expired: i64,
    pub open: i64,
}

impl JobRow {
    /// The job, with its tasks counted.
    pub fn into_job(self, counts: JobCounts) -> StoreResult<Job> {
        let stop_reason = self.stop_reason.map(|reason| {
            JobStopReason::named(&reason).ok_or_else(|| unknown("stop reason of a job", &reason))
        });
        Ok(Job {
            id: self.id,
            owner: owner("owner of a job", &self.owner)?,
            priority: priority(self.priority)?,
            kind: job_kind(&self.kind)?,
            state: JobState::named(&self.status)
                .ok_or_else(|| unknown("status of a job", &self.status))?,
            params: self.params.value()?,
            limits: JobLimits {
                max_depth: self.max_depth.map(to_u32),
                max_tasks: self.max_tasks.map(to_u64),
                max_bytes: self.max_bytes.map(to_u64),
                max_duration: self.max_duration_ms.map(millis),
            },
            error: self.error,
            stop_reason: stop_reason.transpose()?,
            counts,
            left_out: to_u64(self.left_out),
            refused: self.traps,
            documents: to_u64(self.documents),
            mapped_urls: to_u64(self.mapped_urls),
            bytes: to_u64(self.bytes),
            created_at: UnixMillis(self.created_at),
            updated_at: UnixMillis(self.updated_at),
        })
    }
}

impl RequestRow {
    /// The request of this job.
    pub fn into_request(self, id: JobId) -> StoreResult<JobRequest> {
        Ok(JobRequest {
            id,
            kind: job_kind(&self.kind)?,
            params: self.params.value()?,
        })
    }
}

impl From<OwnerUsageRow> for OwnerUsage {
    fn from(row: OwnerUsageRow) -> Self {
        let quota = row.quota.value().ok();
        Self {
            // A quota that cannot be read, such as one of a newer version, must not keep tasks from being settled; the
            // key itself is refused.
            quota: quota
                .and_then(|quota| serde_json::from_value(quota).ok())
                .unwrap_or_default(),
            open_jobs: to_u64(row.open_jobs),
            queued_tasks: to_u64(row.open_tasks),
            pages: to_u64(row.pages),
            stored_bytes: to_u64(row.stored_bytes),
            browser_time: millis(row.browser_ms),
            day_ends_in: millis(DAY_MILLIS - row.now.rem_euclid(DAY_MILLIS)),
        }
    }
}

impl From<CountsRow> for JobCounts {
    fn from(row: CountsRow) -> Self {
        Self {
            queued: to_u64(row.queued),
            processing: to_u64(row.processing),
            done: to_u64(row.done),
            failed: to_u64(row.failed),
            skipped: to_u64(row.skipped),
        }
    }
}

impl TryFrom<TaskRow> for StoredTask {
    type Error = StoreError;

    fn try_from(row: TaskRow) -> StoreResult<Self> {
        Ok(Self {
            id: TaskId(row.id),
            state: TaskState::named(&row.status)
                .ok_or_else(|| unknown("status of a task", &row.status))?,
            requested_url: row.requested_url,
            final_url: row.final_url,
            url: row.url,
            depth: to_u32(row.depth),
            hops: to_u32(row.hops),
            attempt: to_u32(row.attempt),
            error: row.error,
            reason: row.reason,
            updated_at: UnixMillis(row.updated_at),
        })
    }
}

/// Tasks that have a sequence number, as events.
pub fn finished_tasks(rows: Vec<TaskRow>) -> StoreResult<Vec<FinishedTask>> {
    rows.into_iter()
        .map(|row| {
            Ok(FinishedTask {
                sequence: row.sequence.unwrap_or_default(),
                task: row.try_into()?,
            })
        })
        .collect()
}

impl ClaimedRow {
    /// Returns the task, with the owner of its job.
    fn task(self, owner: Arc<str>, weight: i64) -> Claimed {
        let row = self;
        Claimed {
            lease: Lease {
                task: TaskId(row.id),
                fence: Fence(row.fence),
            },
            job: row.job_id,
            owner,
            weight,
            attempt: to_u32(row.attempt),
            requested_url: row.requested_url,
            url: row.url,
            final_url: row.final_url,
            host: HostKey::new(&row.host_key),
            depth: to_u32(row.depth),
            hops: to_u32(row.hops),
            via: row.via,
            found: Discovery::named(&row.found).unwrap_or(Discovery::Link),
            delay: Duration::ZERO,
            age: Duration::ZERO,
        }
    }
}

/// Returns the tasks that were claimed from these lanes.
pub fn claimed_from(rows: Vec<ClaimedRow>, lanes: &[ClaimLane<'_>]) -> Vec<Claimed> {
    let mut owners: HashMap<JobId, (Arc<str>, i64)> = HashMap::new();
    for lane in lanes {
        let owner = || (lane.job.owner.as_str().into(), lane.job.weight);
        owners.entry(lane.job.id).or_insert_with(owner);
    }
    let tasks = rows.into_iter().filter_map(|row| {
        let (owner, weight) = owners.get(&row.job_id)?.clone();
        Some(row.task(owner, weight))
    });
    tasks.collect()
}

/// The leases that are not among those renewed.
pub fn lost_leases(leases: &[Lease], renewed: impl IntoIterator<Item = Lease>) -> Vec<Lease> {
    let renewed: HashSet<Lease> = renewed.into_iter().collect();
    let lost = leases.iter().filter(|lease| !renewed.contains(lease));
    lost.copied().collect()
}

impl TryFrom<DocumentRow> for StoredDocument {
    type Error = StoreError;

    fn try_from(row: DocumentRow) -> StoreResult<Self> {
        Ok(Self {
            id: row.id,
            requested_url: row.requested_url,
            final_url: row.final_url,
            title: row.title,
            content_md: row.content_md,
            content_raw: row.content_raw,
            meta: row.meta.value()?,
            created_at: UnixMillis(row.created_at),
        })
    }
}

impl From<MappedUrlRow> for MappedUrl {
    fn from(row: MappedUrlRow) -> Self {
        Self {
            id: row.id,
            link: NewMappedUrl {
                source_url: row.source_url,
                target_url: row.target_url,
                depth: to_u32(row.depth),
            },
            created_at: UnixMillis(row.created_at),
        }
    }
}

impl TryFrom<RobotsRow> for StoredRobots {
    type Error = StoreError;

    fn try_from(row: RobotsRow) -> StoreResult<Self> {
        let read = RobotsText::from_columns(&row.answer, row.robots)
            .ok_or_else(|| unknown("robots.txt result of an origin", &row.answer))?;
        let failed = row.failure.map(|name| {
            let kind = row.failure_kind.unwrap_or_default();
            let message = row.failure_message.unwrap_or_default();
            RobotsText::from_failure(&name, &kind, message)
                .ok_or_else(|| unknown("failure of an origin", &name))
        });
        let failure_age = millis(row.failure_age.unwrap_or_default());
        Ok(Self {
            read: read.map(|robots| (robots, millis(row.age))),
            failed: failed.transpose()?.map(|failed| (failed, failure_age)),
        })
    }
}

impl TryFrom<ApiKeyRow> for ApiKey {
    type Error = StoreError;

    fn try_from(row: ApiKeyRow) -> StoreResult<Self> {
        Ok(Self {
            id: row.id,
            name: owner("name of a key", &row.name)?,
            role: KeyRole::named(&row.role).ok_or_else(|| unknown("role of a key", &row.role))?,
            quota: serde_json::from_value(row.quota.value()?)
                .map_err(|error| StoreError::Refused(format!("the quota of a key: {error}")))?,
            state: match row.revoked_at {
                Some(_) => KeyState::Revoked,
                None if row.replaced => KeyState::Replaced,
                None if row.expired => KeyState::Expired,
                None => KeyState::Active,
            },
            created_at: UnixMillis(row.created_at),
            expires_at: row.expires_at.map(UnixMillis),
            last_used_at: row.last_used_at.map(UnixMillis),
            revoked_at: row.revoked_at.map(UnixMillis),
            previous_until: row.previous_until.map(UnixMillis),
        })
    }
}

/// The statistics of a store.
pub fn statistics(kinds: Vec<KindRow>, totals: &TotalsRow) -> StoreResult<Statistics> {
    let kind = |row: KindRow| {
        Ok(KindStatistics {
            kind: job_kind(&row.kind)?,
            ready: to_u64(row.ready),
            waiting: to_u64(row.waiting),
            gated: to_u64(row.gated),
            processing: to_u64(row.processing),
        })
    };
    Ok(Statistics {
        kinds: kinds.into_iter().map(kind).collect::<StoreResult<_>>()?,
        oldest_ready: totals.oldest.map(millis),
        expired_leases: to_u64(totals.expired),
        open_jobs: to_u64(totals.open),
    })
}
