//! Why a page has no document.

use std::time::Duration;

use crawler_engine::ScrapeProblem;
use crawler_model::{Failure, SkipReason};

/// Why a page has no document.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScrapeError {
    /// It could not be fetched.
    #[error("cannot fetch {url}: {failure}")]
    #[non_exhaustive]
    Failed {
        /// The requested URL, or a redirect target.
        url: String,
        /// What happened.
        failure: Failure,
    },
    /// robots.txt disallows it.
    #[error("{url} is disallowed by robots.txt ({rule})")]
    #[non_exhaustive]
    Disallowed {
        /// The requested URL, or a redirect target.
        url: String,
        /// The deciding line as written, for example `Disallow: /private`.
        rule: String,
    },
    /// robots.txt could not be fetched, which counts as disallowing everything.
    #[error("{url} was not fetched: cannot read robots.txt ({message})")]
    #[non_exhaustive]
    RobotsUnavailable {
        /// The requested URL, or a redirect target.
        url: String,
        /// What happened.
        message: String,
    },
    /// Its host asks for a long pause. Try again after it.
    #[error("{url} was not fetched: its host asks for a pause of {} s", pause.as_secs())]
    #[non_exhaustive]
    HostPaused {
        /// The requested URL, or a redirect target.
        url: String,
        /// The pause.
        pause: Duration,
    },
    /// It is neither HTML, plain text nor JSON.
    #[error("{url} is {description}; only HTML, plain text and JSON are read")]
    #[non_exhaustive]
    NotText {
        /// The URL after redirects.
        url: String,
        /// Description of the type, such as `a PDF document`.
        description: String,
        /// The Content-Type header.
        content_type: Option<String>,
    },
    /// The scrape was stopped before the page was fetched.
    #[error("{url} was not fetched: stopped")]
    #[non_exhaustive]
    Stopped {
        /// The requested URL, or a redirect target.
        url: String,
    },
}

impl ScrapeError {
    /// Returns the requested URL, or the redirect target that has the problem.
    pub fn url(&self) -> &str {
        match self {
            Self::Failed { url, .. }
            | Self::Disallowed { url, .. }
            | Self::RobotsUnavailable { url, .. }
            | Self::HostPaused { url, .. }
            | Self::NotText { url, .. }
            | Self::Stopped { url } => url,
        }
    }
}

impl From<ScrapeProblem> for ScrapeError {
    fn from(problem: ScrapeProblem) -> Self {
        let url = problem.url().to_string();
        match problem {
            ScrapeProblem::Failed { failure, .. } => Self::Failed { url, failure },
            ScrapeProblem::Robots { reason, .. } => match reason {
                SkipReason::Robots { rule } => Self::Disallowed { url, rule },
                SkipReason::RobotsUnavailable { message } => {
                    Self::RobotsUnavailable { url, message }
                }
                // A single page is never part of a trap.
                SkipReason::Trap(_) => Self::Stopped { url },
            },
            ScrapeProblem::Parked { pause, .. } => Self::HostPaused { url, pause },
            ScrapeProblem::Stopped { .. } => Self::Stopped { url },
            ScrapeProblem::NotText {
                what, content_type, ..
            } => Self::NotText {
                url,
                description: what,
                content_type,
            },
        }
    }
}
