//! Fails calls to an unreachable database, long before their own timeouts.
//!
//! A slow call is left alone as long as the database accepts connections.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use crawler_store::{CallWrapper, StoreError, StoreResult, Upkeep};
use tokio::time::timeout;

use crate::cached_check::CachedCheck;

/// A call that takes longer than this may be waiting for an unreachable database.
const SLOW_CALL: Duration = Duration::from_millis(500);
/// Interval between checks during one slow call.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Fails calls while the database is unreachable.
#[derive(Clone, Debug)]
pub struct OutageDetector<S> {
    store: S,
    /// How long the database may take to accept a connection.
    connect_timeout: Duration,
    reachable: Arc<CachedCheck>,
}

impl<S: Upkeep> OutageDetector<S> {
    /// Creates a detector for the calls to this store.
    pub fn new(store: S, connect_timeout: Duration) -> Self {
        Self {
            store,
            connect_timeout,
            reachable: Arc::default(),
        }
    }

    async fn check(&self) -> Result<(), String> {
        let checked = self.reachable.check(|| async {
            match timeout(self.connect_timeout, self.store.reachable()).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err(format!(
                    "no connection within {:?} (store.connect_timeout)",
                    self.connect_timeout
                )),
            }
        });
        checked.await
    }
}

impl<S: Upkeep + Clone + Send + Sync + 'static> CallWrapper for OutageDetector<S> {
    async fn call<T: Send>(
        &self,
        _verb: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        // After a check has just failed, further calls fail at once.
        if let Some(message) = self.reachable.failure() {
            return Err(StoreError::Unavailable(message));
        }
        let mut call = pin!(call);
        let mut wait = SLOW_CALL;
        loop {
            if let Ok(result) = timeout(wait, &mut call).await {
                return result;
            }
            tokio::select! {
                result = &mut call => return result,
                checked = self.check() => checked.map_err(StoreError::Unavailable)?,
            }
            wait = CHECK_INTERVAL;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

    use crawler_store::Statistics;
    use tokio::time::{Instant, sleep};

    use super::*;

    const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

    /// A database that accepts connections, or never answers.
    #[derive(Clone, Default)]
    struct Database(Arc<AtomicBool>);

    impl Upkeep for Database {
        async fn prune(&self, _: Duration, _: u32) -> StoreResult<u64> {
            Ok(0)
        }

        async fn prune_hosts(&self, _: Duration, _: Duration) -> StoreResult<u64> {
            Ok(0)
        }

        async fn shrink(&self) -> StoreResult<u64> {
            Ok(0)
        }

        async fn ready(&self) -> StoreResult<()> {
            Ok(())
        }

        async fn reachable(&self) -> StoreResult<()> {
            if self.0.load(SeqCst) {
                return Ok(());
            }
            pending().await
        }

        async fn statistics(&self) -> StoreResult<Statistics> {
            Err(StoreError::Refused("not implemented".to_owned()))
        }
    }

    async fn after(duration: Duration) -> StoreResult<u32> {
        sleep(duration).await;
        Ok(1)
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_call_to_a_reachable_database_is_not_aborted() {
        let database = Database::default();
        database.0.store(true, SeqCst);
        let detector = OutageDetector::new(database, CONNECT_TIMEOUT);
        let result = detector.call("claim", after(Duration::from_secs(25))).await;
        assert_eq!(result.unwrap(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_to_an_unreachable_database_fail_quickly() {
        let database = Database::default();
        let detector = OutageDetector::new(database.clone(), CONNECT_TIMEOUT);
        let started = Instant::now();
        for _ in 0..3 {
            let result = detector.call("claim", pending::<StoreResult<u32>>()).await;
            assert!(matches!(result, Err(StoreError::Unavailable(_))));
        }
        assert_eq!(started.elapsed(), SLOW_CALL + CONNECT_TIMEOUT);
        database.0.store(true, SeqCst);
        sleep(Duration::from_secs(1)).await;
        let result = detector.call("claim", after(Duration::ZERO)).await;
        assert_eq!(result.unwrap(), 1);
    }
}
