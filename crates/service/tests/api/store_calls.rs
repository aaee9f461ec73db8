//! What the service asks of its store: counted, and held on demand.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crawler_store::{CallWrapper, StoreResult};
use tokio::sync::Semaphore;

/// The calls of a service to its store.
#[derive(Clone, Debug)]
pub(crate) struct StoreCalls {
    counts: Arc<Mutex<HashMap<&'static str, usize>>>,
    /// The next call of this verb waits until it is released.
    held: Arc<Mutex<Option<&'static str>>>,
    release: Arc<Semaphore>,
}

impl Default for StoreCalls {
    fn default() -> Self {
        Self {
            counts: Arc::default(),
            held: Arc::default(),
            release: Arc::new(Semaphore::new(0)),
        }
    }
}

impl StoreCalls {
    /// How often a verb was called.
    pub(crate) fn of(&self, verb: &str) -> usize {
        self.counts.lock().unwrap().get(verb).copied().unwrap_or(0)
    }

    /// Makes the next call of a verb wait.
    pub(crate) fn hold(&self, verb: &'static str) {
        *self.held.lock().unwrap() = Some(verb);
    }

    /// Lets the call continue that waits.
    pub(crate) fn release(&self) {
        self.release.add_permits(1);
    }
}

impl CallWrapper for StoreCalls {
    async fn call<T: Send>(
        &self,
        verb: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        *self.counts.lock().unwrap().entry(verb).or_default() += 1;
        let is_held = self.held.lock().unwrap().take_if(|held| *held == verb);
        if is_held.is_some() {
            self.release.acquire().await.unwrap().forget();
        }
        call.await
    }
}
