//! Which failures are retried, and which responses slow down the whole host.

use std::time::Duration;

use crate::FailKind;

/// Whether to retry after a failed attempt: the failure may be temporary, attempts are left, and the host does not ask for
/// a longer pause than `max_wait`.
#[inline]
pub fn may_retry(
    kind: FailKind,
    attempt: u32,
    max_attempts: u32,
    retry_after: Option<Duration>,
    max_wait: Duration,
) -> bool {
    kind.retryable() && attempt < max_attempts && retry_after.is_none_or(|pause| pause <= max_wait)
}

/// Whether a response slows down all requests to its host: 429, or a temporary error (408, 5xx) with `Retry-After`.
#[inline]
pub fn throttles_host(status: u16, has_retry_after: bool) -> bool {
    match status {
        429 => true,
        408 | 500..=599 => has_retry_after,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_needs_a_temporary_failure_an_attempt_and_a_short_pause() {
        let second = Duration::from_secs(1);
        for (kind, attempt, retry_after, expected) in [
            (FailKind::ServerError, 1, None, true),
            (FailKind::ServerError, 2, Some(second), true),
            (FailKind::ServerError, 3, None, false),
            (FailKind::ServerError, 1, Some(3 * second), false),
            (FailKind::DeadLink, 1, None, false),
        ] {
            let actual = may_retry(kind, attempt, 3, retry_after, 2 * second);
            assert_eq!(actual, expected, "{kind} {attempt} {retry_after:?}");
        }
    }
}
