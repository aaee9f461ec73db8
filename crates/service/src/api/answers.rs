//! What callers get, field by field.

use serde::Serialize;
use serde_json::Value;
use store::{Document, Job, MappedUrl, StoredTask};
use utoipa::ToSchema;

use super::content::content;
use super::moment::rfc3339;
use crate::job_params::{InvalidUrl, OutputFormat};

/// A page, scraped at once.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Scraped {
    /// Where the page was found, at the end of its redirects.
    pub(super) url: String,
    /// The page's title.
    pub(super) title: Option<String>,
    /// Its main content, in the format asked for.
    pub(super) content: String,
    /// What the page says about itself, and how it was had: `status_code`, `content_type`, `fetched_at`, `rendered` (in a
    /// browser) and, where that was a question, `render_reason`: why (`asked`,
    /// `host_needs`, what the page lacks), or why not (`readable`, `host_plain`, `not_html`, `no_browser` where there is none,
    /// `browser_failed` where it was tried in vain) …
    #[schema(value_type = Object)]
    pub(super) meta: Value,
}

/// A job that was made.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Accepted {
    /// Its name.
    pub(super) id: String,
    /// scrape, batch_scrape, crawl or map.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// Always `queued`.
    pub(super) status: &'static str,
    /// Where to ask about it.
    pub(super) url: String,
    /// URLs of a batch that are none; the rest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub(super) invalid_urls: Option<Vec<InvalidUrl>>,
}

/// Tasks by status.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Counts {
    queued: u64,
    processing: u64,
    done: u64,
    failed: u64,
    skipped: u64,
    total: u64,
}

/// A job as it stands.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct JobAnswer {
    id: String,
    /// scrape, batch_scrape, crawl or map.
    #[serde(rename = "type")]
    kind: &'static str,
    /// queued, running, completed, completed_with_errors, failed or cancelled.
    status: &'static str,
    /// What was asked.
    #[schema(value_type = Object)]
    params: Value,
    /// Why it failed.
    error: Option<String>,
    /// The limit or the person that ended it early.
    stop_reason: Option<String>,
    /// Tasks by status.
    tasks: Counts,
    /// URLs that a limit kept out.
    left_out: u64,
    /// Documents stored.
    documents: u64,
    /// Mapped URLs stored.
    mapped_urls: u64,
    /// Body bytes read.
    bytes: u64,
    created_at: String,
    updated_at: String,
}

impl From<Job> for JobAnswer {
    fn from(job: Job) -> Self {
        Self {
            id: job.id.to_string(),
            kind: job.kind.as_str(),
            status: job.state.as_str(),
            params: job.params,
            error: job.error,
            stop_reason: job.stop_reason,
            tasks: Counts {
                queued: job.counts.queued,
                processing: job.counts.processing,
                done: job.counts.done,
                failed: job.counts.failed,
                skipped: job.counts.skipped,
                total: job.counts.total(),
            },
            left_out: job.left_out,
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
    pub(super) jobs: Vec<JobAnswer>,
    /// Send it as `cursor` for the next page; null at the end.
    pub(super) next_cursor: Option<String>,
}

/// A document.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DocumentAnswer {
    id: i64,
    /// The URL as first asked for.
    requested_url: String,
    /// Where it was found in the end.
    final_url: String,
    title: Option<String>,
    /// In the job's format.
    content: String,
    #[schema(value_type = Object)]
    meta: Value,
    created_at: String,
}

impl DocumentAnswer {
    /// Takes time linear in the document when its text has to be read.
    pub(super) fn new(document: Document, format: OutputFormat) -> Self {
        let stored = document.content;
        Self {
            id: document.id,
            requested_url: stored.requested_url,
            final_url: stored.final_url,
            title: stored.title,
            content: content(format, stored.content_md, stored.content_raw),
            meta: stored.meta,
            created_at: rfc3339(document.created_at),
        }
    }
}

/// A page of documents, in the order they were stored.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DocumentList {
    pub(super) documents: Vec<DocumentAnswer>,
    /// Send it as `cursor` for the next page; null at the end.
    pub(super) next_cursor: Option<String>,
}

/// A link of a site's map.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MappedAnswer {
    /// The page it was found on.
    source_url: String,
    /// Where it leads.
    target_url: String,
    /// The target's distance from the seed.
    depth: u32,
}

impl From<MappedUrl> for MappedAnswer {
    fn from(mapped: MappedUrl) -> Self {
        Self {
            source_url: mapped.link.source_url,
            target_url: mapped.link.target_url,
            depth: mapped.link.depth,
        }
    }
}

/// A page of a site's map.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MappedList {
    pub(super) urls: Vec<MappedAnswer>,
    /// Send it as `cursor` for the next page; null at the end.
    pub(super) next_cursor: Option<String>,
}

/// A URL of a job, and what became of it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TaskAnswer {
    id: i64,
    /// The URL as first asked for.
    requested_url: String,
    /// What is fetched.
    url: String,
    /// The form by which it is known to be new.
    final_url: String,
    depth: u32,
    /// queued, processing, done, failed or skipped.
    status: &'static str,
    /// Attempts begun.
    attempts: u32,
    /// Why it was not fetched, or not yet: a stable word.
    reason: Option<String>,
    /// The same for people.
    error: Option<String>,
    updated_at: String,
}

impl From<StoredTask> for TaskAnswer {
    fn from(task: StoredTask) -> Self {
        Self {
            id: task.id.0,
            requested_url: task.requested_url,
            url: task.url,
            final_url: task.final_url,
            depth: task.depth,
            status: task.state.as_str(),
            attempts: task.attempt,
            reason: task.reason,
            error: task.error,
            updated_at: rfc3339(task.updated_at),
        }
    }
}

/// A page of tasks, in the order they were admitted.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TaskList {
    pub(super) tasks: Vec<TaskAnswer>,
    /// Send it as `cursor` for the next page; null at the end.
    pub(super) next_cursor: Option<String>,
}

/// Whether the service lives, and what it can do.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok`
    pub(super) status: &'static str,
    /// What the store says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<&'static str>,
    /// How the browser is: `off` by configuration, `missing` on this machine, `asleep` until a page needs it, `running`,
    /// or `down`. None of them makes the service unready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) browser: Option<&'static str>,
    /// Why it is missing or down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) browser_reason: Option<String>,
}
