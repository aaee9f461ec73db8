//! Caches the readiness of the store: `/readyz` is public, and each check costs a write.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long a result is cached.
const CACHE_TIME: Duration = Duration::from_secs(1);

type CheckResult = Result<(), String>;

/// The last result and its time.
#[derive(Debug, Default)]
pub(super) struct Readiness {
    last: Mutex<Option<(Instant, CheckResult)>>,
}

impl Readiness {
    /// Returns the cached result, or runs the check while other callers wait for its result.
    pub(super) async fn check<F: Future<Output = CheckResult>>(
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
        let readiness = Readiness::default();
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
            readiness.check(check).await
        };
        assert_eq!(ready().await, Ok(()));
        assert_eq!(ready().await, Ok(()));
        tokio::time::advance(CACHE_TIME).await;
        assert_eq!(ready().await, Err("unavailable".to_owned()));
        assert_eq!(checks.get(), 2);
    }
}
