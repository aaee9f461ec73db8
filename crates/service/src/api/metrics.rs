//! Metrics: the recorder of the process, and the functions that update it.
//!
//! Labels have a bounded set of values and never contain a host or URL, so that a site cannot create time series.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock};

use crawler_model::lock;

use super::recorder::Recorder;
use crate::worker::WorkerTotals;
use crawler_render::RenderCounts;
use crawler_store::{JobKind, Owner, Statistics};

static RECORDER: OnceLock<&'static Recorder> = OnceLock::new();

/// Returns the recorder, creating it on first use.
pub(super) fn recorder() -> &'static Recorder {
    RECORDER.get_or_init(|| {
        let recorder: &'static Recorder = Box::leak(Box::default());
        // Fails if the process has installed another recorder, which then gets all values.
        let _ = metrics::set_global_recorder(recorder);
        recorder
    })
}

/// Returns all metrics in the Prometheus text format, with the series of only this owner if there is one.
pub(super) fn text(owner: Option<&Owner>) -> String {
    let name = owner.map(Owner::as_str);
    recorder().text(&METRICS, |label| name.is_none_or(|name| name == label))
}

/// Number of owners that have series of their own; further ones share those of `other`.
const MAX_NAMED_OWNERS: usize = 50;

/// The value of the label `owner`.
fn owner_label(owner: &Owner) -> String {
    static NAMED: Mutex<Option<HashSet<Owner>>> = Mutex::new(None);
    let mut named = lock(&NAMED);
    let named = named.get_or_insert_default();
    if named.len() < MAX_NAMED_OWNERS {
        named.insert(owner.clone());
    }
    let label = named.get(owner).map_or(Owner::OTHER, Owner::as_str);
    label.to_owned()
}

/// Counts a request with a valid key.
pub(super) fn count_request(owner: &Owner) {
    metrics::counter!("crawler_owner_requests_total", "owner" => owner_label(owner)).increment(1);
}

/// Counts a job that was created.
pub(super) fn count_job(kind: JobKind, owner: &Owner) {
    metrics::counter!("crawler_jobs_created_total", "type" => kind.as_str()).increment(1);
    metrics::counter!("crawler_owner_jobs_created_total", "owner" => owner_label(owner))
        .increment(1);
}

/// All metrics with their descriptions. The names are stable.
pub const METRICS: [(&str, &str); 29] = [
    (
        "crawler_http_requests_total",
        "requests, by method, route and status",
    ),
    (
        "crawler_http_request_seconds",
        "time until the response head is sent, by route",
    ),
    ("crawler_http_connections", "open connections"),
    ("crawler_jobs_created_total", "jobs created, by type"),
    (
        "crawler_owner_jobs_created_total",
        "jobs created, by owner; from the 51st owner on: other",
    ),
    (
        "crawler_owner_requests_total",
        "requests that were let in, by owner; from the 51st owner on: other",
    ),
    (
        "crawler_tasks",
        "unfinished tasks in the store, by type and state",
    ),
    (
        "crawler_oldest_ready_task_seconds",
        "time that the oldest runnable task has been waiting",
    ),
    (
        "crawler_expired_leases",
        "expired leases whose tasks have not been reclaimed yet",
    ),
    ("crawler_open_jobs", "unfinished jobs"),
    (
        "crawler_store_seconds",
        "duration of store calls, by operation",
    ),
    (
        "crawler_store_errors_total",
        "store calls that failed, by operation",
    ),
    (
        "crawler_worker_tasks_total",
        "tasks finished by this process, by type and result",
    ),
    ("crawler_worker_page_seconds", "time to fetch a page"),
    (
        "crawler_worker_leases_lost_total",
        "results dropped because another worker held the task",
    ),
    (
        "crawler_worker_dropped_total",
        "results rejected by the store",
    ),
    (
        "crawler_worker_rescued_total",
        "tasks reclaimed from workers that stopped responding",
    ),
    (
        "crawler_worker_poisoned_total",
        "tasks failed because they crashed their workers too often",
    ),
    (
        "crawler_worker_store_errors_total",
        "store calls of the worker that failed or timed out",
    ),
    (
        "crawler_worker_host_pauses_total",
        "pauses requested by hosts (429, Retry-After)",
    ),
    ("crawler_worker_bytes_total", "body bytes received"),
    (
        "crawler_render_pages_total",
        "pages rendered by this process",
    ),
    (
        "crawler_render_failed_total",
        "pages that could not be rendered",
    ),
    ("crawler_render_starts_total", "browsers started"),
    (
        "crawler_render_deaths_total",
        "browsers that exited unexpectedly",
    ),
    (
        "crawler_render_crashes_total",
        "page processes that crashed or were killed for using too much memory",
    ),
    ("crawler_render_busy_tabs", "tabs in use"),
    (
        "crawler_render_refused_total",
        "connections of pages blocked by the address guard",
    ),
    (
        "crawler_render_strays_total",
        "requests by the browser itself, all of them blocked",
    ),
];

/// Records the counters of a worker.
pub fn record_worker_metrics(numbers: &WorkerTotals) {
    metrics::counter!("crawler_worker_leases_lost_total").absolute(numbers.lost);
    metrics::counter!("crawler_worker_dropped_total").absolute(numbers.dropped);
    metrics::counter!("crawler_worker_host_pauses_total").absolute(numbers.host_pauses);
    metrics::counter!("crawler_worker_rescued_total").absolute(numbers.rescued);
    metrics::counter!("crawler_worker_poisoned_total").absolute(numbers.poisoned);
    metrics::counter!("crawler_worker_store_errors_total").absolute(numbers.store_errors);
    metrics::counter!("crawler_worker_bytes_total").absolute(numbers.bytes);
}

/// Records the counters of the browser.
pub(super) fn record_render_metrics(numbers: &RenderCounts) {
    metrics::counter!("crawler_render_pages_total").absolute(numbers.pages);
    metrics::counter!("crawler_render_failed_total").absolute(numbers.failed);
    metrics::counter!("crawler_render_starts_total").absolute(numbers.starts);
    metrics::counter!("crawler_render_deaths_total").absolute(numbers.deaths);
    metrics::counter!("crawler_render_crashes_total").absolute(numbers.crashes);
    metrics::gauge!("crawler_render_busy_tabs").set(numbers.busy as f64);
    metrics::counter!("crawler_render_refused_total").absolute(numbers.refused);
    metrics::counter!("crawler_render_strays_total").absolute(numbers.strays);
}

/// Records the statistics of the store; a kind without tasks is reported as zero.
pub(super) fn record_store_metrics(statistics: &Statistics) {
    for kind in JobKind::ALL {
        let found = statistics.kinds.iter().find(|found| found.kind == kind);
        let counts = found.map_or([0; 4], |found| {
            [found.ready, found.waiting, found.gated, found.processing]
        });
        for (state, count) in ["ready", "waiting", "gated", "processing"]
            .into_iter()
            .zip(counts)
        {
            metrics::gauge!("crawler_tasks", "type" => kind.as_str(), "state" => state)
                .set(count as f64);
        }
    }
    let oldest = statistics.oldest_ready.unwrap_or_default().as_secs_f64();
    metrics::gauge!("crawler_oldest_ready_task_seconds").set(oldest);
    metrics::gauge!("crawler_expired_leases").set(statistics.expired_leases as f64);
    metrics::gauge!("crawler_open_jobs").set(statistics.open_jobs as f64);
}
