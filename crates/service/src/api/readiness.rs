//! Whether the store is there, asked once for all who want to know: anybody may ask, and each answer costs a write.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// How long an answer is good for.
const FRESH: Duration = Duration::from_secs(1);

type Answer = Result<(), String>;

/// The last answer, and when it was given.
#[derive(Debug, Default)]
pub(super) struct Readiness {
    last: Mutex<Option<(Instant, Answer)>>,
}

impl Readiness {
    /// The last answer if it is fresh; else asks, while others wait for the same answer.
    pub(super) async fn ask<F: Future<Output = Answer>>(&self, ask: impl FnOnce() -> F) -> Answer {
        let mut last = self.last.lock().await;
        if let Some((at, answer)) = &*last
            && at.elapsed() < FRESH
        {
            return answer.clone();
        }
        let answer = ask().await;
        *last = Some((Instant::now(), answer.clone()));
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_question_serves_everybody_for_a_moment() {
        let readiness = Readiness::default();
        let asked = Cell::new(0);
        let look = async || {
            let ask = || async {
                asked.set(asked.get() + 1);
                if asked.get() == 1 {
                    Ok(())
                } else {
                    Err("away".to_owned())
                }
            };
            readiness.ask(ask).await
        };
        assert_eq!(look().await, Ok(()));
        assert_eq!(look().await, Ok(()));
        tokio::time::advance(FRESH).await;
        assert_eq!(look().await, Err("away".to_owned()));
        assert_eq!(asked.get(), 2);
    }
}
