//! What an HTTP status means for a robots.txt.

use super::PageStatus;

/// What an HTTP status means for a robots.txt (RFC 9309, section 2.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RobotsStatus {
    /// 2xx: the response is the file.
    File,
    /// A redirect to the file.
    Redirect,
    /// 408 and 429: the server asks to come back later.
    Throttled,
    /// 5xx: the server failed to deliver the file.
    Unavailable,
    /// Anything else: there is no file, so there are no rules.
    Absent,
}

impl RobotsStatus {
    /// Classifies a status; `has_location`: the response has a `Location` header.
    pub fn of(status: u16, has_location: bool) -> Self {
        match PageStatus::of(status, has_location) {
            PageStatus::Success => Self::File,
            PageStatus::Redirect if has_location => Self::Redirect,
            PageStatus::ErrorPage(_) if matches!(status, 500..=599) => Self::Unavailable,
            PageStatus::ErrorPage(kind) if kind.retryable() => Self::Throttled,
            PageStatus::Redirect | PageStatus::ErrorPage(_) | PageStatus::Unusable(_) => {
                Self::Absent
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_of_a_robots_txt() {
        for status in 100..1_000 {
            let expected = match status {
                200..=299 => RobotsStatus::File,
                300..=303 | 307 | 308 => RobotsStatus::Redirect,
                408 | 429 => RobotsStatus::Throttled,
                500..=599 => RobotsStatus::Unavailable,
                _ => RobotsStatus::Absent,
            };
            assert_eq!(RobotsStatus::of(status, true), expected, "{status}");
            let without_location = match expected {
                RobotsStatus::Redirect => RobotsStatus::Absent,
                other => other,
            };
            assert_eq!(
                RobotsStatus::of(status, false),
                without_location,
                "{status}"
            );
        }
    }
}
