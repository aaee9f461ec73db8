//! Metrics of store calls: how long each took, and how often it failed.

use std::time::{Duration, Instant};

use crawler_store::{CallWrapper, StoreError, StoreResult, WrappedStore};

/// A store with metrics of every call.
pub type TimedStore<S> = WrappedStore<S, CallMetrics>;

/// Records the duration and the failures of store calls.
#[derive(Clone, Copy, Default, Debug)]
pub struct CallMetrics;

impl CallWrapper for CallMetrics {
    async fn call<T: Send>(
        &self,
        verb: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let started = Instant::now();
        let result = call.await;
        record(verb, started.elapsed(), result.as_ref().err());
        result
    }
}

/// Records a call. Not generic: compiled once, not once per verb.
fn record(verb: &'static str, duration: Duration, error: Option<&StoreError>) {
    metrics::histogram!("crawler_store_seconds", "verb" => verb).record(duration);
    let failed = match error {
        // A conflict is the caller's mistake, not a failure of the store.
        None | Some(StoreError::Conflict(_)) => 0,
        Some(_) => 1,
    };
    metrics::counter!("crawler_store_errors_total", "verb" => verb).increment(failed);
}
