//! Metrics: one recorder for the process, and what the store says at a glance.
//!
//! Labels are words of ours, never a host or a URL: a site must not be able to make time series.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use render::RenderNumbers;
use store::{JobKind, Statistics};

use crate::worker::WorkerNumbers;

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

const SECONDS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// Those that are told as a spread and not as one number.
const SPREAD: [&str; 3] = [
    "crawler_http_request_seconds",
    "crawler_store_seconds",
    "crawler_worker_page_seconds",
];

/// The recorder, made when it is first asked for.
pub(super) fn recorder() -> &'static PrometheusHandle {
    RECORDER.get_or_init(|| {
        let suffix = Matcher::Suffix("_seconds".to_owned());
        let builder = PrometheusBuilder::new();
        let builder = match builder.set_buckets_for_metric(suffix, &SECONDS) {
            Ok(builder) => builder,
            // The buckets are not empty, which is all that can be wrong with them.
            Err(_) => PrometheusBuilder::new(),
        };
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        // Somebody else's recorder is as good; ours then tells nothing.
        let _ = metrics::set_global_recorder(recorder);
        for (name, about) in METRICS {
            match name {
                _ if name.ends_with("_total") => metrics::describe_counter!(name, about),
                _ if SPREAD.contains(&name) => metrics::describe_histogram!(name, about),
                _ => metrics::describe_gauge!(name, about),
            }
        }
        handle
    })
}

/// Everything, as Prometheus reads it.
pub(super) fn text() -> String {
    let recorder = recorder();
    recorder.run_upkeep();
    recorder.render()
}

/// Every metric there is, with what it tells. The names are a promise to those who watch.
pub const METRICS: [(&str, &str); 27] = [
    (
        "crawler_http_requests_total",
        "requests answered, by method, route and status",
    ),
    (
        "crawler_http_request_seconds",
        "time to the answer's head, by route",
    ),
    ("crawler_http_connections", "connections open now"),
    ("crawler_jobs_created_total", "jobs made, by type"),
    (
        "crawler_tasks",
        "tasks alive in the store, by type and state",
    ),
    (
        "crawler_oldest_ready_task_seconds",
        "how long the oldest task that may run has waited",
    ),
    (
        "crawler_expired_leases",
        "leases that ran out and were not taken back yet",
    ),
    ("crawler_open_jobs", "jobs that have not ended"),
    ("crawler_store_seconds", "time the store took, by verb"),
    (
        "crawler_store_errors_total",
        "calls that the store did not answer or refused, by verb",
    ),
    (
        "crawler_worker_tasks_total",
        "tasks settled by this process, by type and result",
    ),
    ("crawler_worker_page_seconds", "time to fetch a page"),
    (
        "crawler_worker_leases_lost_total",
        "results dropped because somebody else had the task by then",
    ),
    (
        "crawler_worker_dropped_total",
        "results the store refused for good",
    ),
    (
        "crawler_worker_rescued_total",
        "tasks taken back from workers that went silent",
    ),
    (
        "crawler_worker_poisoned_total",
        "tasks failed because they ended their workers too often",
    ),
    (
        "crawler_worker_store_errors_total",
        "calls of the worker that the store did not answer in time",
    ),
    (
        "crawler_worker_host_pauses_total",
        "pauses that hosts asked for (429, Retry-After)",
    ),
    ("crawler_worker_bytes_total", "body bytes over the wire"),
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
        "browsers that died without being asked to",
    ),
    (
        "crawler_render_crashes_total",
        "page processes that crashed or were ended for their memory",
    ),
    ("crawler_render_busy_tabs", "tabs at work now"),
    (
        "crawler_render_refused_total",
        "connections of pages that the guard refused",
    ),
    (
        "crawler_render_strays_total",
        "requests of the browser's own, none of which went anywhere",
    ),
];

/// Keeps what a worker of this process has done so far.
pub fn keep_worker_numbers(numbers: &WorkerNumbers) {
    metrics::counter!("crawler_worker_leases_lost_total").absolute(numbers.lost);
    metrics::counter!("crawler_worker_dropped_total").absolute(numbers.dropped);
    metrics::counter!("crawler_worker_host_pauses_total").absolute(numbers.host_pauses);
    metrics::counter!("crawler_worker_rescued_total").absolute(numbers.rescued);
    metrics::counter!("crawler_worker_poisoned_total").absolute(numbers.poisoned);
    metrics::counter!("crawler_worker_store_errors_total").absolute(numbers.store_errors);
    metrics::counter!("crawler_worker_bytes_total").absolute(numbers.bytes);
}

/// Keeps what the browser of this process has done so far.
pub(super) fn keep_rendering(numbers: &RenderNumbers) {
    metrics::counter!("crawler_render_pages_total").absolute(numbers.pages);
    metrics::counter!("crawler_render_failed_total").absolute(numbers.failed);
    metrics::counter!("crawler_render_starts_total").absolute(numbers.starts);
    metrics::counter!("crawler_render_deaths_total").absolute(numbers.deaths);
    metrics::counter!("crawler_render_crashes_total").absolute(numbers.crashes);
    metrics::gauge!("crawler_render_busy_tabs").set(numbers.busy as f64);
    metrics::counter!("crawler_render_refused_total").absolute(numbers.refused);
    metrics::counter!("crawler_render_strays_total").absolute(numbers.strays);
}

/// Keeps what the store says; a kind without live tasks is zero, not gone.
pub(super) fn keep(statistics: &Statistics) {
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
