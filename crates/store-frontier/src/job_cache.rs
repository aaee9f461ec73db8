//! A job's plan and known links, cached by a worker.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crawler_frontier::AdmissionFilter;
use crawler_model::CrawlRules;
use crawler_store::{JobId, JobKind, JobRequest};

/// Creates a job's plan from its request and its owner; the error is a message for the owner.
pub type Planner = Arc<dyn Fn(&JobRequest, &str) -> Result<Arc<CrawlRules>, String> + Send + Sync>;

/// A job and its plan.
#[derive(Debug)]
pub(crate) struct PlannedJob {
    pub(crate) id: JobId,
    pub(crate) kind: JobKind,
    /// How its pages are fetched, or why they cannot be.
    pub(crate) plan: Result<Arc<CrawlRules>, String>,
}

impl PlannedJob {
    /// Plans jobs on a blocking thread, because their patterns are compiled. Jobs that remain after `time_limit` are left out:
    /// the leases of their tasks must not end meanwhile.
    pub(crate) async fn plan_all(
        planner: Planner,
        jobs: Vec<(JobRequest, Arc<str>)>,
        time_limit: Duration,
    ) -> Vec<Self> {
        if jobs.is_empty() {
            return Vec::new();
        }
        let started_at = Instant::now();
        let plan_all = move || {
            let jobs = jobs.iter();
            let jobs = jobs.take_while(|_| started_at.elapsed() < time_limit);
            jobs.map(|(job, owner)| Self::new(job, owner, &planner))
                .collect()
        };
        // The runtime cancels it only at its own end.
        tokio::task::spawn_blocking(plan_all)
            .await
            .unwrap_or_default()
    }

    fn new(job: &JobRequest, owner: &str, planner: &Planner) -> Self {
        // A panic concerns one job, not its worker.
        let plan = catch_unwind(AssertUnwindSafe(|| planner(job, owner)));
        Self {
            id: job.id,
            kind: job.kind,
            plan: plan.unwrap_or_else(|_| Err("an internal error occurred".to_owned())),
        }
    }
}

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
    pub(crate) fn new(job: PlannedJob) -> Self {
        Self {
            kind: job.kind,
            plan: job.plan,
            filter: AdmissionFilter::default(),
            held: 0,
        }
    }

    /// Memory of its patterns, in bytes.
    pub(crate) fn pattern_memory(&self) -> usize {
        let plan = self.plan.as_ref();
        plan.map_or(0, |plan| plan.scope.memory())
    }

    /// Whether the links of its pages are followed.
    pub(crate) fn follows(&self) -> bool {
        matches!(self.kind, JobKind::Crawl | JobKind::Map)
    }
}
