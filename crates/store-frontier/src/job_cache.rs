//! A job's plan and known links, cached by a worker.

use std::sync::Arc;

use crawler_frontier::AdmissionFilter;
use crawler_model::CrawlRules;
use crawler_store::{JobKind, JobRequest};

/// Creates a job's plan from its request; the error is a message for the job's owner.
pub type Planner = Arc<dyn Fn(&JobRequest) -> Result<Arc<CrawlRules>, String> + Send + Sync>;

/// A job's plan and known links.
#[derive(Debug)]
pub(crate) struct JobCache {
    pub(crate) kind: JobKind,
    /// How its pages are fetched, or why they cannot be.
    pub(crate) plan: Result<Arc<CrawlRules>, String>,
    pub(crate) filter: AdmissionFilter,
    /// Number of its tasks held here.
    pub(crate) held: usize,
}

impl JobCache {
    pub(crate) fn new(job: &JobRequest, planner: &Planner) -> Self {
        Self {
            kind: job.kind,
            plan: planner(job),
            filter: AdmissionFilter::default(),
            held: 0,
        }
    }

    /// Whether the links of its pages are followed.
    pub(crate) fn follows(&self) -> bool {
        matches!(self.kind, JobKind::Crawl | JobKind::Map)
    }
}
