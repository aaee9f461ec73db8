//! What is known about an origin's robots.txt, and until when.
//!
//! Rules that were read stay in force while the file cannot be fetched (RFC 9309, sections 2.3.1.4 and 2.4), so one failed
//! fetch never makes a disallowed URL fetchable. Pure: moments are arguments, counted from any start.

use std::time::Duration;

use crawler_model::site_rules::{MAX_HOST_PAUSE, ROBOTS_FAILURE_FRESH, ROBOTS_MEMORY};

use crate::RobotsFile;

/// A finished fetch of a robots.txt, after all its attempts.
#[derive(Clone, Debug)]
pub struct RobotsFetch {
    /// Its result.
    pub file: RobotsFile,
    /// Time since the fetch.
    pub age: Duration,
    /// The pause that the host asked for.
    pub retry_after: Option<Duration>,
}

impl RobotsFetch {
    /// A fetch that has just ended.
    pub fn now(file: RobotsFile, retry_after: Option<Duration>) -> Self {
        Self {
            file,
            age: Duration::ZERO,
            retry_after,
        }
    }
}

/// The robots.txt in force for an origin.
#[derive(Clone, Debug)]
pub struct KnownRobots {
    file: RobotsFile,
    /// When it is fetched again.
    expires_at: Duration,
    /// Until when rules that were read stay in force if the file cannot be fetched.
    kept_until: Duration,
}

impl KnownRobots {
    /// A file that is never fetched again.
    pub fn forever(file: RobotsFile) -> Self {
        Self {
            file,
            expires_at: Duration::MAX,
            kept_until: Duration::MAX,
        }
    }

    /// What is known after a fetch. `before` is what was known before, `lifetime` how long a file is used before it is fetched
    /// again.
    pub fn after(
        fetch: RobotsFetch,
        before: Option<Self>,
        now: Duration,
        lifetime: Duration,
    ) -> Self {
        let RobotsFetch {
            file,
            age,
            retry_after,
        } = fetch;
        let until = |length: Duration| now.saturating_add(length.saturating_sub(age));
        if matches!(file, RobotsFile::Rules(_)) {
            return Self {
                file,
                expires_at: until(lifetime),
                kept_until: until(ROBOTS_MEMORY),
            };
        }
        // Not fetched again right after the pause: otherwise a host that always asks for one would never serve a page.
        let pause = retry_after.unwrap_or_default().min(MAX_HOST_PAUSE);
        let expires_at = until(pause + ROBOTS_FAILURE_FRESH.min(lifetime));
        match before.filter(|before| before.was_read() && now < before.kept_until) {
            Some(before) => Self {
                // The next attempt is made no later than the end of these rules.
                expires_at: expires_at.min(before.kept_until),
                ..before
            },
            None => Self {
                file,
                expires_at,
                kept_until: now,
            },
        }
    }

    /// What is known from stored fetches, in their order. `before` is what this process knew; rules that it has read later than
    /// the stored ones stay in force.
    pub fn restored(
        stored: impl IntoIterator<Item = RobotsFetch>,
        before: Option<Self>,
        now: Duration,
        lifetime: Duration,
    ) -> Option<Self> {
        stored.into_iter().fold(before, |before, fetch| {
            let known = Self::after(fetch, before.clone(), now, lifetime);
            let is_older = |before: &Self| known.was_read() && before.was_read_after(&known);
            before.filter(is_older).or(Some(known))
        })
    }

    /// The file in force. One that has expired is fetched again before it is used.
    pub fn file(&self) -> &RobotsFile {
        &self.file
    }

    /// Whether the file in force was read, now or earlier, or is known not to exist.
    pub fn was_read(&self) -> bool {
        matches!(self.file, RobotsFile::Rules(_))
    }

    /// Whether this was read later than the other one was.
    pub fn was_read_after(&self, other: &Self) -> bool {
        self.was_read() && (!other.was_read() || self.kept_until > other.kept_until)
    }

    /// Whether the file has to be fetched again before another URL of its origin is.
    #[inline]
    pub fn is_expired(&self, now: Duration) -> bool {
        now >= self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use crawler_model::{FailKind, Failure};

    use super::*;
    use crate::Robots;

    const DAY: Duration = Duration::from_hours(24);
    const MINUTE: Duration = Duration::from_mins(1);

    fn rules() -> RobotsFile {
        RobotsFile::Rules(Robots::parse(b"User-agent: *\nDisallow: /x", "crawler"))
    }

    fn failures() -> [RobotsFile; 3] {
        let failure = || Failure::new(FailKind::ServerError, "server error (503)");
        [
            RobotsFile::Throttled(failure()),
            RobotsFile::Unavailable(failure()),
            RobotsFile::Unreachable(failure()),
        ]
    }

    fn fetched(file: RobotsFile, before: Option<KnownRobots>, now: Duration) -> KnownRobots {
        KnownRobots::after(RobotsFetch::now(file, None), before, now, DAY)
    }

    #[test]
    fn rules_expire_after_their_lifetime() {
        let known = fetched(rules(), None, MINUTE);
        assert!(!known.is_expired(DAY));
        assert!(known.is_expired(DAY + MINUTE));
        let stored = RobotsFetch {
            age: DAY.saturating_sub(MINUTE),
            ..RobotsFetch::now(rules(), None)
        };
        let stored = KnownRobots::after(stored, None, MINUTE, DAY);
        assert!(!stored.is_expired(MINUTE));
        assert!(stored.is_expired(2 * MINUTE));
    }

    #[test]
    fn a_failed_fetch_keeps_known_rules_for_thirty_days() {
        for failure in failures() {
            let mut known = fetched(rules(), None, Duration::ZERO);
            let mut now = DAY;
            while now < 30 * DAY {
                known = fetched(failure.clone(), Some(known), now);
                assert!(known.was_read(), "{failure:?} at {now:?}");
                assert!(!known.is_expired(now) && known.is_expired(now + MINUTE));
                now += DAY / 2;
            }
            known = fetched(failure.clone(), Some(known), now);
            assert!(!known.was_read(), "{failure:?}");
        }
    }

    #[test]
    fn a_file_that_was_never_read_is_tried_again_after_a_minute() {
        for failure in failures() {
            let known = fetched(failure.clone(), None, Duration::ZERO);
            assert!(!known.was_read());
            assert!(known.is_expired(MINUTE));
            let again = fetched(failure, Some(known), MINUTE);
            assert!(!again.was_read());
            let read = fetched(rules(), Some(again), 2 * MINUTE);
            assert!(read.was_read() && !read.is_expired(DAY));
        }
    }

    #[test]
    fn a_failed_fetch_with_a_pause_is_repeated_a_minute_after_the_pause() {
        for failure in failures() {
            for (pause, expected) in [(5 * MINUTE, 6 * MINUTE), (DAY, 61 * MINUTE)] {
                let fetch = RobotsFetch::now(failure.clone(), Some(pause));
                let known = KnownRobots::after(fetch, None, Duration::ZERO, DAY);
                assert!(
                    !known.is_expired(expected.saturating_sub(MINUTE))
                        && known.is_expired(expected)
                );
            }
        }
    }

    #[test]
    fn stored_fetches_replace_only_what_was_read_before_them() {
        let stored = |file, age| RobotsFetch {
            age,
            ..RobotsFetch::now(file, None)
        };
        let restored =
            |stored: Vec<RobotsFetch>, before, now| KnownRobots::restored(stored, before, now, DAY);
        assert!(restored(Vec::new(), None, DAY).is_none());
        let own = fetched(rules(), None, Duration::ZERO);
        for failure in failures() {
            // The rules that this process has read outlast a failure that another one has stored.
            let known = restored(
                vec![stored(failure.clone(), MINUTE / 2)],
                Some(own.clone()),
                DAY,
            );
            let known = known.unwrap();
            assert!(known.was_read() && !known.is_expired(DAY), "{failure:?}");
            // A file that was read, and could not be fetched again.
            let both = vec![stored(rules(), 2 * DAY), stored(failure, MINUTE)];
            let known = restored(both, None, 3 * DAY).unwrap();
            assert!(known.was_read() && known.is_expired(3 * DAY));
        }
        for (age, is_newer) in [(DAY / 2, true), (2 * DAY, false)] {
            let file = stored(RobotsFile::without_rules(), age);
            let known = restored(vec![file], Some(own.clone()), DAY).unwrap();
            let RobotsFile::Rules(robots) = known.file() else {
                panic!("{known:?}");
            };
            assert_eq!(robots.allows("/x"), is_newer);
        }
    }

    #[test]
    fn a_file_that_changes_replaces_the_rules() {
        let known = fetched(rules(), None, Duration::ZERO);
        let known = fetched(RobotsFile::without_rules(), Some(known), DAY);
        let RobotsFile::Rules(robots) = known.file() else {
            panic!("{known:?}");
        };
        assert!(robots.allows("/x"));
        let before = fetched(rules(), None, Duration::ZERO);
        assert!(known.was_read_after(&before) && !before.was_read_after(&known));
        for failure in failures() {
            let failed = fetched(failure, None, DAY);
            assert!(before.was_read_after(&failed) && !failed.was_read_after(&before));
        }
    }
}
