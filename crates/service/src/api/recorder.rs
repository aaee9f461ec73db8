//! The recorder of the process: keeps the current values of all metrics and writes them in the Prometheus text format.
//!
//! `metrics-exporter-prometheus` does the same, with seventeen more crates; see decision 29.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use metrics::{
    Counter, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, SharedString, Unit,
};

/// Upper bounds of the buckets of every histogram, in seconds.
const BUCKETS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// The values of all metrics, by name and labels.
#[derive(Default)]
pub(super) struct Recorder {
    series: RwLock<HashMap<Key, Series>>,
}

/// One metric with one set of labels.
#[derive(Clone)]
enum Series {
    Counter(Arc<AtomicU64>),
    /// The bits of an `f64`.
    Gauge(Arc<AtomicU64>),
    Histogram(Arc<Buckets>),
}

/// The observations of a histogram.
#[derive(Default)]
struct Buckets {
    /// How many were at most each of [`BUCKETS`] and more than the one before; the last count has no upper bound.
    counts: [AtomicU64; BUCKETS.len() + 1],
    /// The bits of an `f64`.
    sum: AtomicU64,
}

impl HistogramFn for Buckets {
    fn record(&self, value: f64) {
        let bucket = BUCKETS.partition_point(|bound| *bound < value);
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        GaugeFn::increment(&self.sum, value);
    }
}

impl Recorder {
    /// Returns a series, creating it with `new` on first use.
    fn series(&self, key: &Key, new: fn() -> Series) -> Series {
        let known = self.series.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(series) = known.get(key) {
            return series.clone();
        }
        drop(known);
        let mut known = self.series.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(key.clone()).or_insert_with(new).clone()
    }

    /// Writes all metrics in the Prometheus text format, each with its description from `about`.
    pub(super) fn text(
        &self,
        about: &[(&str, &str)],
        shows_owner: impl Fn(&str) -> bool,
    ) -> String {
        let known = self.series.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<(String, String, Series)> = known
            .iter()
            .filter(|(key, _)| {
                let mut labels = key.labels();
                labels.all(|label| label.key() != "owner" || shows_owner(label.value()))
            })
            .map(|(key, series)| (key.name().to_owned(), labels(key), series.clone()))
            .collect();
        drop(known);
        all.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        let mut text = String::new();
        let mut last = "";
        for (name, labels, series) in &all {
            if name != last {
                if !last.is_empty() {
                    text.push('\n');
                }
                if let Some((_, about)) = about.iter().find(|(described, _)| described == name) {
                    let _ = writeln!(text, "# HELP {name} {about}");
                }
                let _ = writeln!(text, "# TYPE {name} {}", series.kind());
                last = name;
            }
            series.write(name, labels, &mut text);
        }
        text
    }
}

impl Series {
    fn kind(&self) -> &'static str {
        match self {
            Self::Counter(_) => "counter",
            Self::Gauge(_) => "gauge",
            Self::Histogram(_) => "histogram",
        }
    }

    fn write(&self, name: &str, labels: &str, text: &mut String) {
        // Writing to a string does not fail.
        let mut line = |suffix: &str, labels: &str, value: &dyn std::fmt::Display| {
            let _ = if labels.is_empty() {
                writeln!(text, "{name}{suffix} {value}")
            } else {
                writeln!(text, "{name}{suffix}{{{labels}}} {value}")
            };
        };
        match self {
            Self::Counter(value) => line("", labels, &value.load(Ordering::Relaxed)),
            Self::Gauge(value) => line("", labels, &f64::from_bits(value.load(Ordering::Relaxed))),
            Self::Histogram(buckets) => {
                let comma = if labels.is_empty() { "" } else { "," };
                let mut count = 0;
                let bounds = BUCKETS.iter().map(f64::to_string);
                let bounds = bounds.chain(["+Inf".to_owned()]);
                for (bound, bucket) in bounds.zip(&buckets.counts) {
                    count += bucket.load(Ordering::Relaxed);
                    let labels = format!("{labels}{comma}le=\"{bound}\"");
                    line("_bucket", &labels, &count);
                }
                let sum = f64::from_bits(buckets.sum.load(Ordering::Relaxed));
                line("_sum", labels, &sum);
                line("_count", labels, &count);
            }
        }
    }
}

/// The labels of a series as they are written: `a="1",b="2"`.
fn labels(key: &Key) -> String {
    let labels: Vec<String> = key
        .labels()
        .map(|label| {
            let value = label.value().replace('\\', "\\\\");
            let value = value.replace('"', "\\\"").replace('\n', "\\n");
            format!("{}=\"{value}\"", label.key())
        })
        .collect();
    labels.join(",")
}

impl metrics::Recorder for &'static Recorder {
    // Descriptions are in a table.
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        match self.series(key, || Series::Counter(Arc::default())) {
            Series::Counter(value) => Counter::from_arc(value),
            _ => Counter::noop(),
        }
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        match self.series(key, || Series::Gauge(Arc::default())) {
            Series::Gauge(value) => Gauge::from_arc(value),
            _ => Gauge::noop(),
        }
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        match self.series(key, || Series::Histogram(Arc::default())) {
            Series::Histogram(buckets) => Histogram::from_arc(buckets),
            _ => Histogram::noop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: Metadata<'_> = Metadata::new("", metrics::Level::INFO, None);

    fn key(name: &'static str, labels: &[(&'static str, &'static str)]) -> Key {
        let labels: Vec<metrics::Label> = labels.iter().map(Into::into).collect();
        Key::from_parts(name, labels)
    }

    #[test]
    fn values_are_written_in_the_prometheus_text_format() {
        use metrics::Recorder as _;
        let recorder: &'static Recorder = Box::leak(Box::default());
        let requests = key(
            "requests_total",
            &[("route", "/a\"b\\c\n"), ("status", "200")],
        );
        recorder.register_counter(&requests, &METADATA).increment(2);
        recorder.register_counter(&requests, &METADATA).increment(1);
        let open = key("open", &[]);
        recorder.register_gauge(&open, &METADATA).increment(2.0);
        recorder.register_gauge(&open, &METADATA).decrement(0.5);
        let time = key("seconds", &[("verb", "get")]);
        for value in [0.005, 0.006, 0.75, 60.0] {
            recorder.register_histogram(&time, &METADATA).record(value);
        }
        let expected = "\
# TYPE open gauge
open 1.5

# HELP requests_total how many
# TYPE requests_total counter
requests_total{route=\"/a\\\"b\\\\c\\n\",status=\"200\"} 3

# TYPE seconds histogram
seconds_bucket{verb=\"get\",le=\"0.005\"} 1
seconds_bucket{verb=\"get\",le=\"0.01\"} 2
seconds_bucket{verb=\"get\",le=\"0.025\"} 2
seconds_bucket{verb=\"get\",le=\"0.05\"} 2
seconds_bucket{verb=\"get\",le=\"0.1\"} 2
seconds_bucket{verb=\"get\",le=\"0.25\"} 2
seconds_bucket{verb=\"get\",le=\"0.5\"} 2
seconds_bucket{verb=\"get\",le=\"1\"} 3
seconds_bucket{verb=\"get\",le=\"2.5\"} 3
seconds_bucket{verb=\"get\",le=\"5\"} 3
seconds_bucket{verb=\"get\",le=\"10\"} 3
seconds_bucket{verb=\"get\",le=\"+Inf\"} 4
seconds_sum{verb=\"get\"} 60.761
seconds_count{verb=\"get\"} 4
";
        assert_eq!(
            recorder.text(&[("requests_total", "how many")], |_| true),
            expected
        );
    }

    #[test]
    fn a_name_used_for_another_kind_of_metric_records_nothing() {
        use metrics::Recorder as _;
        let recorder: &'static Recorder = Box::leak(Box::default());
        let name = key("requests_total", &[]);
        recorder.register_counter(&name, &METADATA).increment(1);
        recorder.register_gauge(&name, &METADATA).set(9.0);
        recorder.register_histogram(&name, &METADATA).record(9.0);
        let expected = "# TYPE requests_total counter\nrequests_total 1\n";
        assert_eq!(recorder.text(&[], |_| true), expected);
    }
}
