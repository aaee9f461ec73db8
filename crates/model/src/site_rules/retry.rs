//! Which failures are tried again, and which are about the host rather than the page.

use std::time::Duration;

use crate::FailKind;

/// Whether a failed attempt is followed by another: the failure may be temporary, attempts are left, and the
/// host does not ask for a longer pause than `max_wait`.
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

/// Whether a response slows down requests to its host, not only to its page: 429, and a temporary error
/// (408, 5xx) that says when to come back.
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
            let answer = may_retry(kind, attempt, 3, retry_after, 2 * second);
            assert_eq!(answer, expected, "{kind} {attempt} {retry_after:?}");
        }
    }
}
