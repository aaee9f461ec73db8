//! The deadlines of one request, on one timer.
//!
//! Work is polled first and the timer only when work has to wait, so an answer that is already there
//! costs no timer at all. A deadline that moves later leaves the timer as it is: when it goes off early
//! it is set again. The words say which deadline it was.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use model::{Deadlines, FailKind, Failure};
use tokio::time::{Instant, Sleep, sleep_until};

/// What is being waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Name, TCP, tunnel and TLS.
    Connect,
    /// A free stream of a shared connection: only the total counts.
    Turn,
    /// The answer's head.
    Head,
    /// The next piece of body.
    Piece,
}

/// One request's clock.
#[derive(Debug)]
pub(crate) struct Alarm {
    deadlines: Deadlines,
    started: Instant,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Alarm {
    /// Starts now.
    pub(crate) fn new(deadlines: Deadlines) -> Self {
        Self {
            deadlines,
            started: Instant::now(),
            sleep: None,
        }
    }

    /// Since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Does the work, or fails by the phase's deadline or the total, whichever is earlier.
    pub(crate) async fn within<T>(
        &mut self,
        phase: Phase,
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let mut work = pin!(work);
        let mut due = None;
        std::future::poll_fn(|cx| {
            if let Poll::Ready(done) = work.as_mut().poll(cx) {
                return Poll::Ready(Ok(done));
            }
            let (at, allowed) = *due.get_or_insert_with(|| self.due(phase));
            if self.poll_until(cx, at).is_ready() {
                return Poll::Ready(Err(self.failure(phase, allowed)));
            }
            Poll::Pending
        })
        .await
    }

    /// When the phase ends, and how long it was allowed; `None` when it is the total that ends it.
    fn due(&self, phase: Phase) -> (Instant, Option<Duration>) {
        let allowed = match phase {
            Phase::Connect => self.deadlines.connect,
            Phase::Head => self.deadlines.head,
            Phase::Piece => self.deadlines.idle,
            Phase::Turn => self.deadlines.total,
        };
        let total = self.started + self.deadlines.total;
        let own = Instant::now() + allowed;
        if own < total {
            (own, Some(allowed))
        } else {
            (total, None)
        }
    }

    fn poll_until(&mut self, cx: &mut Context<'_>, at: Instant) -> Poll<()> {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if sleep.deadline() > at {
            sleep.as_mut().reset(at);
        }
        while sleep.as_mut().poll(cx).is_ready() {
            if sleep.deadline() >= at {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(at);
        }
        Poll::Pending
    }

    fn failure(&self, phase: Phase, allowed: Option<Duration>) -> Failure {
        let total = self.deadlines.total;
        let words = match (phase, allowed) {
            (Phase::Connect, Some(allowed)) => format!("no connection within {}", spoken(allowed)),
            (Phase::Head, Some(allowed)) => format!("no answer within {}", spoken(allowed)),
            (Phase::Piece, Some(allowed)) => format!("the body stalled for {}", spoken(allowed)),
            // The head may take all the time there is, and has.
            (Phase::Head, None) if self.deadlines.head >= total => {
                format!("no answer within {}", spoken(total))
            }
            _ => format!("not finished within {}", spoken(total)),
        };
        Failure::new(FailKind::Timeout, words)
    }
}

/// `5 s`, `1.5 s`, `200 ms`.
fn spoken(span: Duration) -> String {
    if span < Duration::from_secs(1) {
        format!("{} ms", span.as_millis())
    } else {
        format!("{} s", span.as_millis() as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    fn alarm(connect: u64, head: u64, idle: u64, total: u64) -> Alarm {
        Alarm::new(Deadlines {
            connect: Duration::from_millis(connect),
            head: Duration::from_millis(head),
            idle: Duration::from_millis(idle),
            total: Duration::from_millis(total),
        })
    }

    async fn words(alarm: &mut Alarm, phase: Phase) -> String {
        let failure = alarm.within(phase, pending::<()>()).await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Timeout);
        failure.words
    }

    #[tokio::test(start_paused = true)]
    async fn each_deadline_has_its_words() {
        let all = || alarm(5_000, 10_000, 1_500, 60_000);
        assert_eq!(
            words(&mut all(), Phase::Connect).await,
            "no connection within 5 s"
        );
        assert_eq!(
            words(&mut all(), Phase::Head).await,
            "no answer within 10 s"
        );
        assert_eq!(
            words(&mut all(), Phase::Piece).await,
            "the body stalled for 1.5 s"
        );
        assert_eq!(
            words(&mut all(), Phase::Turn).await,
            "not finished within 60 s"
        );
        let mut tight = alarm(500, 500, 500, 200);
        assert_eq!(
            words(&mut tight, Phase::Head).await,
            "no answer within 200 ms"
        );
        assert_eq!(
            words(&mut tight, Phase::Piece).await,
            "not finished within 200 ms"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_drip_is_ended_by_the_total_and_not_sooner() {
        let mut alarm = alarm(1_000, 1_000, 1_000, 10_000);
        let began = Instant::now();
        loop {
            let drop = tokio::time::sleep(Duration::from_millis(900));
            if let Err(failure) = alarm.within(Phase::Piece, drop).await {
                assert_eq!(failure.words, "not finished within 10 s");
                break;
            }
        }
        assert_eq!(began.elapsed(), Duration::from_secs(10));
    }
}
