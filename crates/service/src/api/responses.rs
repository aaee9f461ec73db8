//! Response bodies.

use std::collections::BTreeMap;

use crawler_store::{Job, JobStopReason, MappedUrl, StoredDocument, StoredTask, TaskState};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::content::content;
use super::moment::rfc3339;
use crate::job_params::{InvalidUrl, OutputFormat};

/// A scraped page.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ScrapedPage {
    /// The URL of the page after redirects.
    pub(super) url: String,
    /// Title of the page.
    pub(super) title: Option<String>,
    /// Main content of the page, in the requested format.
    pub(super) content: String,
    /// Metadata of the page and how it was fetched: `status_code`, `content_type`, `fetched_at`, `rendered` (whether it
    /// was rendered in a browser) and, unless rendering was off, `render_reason`: why it was rendered (`asked`,
    /// `host_needs`, or what the page lacks) or why not (`readable`, `host_plain`, `not_html`, `no_browser` if there is no
    /// browser, `browser_failed` if rendering failed) …
    #[schema(value_type = Object)]
    pub(super) meta: Value,
}

/// A job that was created.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AcceptedJob {
    /// ID of the job.
    pub(super) id: String,
    /// scrape, batch_scrape, crawl or map.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// Always `queued`.
    pub(super) status: &'static str,
    /// Path of the job's status.
    pub(super) url: String,
    /// Number of URLs of a batch that are not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) invalid_url_count: Option<u64>,
    /// URLs of a batch that are not valid, the first 1,000; the others are scraped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub(super) invalid_urls: Option<Vec<InvalidUrl>>,
}

/// Number of tasks by status.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TaskCounts {
    queued: u64,
    processing: u64,
    done: u64,
    failed: u64,
    skipped: u64,
    total: u64,
}

/// Status of a job.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct JobResponse {
    id: String,
    /// Name of the API key that created the job; `local` if no key was needed.
    owner: String,
    /// Priority among the jobs of its owner, 0 to 9.
    priority: u8,
    /// scrape, batch_scrape, crawl or map.
    #[serde(rename = "type")]
    kind: &'static str,
    /// queued, running, completed, completed_with_errors, failed or cancelled.
    status: &'static str,
    /// Parameters of the request.
    #[schema(value_type = Object)]
    params: Value,
    /// Why the job failed.
    error: Option<String>,
    /// Why the job did not fetch everything: `max_pages` (see `left_out`), `max_bytes`, `max_duration`, `not_started` (it waited for
    /// its turn too long), `cancelled`, or a quota of its owner: `quota_queued_tasks` (see `left_out`), `quota_pages_per_day`,
    /// `quota_stored_bytes` or `quota_browser_seconds_per_day`.
    stop_reason: Option<&'static str>,
    /// Number of tasks by status.
    tasks: TaskCounts,
    /// Number of distinct URLs that were found but not added because of a limit, counted up to 1,000,000.
    left_out: u64,
    /// Number of distinct URLs that were not followed because they look like crawler traps, by reason. Each is a skipped task; of
    /// links in traps, at most 1,000 per reason are, and up to 1,000,000 others are only counted.
    /// Send `"traps": "off"` to follow them.
    #[schema(value_type = Object)]
    traps: BTreeMap<String, u64>,
    /// Number of distinct URLs that were found beyond `max_depth` only, and so are not tasks, counted up to 10,000.
    too_deep: u64,
    /// Number of documents stored.
    documents: u64,
    /// Number of mapped URLs stored.
    mapped_urls: u64,
    /// Number of body bytes read.
    bytes: u64,
    created_at: String,
    updated_at: String,
}

impl From<Job> for JobResponse {
    fn from(job: Job) -> Self {
        Self {
            id: job.id.to_string(),
            owner: job.owner.to_string(),
            priority: job.priority.get(),
            kind: job.kind.as_str(),
            status: job.state.as_str(),
            params: job.params,
            error: job.error,
            stop_reason: job.stop_reason.map(JobStopReason::as_str),
            tasks: TaskCounts {
                queued: job.counts.queued,
                processing: job.counts.processing,
                done: job.counts.done,
                failed: job.counts.failed,
                skipped: job.counts.skipped,
                total: job.counts.total(),
            },
            left_out: job.left_out,
            too_deep: job.refused.too_deep(),
            traps: job
                .refused
                .traps()
                .map(|(reason, count)| (reason.to_owned(), count))
                .collect(),
            documents: job.documents,
            mapped_urls: job.mapped_urls,
            bytes: job.bytes,
            created_at: rfc3339(job.created_at),
            updated_at: rfc3339(job.updated_at),
        }
    }
}

/// A page of jobs, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct JobList {
    pub(super) jobs: Vec<JobResponse>,
    /// Pass this as `cursor` to get the next page; null on the last page.
    pub(super) next_cursor: Option<String>,
}

/// A scraped document.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DocumentResponse {
    id: i64,
    /// The URL as requested, before redirects.
    requested_url: String,
    /// The URL after redirects.
    final_url: String,
    title: Option<String>,
    /// Content in the job's output format.
    content: String,
    #[schema(value_type = Object)]
    meta: Value,
    created_at: String,
}

impl DocumentResponse {
    /// Converts a stored document. For plain text this parses its HTML.
    pub(super) fn new(document: StoredDocument, format: OutputFormat) -> Self {
        Self {
            id: document.id,
            requested_url: document.requested_url,
            final_url: document.final_url,
            title: document.title,
            content: content(format, document.content_md, document.content_raw),
            meta: document.meta,
            created_at: rfc3339(document.created_at),
        }
    }
}

/// A page of documents, in the order in which they were stored.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DocumentList {
    pub(super) documents: Vec<DocumentResponse>,
    /// Pass this as `cursor` to get the next page; null on the last page.
    pub(super) next_cursor: Option<String>,
}

/// A link in the map of a site.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MappedUrlResponse {
    /// The page on which the link was found.
    source_url: String,
    /// The target of the link.
    target_url: String,
    /// Number of links from the seed to the target.
    depth: u32,
}

impl From<MappedUrl> for MappedUrlResponse {
    fn from(mapped: MappedUrl) -> Self {
        Self {
            source_url: mapped.link.source_url,
            target_url: mapped.link.target_url,
            depth: mapped.link.depth,
        }
    }
}

/// A page of links in the map of a site.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MappedUrlList {
    pub(super) urls: Vec<MappedUrlResponse>,
    /// Pass this as `cursor` to get the next page; null on the last page.
    pub(super) next_cursor: Option<String>,
}

/// A URL of a job, and its outcome.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TaskResponse {
    id: i64,
    /// The URL as requested, before redirects.
    requested_url: String,
    /// The URL that is fetched.
    url: String,
    /// The normalized URL, used to detect duplicates.
    final_url: String,
    depth: u32,
    /// queued, processing, done, failed or skipped.
    status: &'static str,
    /// Number of attempts started.
    attempts: u32,
    /// Why the URL was not fetched, or not yet: a stable code.
    reason: Option<String>,
    /// The kind of failure, as in the output of the command line: `reason` if the task failed, otherwise null.
    error_kind: Option<String>,
    /// The same as a message.
    error: Option<String>,
    updated_at: String,
}

impl From<StoredTask> for TaskResponse {
    fn from(task: StoredTask) -> Self {
        Self {
            id: task.id.0,
            requested_url: task.requested_url,
            url: task.url,
            final_url: task.final_url,
            depth: task.depth,
            status: task.state.as_str(),
            attempts: task.attempt,
            error_kind: task
                .reason
                .clone()
                .filter(|_| task.state == TaskState::Failed),
            reason: task.reason,
            error: task.error,
            updated_at: rfc3339(task.updated_at),
        }
    }
}

/// A page of tasks, in the order in which they were added.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TaskList {
    pub(super) tasks: Vec<TaskResponse>,
    /// Pass this as `cursor` to get the next page; null on the last page.
    pub(super) next_cursor: Option<String>,
}

/// Health of the service.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`.
    pub(super) status: &'static str,
    /// Status of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<&'static str>,
    /// Status of the browser: `off` (disabled in the configuration), `missing` (not installed), `asleep` (not started
    /// yet), `running` or `down`. It does not affect readiness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) browser: Option<&'static str>,
}

#[cfg(test)]
mod tests {
    use crawler_store::{TaskId, UnixMillis};

    use super::*;

    fn task(state: TaskState, reason: Option<&str>) -> TaskResponse {
        TaskResponse::from(StoredTask {
            id: TaskId(1),
            requested_url: "https://example.org/".to_owned(),
            url: "https://example.org/".to_owned(),
            final_url: "https://example.org/".to_owned(),
            depth: 0,
            hops: 0,
            state,
            attempt: 1,
            error: None,
            reason: reason.map(str::to_owned),
            updated_at: UnixMillis(0),
        })
    }

    #[test]
    fn only_failed_tasks_have_an_error_kind() {
        let failed = task(TaskState::Failed, Some("dead_link"));
        assert_eq!(failed.error_kind.as_deref(), Some("dead_link"));
        assert_eq!(failed.error_kind, failed.reason);
        for (state, reason) in [
            (TaskState::Skipped, Some("robots")),
            (TaskState::Queued, Some("retry")),
            (TaskState::Done, None),
        ] {
            assert_eq!(task(state, reason).error_kind, None, "{state:?}");
        }
    }
}
