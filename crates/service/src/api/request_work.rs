//! Work on requests that takes longer than a few milliseconds: large bodies, patterns, batches.
//!
//! It runs on blocking threads, a few at a time, so that one caller's request delays neither the other requests nor the workers
//! of the process.

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use http::StatusCode;
use tokio::sync::Semaphore;

use super::problem::Problem;

/// How long a request waits for its turn.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Runs work on requests on blocking threads.
#[derive(Clone, Debug)]
pub(super) struct RequestWork {
    turns: Arc<Semaphore>,
}

impl Default for RequestWork {
    fn default() -> Self {
        let turns = available_parallelism().map_or(1, usize::from).max(2);
        Self {
            turns: Arc::new(Semaphore::new(turns)),
        }
    }
}

impl RequestWork {
    /// Runs work on a blocking thread when it is its turn.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = Arc::clone(&self.turns).acquire_owned();
        let turn = tokio::time::timeout(MAX_WAIT, turn).await;
        let Ok(Ok(turn)) = turn else {
            return Err(Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "overloaded",
                "the service is busy with other large requests; try again later",
            ));
        };
        let working = tokio::task::spawn_blocking(move || {
            // The turn ends with the work, also if the request was abandoned.
            let _turn = turn;
            work()
        });
        working.await.map_err(|_| Problem::internal())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_does_not_wait_forever_for_its_turn() {
        let work = RequestWork {
            turns: Arc::new(Semaphore::new(1)),
        };
        let turn = Arc::clone(&work.turns).acquire_owned().await.unwrap();
        let problem = work.run(|| ()).await.unwrap_err();
        assert_eq!((problem.status, problem.code), (503, "overloaded"));
        drop(turn);
        assert!(work.run(|| ()).await.is_ok());
    }

    #[tokio::test]
    async fn an_abandoned_request_keeps_its_turn_until_its_work_ends() {
        let work = RequestWork {
            turns: Arc::new(Semaphore::new(1)),
        };
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (end, ended) = mpsc::channel::<()>();
        let slow = work.run(move || {
            let _ = started.send(());
            let _ = ended.recv();
        });
        tokio::select! {
            _ = slow => panic!("the work has not ended"),
            started = has_started => started.unwrap(),
        }
        assert_eq!(work.turns.available_permits(), 0);
        end.send(()).unwrap();
        assert!(work.run(|| ()).await.is_ok());
    }
}
