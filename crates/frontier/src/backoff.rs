//! How long to wait before trying again.

use std::time::Duration;

use model::Backoff;

use crate::chance::Chance;

const HOST_FIRST: Duration = Duration::from_secs(1);
const HOST_LONGEST: Duration = Duration::from_mins(1);

/// The wait before a page's next attempt: doubling, with jitter, so that pages that failed together do
/// not come back together.
pub fn before_retry(backoff: Backoff, attempts: u32, chance: &mut Chance) -> Duration {
    doubled(backoff.first, backoff.longest, attempts).mul_f64(0.5 + chance.fraction() / 2.0)
}

/// The pause a host is given that keeps saying "too many requests" without saying for how long.
pub fn for_host(times: u32, chance: &mut Chance) -> Duration {
    doubled(HOST_FIRST, HOST_LONGEST, times).mul_f64(1.0 + chance.fraction() / 4.0)
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
        let mut chance = Chance::new(3);
        for (attempts, least, most) in [
            (1, 250, 500),
            (2, 500, 1_000),
            (3, 1_000, 2_000),
            (99, 5_000, 10_000),
        ] {
            for _ in 0..100 {
                let wait = before_retry(Backoff::default(), attempts, &mut chance).as_millis();
                assert!((least..=most).contains(&wait), "{attempts}: {wait}");
            }
        }
        let quick = Backoff {
            first: Duration::from_millis(10),
            longest: Duration::from_millis(30),
        };
        for (attempts, least, most) in [(1, 5, 10), (2, 10, 20), (3, 15, 30), (99, 15, 30)] {
            let wait = before_retry(quick, attempts, &mut chance).as_millis();
            assert!((least..=most).contains(&wait), "{attempts}: {wait}");
        }
    }
}
