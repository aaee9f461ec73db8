//! What is known of a job that this worker has tasks of.

use std::sync::Arc;

use frontier::LinkDesk;
use model::CrawlPlan;
use store::{JobKind, JobOrder};

/// Makes a job's plan of what was asked; the error is the job's, in words.
pub type Planner = Arc<dyn Fn(&JobOrder) -> Result<CrawlPlan, String> + Send + Sync>;

/// What is known of a job.
#[derive(Debug)]
pub(crate) struct JobDesk {
    pub(crate) kind: JobKind,
    /// How its pages are fetched, or why none can be.
    pub(crate) plan: Result<Arc<CrawlPlan>, String>,
    pub(crate) links: LinkDesk,
    /// Tasks held of it.
    pub(crate) held: usize,
}

impl JobDesk {
    pub(crate) fn new(job: &JobOrder, planner: &Planner) -> Self {
        Self {
            kind: job.kind,
            plan: planner(job).map(Arc::new),
            links: LinkDesk::default(),
            held: 0,
        }
    }

    /// Whether its pages' links are followed.
    pub(crate) fn follows(&self) -> bool {
        matches!(self.kind, JobKind::Crawl | JobKind::Map)
    }
}
