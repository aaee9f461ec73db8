//! Work on requests that takes longer than a few milliseconds: large bodies, patterns, batches.
//!
//! It runs on blocking threads, one request of each owner and a few altogether at a time, so that one caller's requests delay
//! neither those of others nor the workers of the process.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use crawler_store::Owner;
use http::StatusCode;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::owner_limits::OwnerLimits;
use super::problem::Problem;

/// How long a request waits for its turn.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// When to try again after the own requests took too long.
const OWN_RETRY: Duration = Duration::from_secs(5);

/// Runs work on requests on blocking threads.
#[derive(Debug)]
pub(super) struct RequestWork {
    turns: Arc<Semaphore>,
    limits: Arc<OwnerLimits>,
}

impl RequestWork {
    pub(super) fn new(limits: Arc<OwnerLimits>) -> Self {
        let turns = available_parallelism().map_or(1, usize::from).max(2);
        Self::with_turns(turns, limits)
    }

    fn with_turns(turns: usize, limits: Arc<OwnerLimits>) -> Self {
        let turns = Arc::new(Semaphore::new(turns));
        Self { turns, limits }
    }

    /// Runs work on a blocking thread when it is its turn.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        owner: &Owner,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let until = Instant::now() + MAX_WAIT;
        let own = self.limits.working(owner).lock_owned();
        let Ok(own) = timeout_at(until, own).await else {
            let message =
                "the request waited for other large requests of this API key; send fewer at a time";
            return Err(Problem::too_many_requests(message).retry_after(OWN_RETRY));
        };
        let turn = Arc::clone(&self.turns).acquire_owned();
        let Ok(Ok(turn)) = timeout_at(until, turn).await else {
            return Err(Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "overloaded",
                "the service is busy with other large requests; try again later",
            ));
        };
        let working = tokio::task::spawn_blocking(move || {
            // The turn ends with the work, also if the request was abandoned.
            let _turns = (own, turn);
            work()
        });
        working.await.map_err(|_| Problem::internal())
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::mpsc;

    use futures_util::FutureExt;

    use super::*;

    fn work(turns: usize) -> RequestWork {
        RequestWork::with_turns(turns, Arc::default())
    }

    fn owner(name: &str) -> Owner {
        Owner::parse(name).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_does_not_wait_forever_for_its_turn() {
        let (work, alice) = (work(1), owner("alice"));
        let turn = Arc::clone(&work.turns).acquire_owned().await.unwrap();
        let problem = work.run(&alice, || ()).await.unwrap_err();
        assert_eq!((problem.status, problem.code), (503, "overloaded"));
        drop(turn);
        assert!(work.run(&alice, || ()).await.is_ok());
    }

    #[tokio::test]
    async fn an_abandoned_request_keeps_its_turn_until_its_work_ends() {
        let (work, alice) = (work(1), owner("alice"));
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (end, ended) = mpsc::channel::<()>();
        let slow = work.run(&alice, move || {
            let _ = started.send(());
            let _ = ended.recv();
        });
        tokio::select! {
            _ = slow => panic!("the work has not ended"),
            started = has_started => started.unwrap(),
        }
        assert_eq!(work.turns.available_permits(), 0);
        end.send(()).unwrap();
        assert!(work.run(&alice, || ()).await.is_ok());
    }
    /// The requests of one owner wait for each other, not for a turn that others could have.
    #[tokio::test]
    async fn one_owner_does_not_take_all_turns() {
        let (work, alice) = (Arc::new(work(2)), owner("alice"));
        let (end, ended) = mpsc::channel::<()>();
        let ended = Arc::new(std::sync::Mutex::new(ended));
        for _ in 0..20 {
            let (work, alice, ended) = (Arc::clone(&work), alice.clone(), Arc::clone(&ended));
            tokio::spawn(async move {
                let slow = work.run(&alice, move || ended.lock().unwrap().recv().is_ok());
                slow.await.map(drop)
            });
        }
        while work.turns.available_permits() == 2 {
            tokio::task::yield_now().await;
        }
        assert!(work.run(&owner("bob"), || ()).await.is_ok());
        assert_eq!(work.turns.available_permits(), 1);
        // The clock of a runtime with blocking work does not advance by itself.
        tokio::time::pause();
        let mut refused = pin!(work.run(&alice, || ()));
        assert!(refused.as_mut().now_or_never().is_none());
        tokio::time::advance(2 * MAX_WAIT).await;
        let refused = refused.await.unwrap_err();
        assert_eq!((refused.status, refused.code), (429, "too_many_requests"));
        drop(end);
    }
}
