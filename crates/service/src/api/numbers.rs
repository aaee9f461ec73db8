//! Metrics: one recorder for the process, and what the store says at a glance.
//!
//! Labels are words of ours, never a host or a URL: a site must not be able to make time series.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use store::{JobKind, Statistics};

use crate::worker::WorkerNumbers;

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

const SECONDS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
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
        handle
    })
}

/// Everything, as Prometheus reads it.
pub(super) fn text() -> String {
    let recorder = recorder();
    recorder.run_upkeep();
    recorder.render()
}

/// Keeps what a worker of this process has done so far.
pub fn keep_worker_numbers(numbers: &WorkerNumbers) {
    for (result, count) in [
        ("done", numbers.done),
        ("failed", numbers.failed),
        ("skipped", numbers.skipped),
        ("retried", numbers.retried),
        ("handed_back", numbers.handed_back),
        ("lost", numbers.lost),
        ("dropped", numbers.dropped),
    ] {
        metrics::counter!("crawler_worker_tasks_total", "result" => result).absolute(count);
    }
    metrics::counter!("crawler_worker_rescued_total").absolute(numbers.rescued);
    metrics::counter!("crawler_worker_poisoned_total").absolute(numbers.poisoned);
    metrics::counter!("crawler_worker_store_errors_total").absolute(numbers.store_errors);
    metrics::counter!("crawler_worker_bytes_total").absolute(numbers.bytes);
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
