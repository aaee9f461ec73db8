//! The result of fetching an origin's robots.txt, and what it permits.
//!
//! The only implementation of the robots.txt policy: every frontier and the scraper use a [`RobotsFile`] per origin.
//! [`KnownRobots`](crate::KnownRobots) decides how long it is in force.

use std::time::Duration;

use crawler_model::{CrawlDelay, FailKind, Failure, RobotsErrors, SkipReason};

use crate::{Robots, RobotsMatch};

/// An origin's robots.txt.
#[derive(Clone, Debug)]
pub enum RobotsFile {
    /// It was read, or there is none.
    Rules(Robots),
    /// The server asked to come back later: 408 or 429. Like any other 4xx, it forbids nothing by itself.
    Throttled(Failure),
    /// The server failed to deliver it: a 5xx status.
    Unavailable(Failure),
    /// There was no response.
    Unreachable(Failure),
}

/// Whether a URL may be fetched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RobotsPermission {
    /// It may.
    Allowed,
    /// It may not: the URL is skipped.
    Skip(SkipReason),
    /// Its origin cannot be reached: the URL fails as its robots.txt did.
    Fail(Failure),
    /// Its host asks for this delay between requests, which is longer than we accept.
    TooSlow(Duration),
}

/// The delay between requests that a robots.txt asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RobotsDelay {
    /// None, or it is not obeyed.
    None,
    /// This long.
    Wait(Duration),
    /// This long, which is longer than we accept.
    TooLong(Duration),
}

impl RobotsDelay {
    /// What a host that asks for too long a delay does: `asks for 7200 s between requests`.
    pub fn message(delay: Duration) -> String {
        format!("asks for {} s between requests", delay.as_secs())
    }

    /// The failure of a page whose host asks for too long a delay.
    pub fn failure(delay: Duration) -> Failure {
        let message = format!("the host {}", Self::message(delay));
        Failure::new(FailKind::RateLimited, message)
    }
}

impl RobotsFile {
    /// A file without rules: everything is allowed.
    pub fn without_rules() -> Self {
        Self::Rules(Robots::allow_all())
    }

    /// Whether a path with its query may be fetched. `errors` decides if the file could not be fetched; `delay` and
    /// `max_wait` are as for [`Self::delay`].
    pub fn permission(
        &self,
        path_and_query: &str,
        errors: RobotsErrors,
        delay: CrawlDelay,
        max_wait: Duration,
    ) -> RobotsPermission {
        match (self, errors) {
            (Self::Rules(rules), _) => {
                if let RobotsDelay::TooLong(delay) = self.delay(delay, max_wait) {
                    return RobotsPermission::TooSlow(delay);
                }
                match rules.match_for(path_and_query) {
                    RobotsMatch::DisallowedBy(rule) => {
                        let rule = rule.to_owned();
                        RobotsPermission::Skip(SkipReason::Robots { rule })
                    }
                    _ => RobotsPermission::Allowed,
                }
            }
            (Self::Throttled(_), _) | (_, RobotsErrors::Allow) => RobotsPermission::Allowed,
            (Self::Unavailable(failure), RobotsErrors::Disallow) => {
                let message = failure.message.clone();
                RobotsPermission::Skip(SkipReason::RobotsUnavailable { message })
            }
            (Self::Unreachable(failure), RobotsErrors::Disallow) => {
                RobotsPermission::Fail(failure.clone())
            }
        }
    }

    /// Whether nothing may be fetched, because the file could not be.
    pub fn blocks_all(&self, errors: RobotsErrors) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Unreachable(_))
            && errors == RobotsErrors::Disallow
    }

    /// The delay between requests, where `policy` obeys it; `max_wait` is the longest that a caller waits for.
    pub fn delay(&self, policy: CrawlDelay, max_wait: Duration) -> RobotsDelay {
        let delay = match (self, policy) {
            (Self::Rules(rules), CrawlDelay::Obey) => rules.crawl_delay().unwrap_or_default(),
            _ => Duration::ZERO,
        };
        if delay.is_zero() {
            RobotsDelay::None
        } else if delay > max_wait {
            RobotsDelay::TooLong(delay)
        } else {
            RobotsDelay::Wait(delay)
        }
    }

    /// The sitemaps it names.
    pub fn sitemaps(&self) -> &[String] {
        match self {
            Self::Rules(rules) => rules.sitemaps(),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn permission_by_file_and_error_policy() {
        let rules = RobotsFile::Rules(Robots::parse(b"User-agent: *\nDisallow: /x", "crawler"));
        let failure = Failure::new(FailKind::ServerError, "server error (500)");
        let unavailable = RobotsFile::Unavailable(failure.clone());
        let unreachable = RobotsFile::Unreachable(failure.clone());
        let throttled = RobotsFile::Throttled(Failure::of_status(429));
        let disallowed = RobotsPermission::Skip(SkipReason::Robots {
            rule: "Disallow: /x".to_owned(),
        });
        let without_file = RobotsPermission::Skip(SkipReason::RobotsUnavailable {
            message: "server error (500)".to_owned(),
        });
        let allowed = RobotsPermission::Allowed;
        for (file, strict, lenient) in [
            (&rules, &disallowed, &disallowed),
            (&RobotsFile::without_rules(), &allowed, &allowed),
            (&throttled, &allowed, &allowed),
            (&unavailable, &without_file, &allowed),
            (&unreachable, &RobotsPermission::Fail(failure), &allowed),
        ] {
            let permission = |errors| file.permission("/x", errors, CrawlDelay::Obey, MINUTE);
            assert_eq!(&permission(RobotsErrors::Disallow), strict);
            assert_eq!(&permission(RobotsErrors::Allow), lenient);
            let blocks = permission(RobotsErrors::Disallow) != allowed
                && !matches!(file, RobotsFile::Rules(_));
            assert_eq!(file.blocks_all(RobotsErrors::Disallow), blocks);
            assert!(!file.blocks_all(RobotsErrors::Allow));
        }
    }

    #[test]
    fn too_long_a_delay_fails_a_page() {
        let failure = RobotsDelay::failure(Duration::from_hours(2));
        assert_eq!(failure.kind, FailKind::RateLimited);
        let message = "the host asks for 7200 s between requests";
        assert_eq!(failure.message, message);
    }

    #[test]
    fn a_crawl_delay_is_obeyed_up_to_a_limit_unless_the_operator_set_one() {
        let file = |seconds: u64| {
            let text = format!("User-agent: *\nCrawl-delay: {seconds}");
            RobotsFile::Rules(Robots::parse(text.as_bytes(), "crawler"))
        };
        for (seconds, obeyed) in [
            (0, RobotsDelay::None),
            (60, RobotsDelay::Wait(MINUTE)),
            (61, RobotsDelay::TooLong(Duration::from_secs(61))),
        ] {
            assert_eq!(file(seconds).delay(CrawlDelay::Obey, MINUTE), obeyed);
            assert_eq!(
                file(seconds).delay(CrawlDelay::Own, MINUTE),
                RobotsDelay::None
            );
            let permission =
                |policy| file(seconds).permission("/", RobotsErrors::Allow, policy, MINUTE);
            let refused = RobotsPermission::TooSlow(Duration::from_secs(seconds));
            assert_eq!(permission(CrawlDelay::Obey) == refused, seconds > 60);
            assert_eq!(permission(CrawlDelay::Own), RobotsPermission::Allowed);
        }
    }
}
