//! The outcome of a page.

use std::fmt;

use crawler_weburl::CrawlUrl;

use crate::{FailKind, SkipReason};

/// A failure: its kind, and a message for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The kind, for programs.
    pub kind: FailKind,
    /// What happened: `not found (404)`, `connection refused`.
    pub message: String,
}

impl Failure {
    /// Creates a failure.
    pub fn new(kind: FailKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Creates the failure for an HTTP status.
    pub fn of_status(status: u16) -> Self {
        let kind = FailKind::of_status(status);
        let message = match kind {
            FailKind::DeadLink if status == 410 => "gone",
            FailKind::DeadLink => "not found",
            FailKind::ClientError => "client error",
            FailKind::ServerError => "server error",
            FailKind::Timeout => "timeout",
            FailKind::RateLimited => "rate limited",
            _ => "unexpected status",
        };
        Self::new(kind, format!("{message} ({status})"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The outcome of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was fetched.
    Fetched {
        /// Whether it is an HTML page.
        html: bool,
    },
    /// It redirects; the target is admitted like any link.
    Redirected {
        /// The target.
        to: CrawlUrl,
    },
    /// It was not requested.
    Skipped(SkipReason),
    /// It could not be fetched.
    Failed(Failure),
}

impl Outcome {
    /// Returns the stable name: `fetched`, `redirected`, `skipped` or `failed`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Fetched { .. } => "fetched",
            Self::Redirected { .. } => "redirected",
            Self::Skipped(_) => "skipped",
            Self::Failed(_) => "failed",
        }
    }

    /// Returns the failure, if it failed.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }
}
