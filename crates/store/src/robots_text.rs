//! A stored robots.txt, fetched once for all workers.

use std::time::Duration;

use crawler_model::{FailKind, Failure};

/// The result of fetching an origin's robots.txt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RobotsText {
    /// The file.
    Text(String),
    /// There is none; everything is allowed.
    Absent,
    /// The server asked to come back later.
    Throttled(Failure),
    /// The server failed to deliver it.
    Unavailable(Failure),
    /// There was no response.
    Unreachable(Failure),
}

impl RobotsText {
    /// The two columns of what was read; of a failed fetch, those of a file that was never read.
    pub fn columns(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Text(text) => ("text", Some(text)),
            Self::Absent => ("absent", None),
            Self::Throttled(_) | Self::Unavailable(_) | Self::Unreachable(_) => {
                ("unavailable", None)
            }
        }
    }

    /// Reads the two columns of what was read; `None` in the result if it was never read.
    pub fn from_columns(answer: &str, text: Option<String>) -> Option<Option<Self>> {
        match answer {
            "text" => text.map(Self::Text).map(Some),
            "absent" => Some(Some(Self::Absent)),
            "unavailable" => Some(None),
            _ => None,
        }
    }

    /// The name of a failed fetch, and what happened.
    pub fn failure(&self) -> Option<(&'static str, &Failure)> {
        match self {
            Self::Text(_) | Self::Absent => None,
            Self::Throttled(failure) => Some(("throttled", failure)),
            Self::Unavailable(failure) => Some(("unavailable", failure)),
            Self::Unreachable(failure) => Some(("unreachable", failure)),
        }
    }

    /// Reads the name, kind and message of a failed fetch.
    pub fn from_failure(name: &str, kind: &str, message: String) -> Option<Self> {
        let kind = FailKind::ALL.into_iter().find(|one| one.as_str() == kind)?;
        let failure = Failure::new(kind, message);
        match name {
            "throttled" => Some(Self::Throttled(failure)),
            "unavailable" => Some(Self::Unavailable(failure)),
            "unreachable" => Some(Self::Unreachable(failure)),
            _ => None,
        }
    }
}

/// A stored robots.txt. Ages are by the database's clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRobots {
    /// What was last read, and the time since; `None` if it was never read.
    pub read: Option<(RobotsText, Duration)>,
    /// The failed fetch after that, if there was one, and the time since.
    pub failed: Option<(RobotsText, Duration)>,
}
