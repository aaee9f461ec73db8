//! The result of fetching an origin's robots.txt, and what it permits.
//!
//! The only implementation of the robots.txt policy: every frontier and the scraper use a [`RobotsFile`] per origin.

use std::time::Duration;

use crawler_model::site_rules::{ROBOTS_FAILURE_FRESH, ROBOTS_FRESH};
use crawler_model::{Failure, RobotsErrors, SkipReason};

use crate::{Robots, RobotsVerdict};

/// An origin's robots.txt.
#[derive(Clone, Debug)]
pub enum RobotsFile {
    /// It was read, or there is none.
    Rules(Robots),
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
}

impl RobotsFile {
    /// A file without rules: everything is allowed.
    pub fn without_rules() -> Self {
        Self::Rules(Robots::allow_all())
    }

    /// Whether a path with its query may be fetched. `errors` decides if the file could not be fetched.
    pub fn permission(&self, path_and_query: &str, errors: RobotsErrors) -> RobotsPermission {
        match (self, errors) {
            (Self::Rules(rules), _) => match rules.verdict(path_and_query) {
                RobotsVerdict::DisallowedBy(rule) => RobotsPermission::Skip(SkipReason::Robots {
                    rule: rule.to_owned(),
                }),
                _ => RobotsPermission::Allowed,
            },
            (_, RobotsErrors::Allow) => RobotsPermission::Allowed,
            (Self::Unavailable(failure), RobotsErrors::Disallow) => {
                let message = failure.message.clone();
                RobotsPermission::Skip(SkipReason::RobotsUnavailable { message })
            }
            (Self::Unreachable(failure), RobotsErrors::Disallow) => {
                RobotsPermission::Fail(failure.clone())
            }
        }
    }

    /// How long it is used before it is fetched again.
    pub fn fresh_for(&self) -> Duration {
        match self {
            Self::Rules(_) => ROBOTS_FRESH,
            Self::Unavailable(_) | Self::Unreachable(_) => ROBOTS_FAILURE_FRESH,
        }
    }

    /// The delay between requests, if it sets one.
    pub fn crawl_delay(&self) -> Option<Duration> {
        match self {
            Self::Rules(rules) => rules.crawl_delay().filter(|delay| !delay.is_zero()),
            _ => None,
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
    use crawler_model::FailKind;

    use super::*;

    #[test]
    fn permission_by_file_and_error_policy() {
        let rules = RobotsFile::Rules(Robots::parse(b"User-agent: *\nDisallow: /x", "crawler"));
        let failure = Failure::new(FailKind::ServerError, "server error (500)");
        let unavailable = RobotsFile::Unavailable(failure.clone());
        let unreachable = RobotsFile::Unreachable(failure.clone());
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
            (&unavailable, &without_file, &allowed),
            (&unreachable, &RobotsPermission::Fail(failure), &allowed),
        ] {
            assert_eq!(&file.permission("/x", RobotsErrors::Disallow), strict);
            assert_eq!(&file.permission("/x", RobotsErrors::Allow), lenient);
        }
    }
}
