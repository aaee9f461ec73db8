//! Caches the result of a check of the store: each check costs a write or a connection, and anyone can cause one.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a result is cached.
const CACHE_TIME: Duration = Duration::from_secs(1);

/// The result of a check, with a message for the log.
pub(crate) type CheckResult = Result<(), String>;

/// The last result and its time.
#[derive(Debug, Default)]
pub(crate) struct CachedCheck {
    last: Mutex<Option<(Instant, CheckResult)>>,
}

impl CachedCheck {
    /// Returns the message of the last check if it failed and is still cached.
    pub(crate) fn failure(&self) -> Option<String> {
        let last = self.last.try_lock().ok()?;
        let (at, result) = last.as_ref()?;
        let failure = result.as_ref().err()?;
        (at.elapsed() < CACHE_TIME).then(|| failure.clone())
    }

    /// Returns the cached result, or runs the check while other callers wait for its result.
    pub(crate) async fn check<F: Future<Output = CheckResult>>(
        &self,
        check: impl FnOnce() -> F,
    ) -> CheckResult {
        let mut last = self.last.lock().await;
        if let Some((at, result)) = &*last
            && at.elapsed() < CACHE_TIME
        {
            return result.clone();
        }
        let result = check().await;
        *last = Some((Instant::now(), result.clone()));
        result
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_result_is_shared_until_it_expires() {
        let cached = CachedCheck::default();
        let checks = Cell::new(0);
        let ready = async || {
            let check = || async {
                checks.set(checks.get() + 1);
                if checks.get() == 1 {
                    Ok(())
                } else {
                    Err("unavailable".to_owned())
                }
            };
            cached.check(check).await
        };
        assert_eq!(ready().await, Ok(()));
        assert_eq!(ready().await, Ok(()));
        assert_eq!(cached.failure(), None);
        tokio::time::advance(CACHE_TIME).await;
        assert_eq!(ready().await, Err("unavailable".to_owned()));
        assert_eq!(checks.get(), 2);
        assert_eq!(cached.failure(), Some("unavailable".to_owned()));
        tokio::time::advance(CACHE_TIME).await;
        assert_eq!(cached.failure(), None);
    }
}
