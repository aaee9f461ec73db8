//! Waits before another attempt.

use std::time::Duration;

use crawler_model::Backoff;

use crate::rng::Rng;

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// The wait before the next attempt: doubling, with jitter, so that pages that failed together are not retried
/// together; never shorter than `retry_after`.
pub fn retry_delay(
    backoff: Backoff,
    attempts: u32,
    retry_after: Option<Duration>,
    rng: &mut Rng,
) -> Duration {
    let delay = doubled(backoff.first, backoff.longest, attempts);
    let delay = delay.mul_f64(0.5 + rng.fraction() / 2.0);
    delay.max(retry_after.unwrap_or_default())
}

/// The pause for a host that has throttled this many times in a row without saying for how long.
pub(crate) fn host_pause(times: u32, rng: &mut Rng) -> Duration {
    doubled(FIRST_PAUSE, MAX_PAUSE, times).mul_f64(1.0 + rng.fraction() / 4.0)
}

fn doubled(first: Duration, longest: Duration, times: u32) -> Duration {
    let factor = 1_u32 << times.saturating_sub(1).min(16);
    first.saturating_mul(factor).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_with_jitter_up_to_a_bound() {
        let mut rng = Rng::new(3);
        for (attempts, min, max) in [
            (1, 250, 500),
            (2, 500, 1_000),
            (3, 1_000, 2_000),
            (99, 5_000, 10_000),
        ] {
            for _ in 0..100 {
                let wait = retry_delay(Backoff::default(), attempts, None, &mut rng).as_millis();
                assert!((min..=max).contains(&wait), "{attempts}: {wait}");
            }
        }
        let quick = Backoff {
            first: Duration::from_millis(10),
            longest: Duration::from_millis(30),
        };
        for (attempts, min, max) in [(1, 5, 10), (2, 10, 20), (3, 15, 30), (99, 15, 30)] {
            let wait = retry_delay(quick, attempts, None, &mut rng).as_millis();
            assert!((min..=max).contains(&wait), "{attempts}: {wait}");
        }
    }
}
