//! What happened to a URL of a crawl.

use crawler_model::{Failure, Outcome, SkipReason};

/// What happened to a URL of a crawl.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PageOutcome<'a> {
    /// It was fetched.
    Fetched {
        /// Whether it is an HTML page.
        html: bool,
    },
    /// It redirects. The target is followed like a link.
    Redirected {
        /// The target.
        to: &'a str,
    },
    /// It was not requested: robots.txt disallows it.
    Disallowed {
        /// The deciding line as written, for example `Disallow: /private`.
        rule: &'a str,
    },
    /// It was not requested: robots.txt could not be fetched, which counts as disallowing everything.
    RobotsUnavailable {
        /// What happened.
        message: &'a str,
    },
    /// It was not requested: it turned out to be part of a crawler trap.
    Trap {
        /// The stable name of the kind of trap, for example `trap_calendar`.
        kind: &'static str,
    },
    /// It could not be fetched.
    Failed(&'a Failure),
}

impl<'a> From<&'a Outcome> for PageOutcome<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Fetched { html } => Self::Fetched { html: *html },
            Outcome::Redirected { to } => Self::Redirected { to: to.as_str() },
            Outcome::Skipped(SkipReason::Robots { rule }) => Self::Disallowed { rule },
            Outcome::Skipped(SkipReason::RobotsUnavailable { message }) => {
                Self::RobotsUnavailable { message }
            }
            Outcome::Skipped(SkipReason::Trap(reason)) => Self::Trap {
                kind: reason.as_str(),
            },
            Outcome::Failed(failure) => Self::Failed(failure),
        }
    }
}
