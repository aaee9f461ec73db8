//! Why a page has no document.

use std::fmt;
use std::time::Duration;

use crawler_model::{Failure, Remedy, SkipReason};
use crawler_weburl::CrawlUrl;

/// Why a page has no document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScrapeProblem {
    /// It could not be fetched.
    Failed {
        /// The requested URL, or a redirect target.
        url: CrawlUrl,
        /// What happened.
        failure: Failure,
    },
    /// robots.txt disallows it.
    Robots {
        /// The URL.
        url: CrawlUrl,
        /// The rule.
        reason: SkipReason,
    },
    /// Its host asks for a longer pause than we accept.
    Parked {
        /// The URL.
        url: CrawlUrl,
        /// The pause.
        pause: Duration,
    },
    /// Stopped before it was fetched.
    Stopped {
        /// The URL.
        url: CrawlUrl,
    },
    /// It is not text.
    NotText {
        /// The URL after redirects.
        url: CrawlUrl,
        /// Description of the type, such as `a PDF document`.
        what: String,
        /// The content type as sent.
        content_type: Option<String>,
    },
}

impl ScrapeProblem {
    pub(crate) fn failed(url: &CrawlUrl, failure: Failure) -> Self {
        let url = url.clone();
        Self::Failed { url, failure }
    }

    /// Returns the requested URL, or the redirect target that has the problem.
    pub fn url(&self) -> &CrawlUrl {
        match self {
            Self::Failed { url, .. }
            | Self::Robots { url, .. }
            | Self::Parked { url, .. }
            | Self::Stopped { url }
            | Self::NotText { url, .. } => url,
        }
    }

    /// Returns the stable name used in machine-readable formats.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Failed { failure, .. } => failure.kind.as_str(),
            Self::Robots { reason, .. } => reason.as_str(),
            Self::Parked { .. } => "host_parked",
            Self::Stopped { .. } => "stopped",
            Self::NotText { .. } => "not_text",
        }
    }

    /// Returns what the user can do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Robots { .. } => Some(Remedy::IgnoreRobots),
            _ => None,
        }
    }
}

impl fmt::Display for ScrapeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { url, failure } => {
                let label = failure.kind.label();
                write!(f, "Failed to fetch {url}: {failure} [{label}]")
            }
            Self::Robots { url, reason } => {
                write!(f, "{url} is {reason}")
            }
            Self::Parked { url, pause } => {
                let seconds = pause.as_secs();
                write!(
                    f,
                    "{url} was not fetched: its host asks for a pause of {seconds} s, which is longer than the limit"
                )
            }
            Self::Stopped { url } => write!(f, "{url} is not fetched: stopped"),
            Self::NotText {
                url,
                what,
                content_type,
            } => {
                write!(f, "{url} is {what}")?;
                if let Some(content_type) = content_type {
                    write!(f, ", sent as {content_type}")?;
                }
                f.write_str("; only HTML, plain text and JSON are read")
            }
        }
    }
}
