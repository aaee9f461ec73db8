//! The deadlines of one request, on one timer.
//!
//! The work is polled first, and the timer only if the work is pending, so a response that is already there
//! costs no timer. A deadline that moves later leaves the timer unchanged: if it fires early, it is reset.
//! The error message names the deadline that was missed.

use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use crawler_model::{Deadlines, FailKind, Failure};
use tokio::time::{Instant, Sleep, sleep_until};

/// The step a request is waiting in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    /// Name resolution, TCP, proxy tunnel and TLS.
    Connect,
    /// Waiting for a free stream on a shared connection: only the total deadline applies.
    Stream,
    /// Waiting for the response head.
    Head,
    /// Waiting for the next chunk of the body.
    Body,
}

/// The deadlines of one request and the timer that enforces them.
#[derive(Debug)]
pub(crate) struct RequestTimer {
    deadlines: Deadlines,
    started: Instant,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl RequestTimer {
    /// Creates a timer that starts now.
    pub(crate) fn new(deadlines: Deadlines) -> Self {
        Self {
            deadlines,
            started: Instant::now(),
            sleep: None,
        }
    }

    /// Returns the time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Runs `work`; fails at the deadline of the phase or at the total deadline, whichever is earlier.
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

    /// Returns the end of the phase and its time limit; `None` if the total deadline comes first.
    fn due(&self, phase: Phase) -> (Instant, Option<Duration>) {
        let allowed = match phase {
            Phase::Connect => self.deadlines.connect,
            Phase::Head => self.deadlines.head,
            Phase::Body => self.deadlines.idle,
            Phase::Stream => self.deadlines.total,
        };
        let total = self.started + self.deadlines.total;
        let phase_end = Instant::now() + allowed;
        if phase_end < total {
            (phase_end, Some(allowed))
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
        let message = match (phase, allowed) {
            (Phase::Connect, Some(allowed)) => format!("no connection within {}", display(allowed)),
            (Phase::Head, Some(allowed)) => format!("no response within {}", display(allowed)),
            (Phase::Body, Some(allowed)) => format!("the body stalled for {}", display(allowed)),
            // The total deadline is not longer than the head deadline, but the message is about the head.
            (Phase::Head, None) if self.deadlines.head >= total => {
                format!("no response within {}", display(total))
            }
            _ => format!("not finished within {}", display(total)),
        };
        Failure::new(FailKind::Timeout, message)
    }
}

/// `5 s`, `1.5 s`, `200 ms`.
fn display(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        format!("{} ms", duration.as_millis())
    } else {
        format!("{} s", duration.as_millis() as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    fn timer(connect: u64, head: u64, idle: u64, total: u64) -> RequestTimer {
        RequestTimer::new(Deadlines {
            connect: Duration::from_millis(connect),
            head: Duration::from_millis(head),
            idle: Duration::from_millis(idle),
            total: Duration::from_millis(total),
        })
    }

    async fn message(timer: &mut RequestTimer, phase: Phase) -> String {
        let failure = timer.within(phase, pending::<()>()).await.unwrap_err();
        assert_eq!(failure.kind, FailKind::Timeout);
        failure.message
    }

    #[tokio::test(start_paused = true)]
    async fn each_deadline_has_its_own_message() {
        let all = || timer(5_000, 10_000, 1_500, 60_000);
        assert_eq!(
            message(&mut all(), Phase::Connect).await,
            "no connection within 5 s"
        );
        assert_eq!(
            message(&mut all(), Phase::Head).await,
            "no response within 10 s"
        );
        assert_eq!(
            message(&mut all(), Phase::Body).await,
            "the body stalled for 1.5 s"
        );
        assert_eq!(
            message(&mut all(), Phase::Stream).await,
            "not finished within 60 s"
        );
        let mut short_total = timer(500, 500, 500, 200);
        assert_eq!(
            message(&mut short_total, Phase::Head).await,
            "no response within 200 ms"
        );
        assert_eq!(
            message(&mut short_total, Phase::Body).await,
            "not finished within 200 ms"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_drip_ends_at_the_total_deadline() {
        let mut timer = timer(1_000, 1_000, 1_000, 10_000);
        let start = Instant::now();
        loop {
            let drop = tokio::time::sleep(Duration::from_millis(900));
            if let Err(failure) = timer.within(Phase::Body, drop).await {
                assert_eq!(failure.message, "not finished within 10 s");
                break;
            }
        }
        assert_eq!(start.elapsed(), Duration::from_secs(10));
    }
}
