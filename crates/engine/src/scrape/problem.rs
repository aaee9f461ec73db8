//! Why there is no document.

use std::fmt;
use std::time::Duration;

use model::{Failure, SkipReason};
use weburl::CrawlUrl;

/// Why a page has no document: what was wrong and, where there is something, what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScrapeProblem {
    /// It could not be fetched.
    Failed {
        /// Where: the URL asked for, or one it redirects to.
        url: CrawlUrl,
        /// What happened.
        failure: Failure,
    },
    /// robots.txt is in the way.
    Robots {
        /// What it is about.
        url: CrawlUrl,
        /// The rule.
        reason: SkipReason,
    },
    /// Its host asks for longer pauses than anybody waits.
    Parked {
        /// What it is about.
        url: CrawlUrl,
        /// How long.
        pause: Duration,
    },
    /// An end was asked for before it was its turn.
    Stopped {
        /// What it is about.
        url: CrawlUrl,
    },
    /// It is nothing that reads as text.
    NotText {
        /// Where it was found.
        url: CrawlUrl,
        /// What it is, in words: `a PDF document`.
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

    /// What it is about: the URL asked for, or one it redirects to.
    pub fn url(&self) -> &CrawlUrl {
        match self {
            Self::Failed { url, .. }
            | Self::Robots { url, .. }
            | Self::Parked { url, .. }
            | Self::Stopped { url }
            | Self::NotText { url, .. } => url,
        }
    }

    /// A stable word for machines.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Failed { failure, .. } => failure.kind.as_str(),
            Self::Robots { reason, .. } => reason.as_str(),
            Self::Parked { .. } => "host_parked",
            Self::Stopped { .. } => "stopped",
            Self::NotText { .. } => "not_text",
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
                write!(f, "{url} is {reason}; --robots ignore to fetch it anyway")
            }
            Self::Parked { url, pause } => {
                let seconds = pause.as_secs();
                write!(
                    f,
                    "{url} is not fetched: its host asks for a pause of {seconds} s, longer than we wait"
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
