//! What became of a page.

use std::fmt;

use weburl::CrawlUrl;

use crate::{FailKind, SkipReason};

/// A failure: its kind, and words for a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The kind, which is what code looks at.
    pub kind: FailKind,
    /// What happened, in words: `not found (404)`, `connection refused`.
    pub words: String,
}

impl Failure {
    /// A failure in the given words.
    pub fn new(kind: FailKind, words: impl Into<String>) -> Self {
        Self {
            kind,
            words: words.into(),
        }
    }

    /// The failure an HTTP status stands for.
    pub fn of_status(status: u16) -> Self {
        let kind = FailKind::of_status(status);
        let words = match kind {
            FailKind::DeadLink if status == 410 => "gone",
            FailKind::DeadLink => "not found",
            FailKind::ClientError => "client error",
            FailKind::ServerError => "server error",
            FailKind::Timeout => "timeout",
            FailKind::RateLimited => "rate limited",
            _ => "unexpected status",
        };
        Self::new(kind, format!("{words} ({status})"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// What became of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It was fetched; `html` says whether its links were looked for.
    Fetched {
        /// Whether it is an HTML page.
        html: bool,
    },
    /// It pointed elsewhere; the target goes through the frontier like any link.
    Redirected {
        /// Where to.
        to: CrawlUrl,
    },
    /// It was not asked for.
    Skipped(SkipReason),
    /// It could not be had.
    Failed(Failure),
}

impl Outcome {
    /// The stable spelling: `fetched`, `redirected`, `skipped`, `failed`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Fetched { .. } => "fetched",
            Self::Redirected { .. } => "redirected",
            Self::Skipped(_) => "skipped",
            Self::Failed(_) => "failed",
        }
    }

    /// The failure, if it is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }
}
