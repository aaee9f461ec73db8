//! A stored robots.txt, fetched once for all workers.

use std::time::Duration;

/// The robots.txt of an origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RobotsText {
    /// The file.
    Text(String),
    /// There is none; everything is allowed.
    Absent,
    /// It could not be fetched, for this reason.
    Unavailable(String),
}

impl RobotsText {
    /// The two columns it is stored in.
    pub fn columns(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Text(text) => ("text", Some(text)),
            Self::Absent => ("absent", None),
            Self::Unavailable(message) => ("unavailable", Some(message)),
        }
    }

    /// Reads the two columns.
    pub fn from_columns(answer: &str, text: Option<String>) -> Option<Self> {
        match answer {
            "text" => text.map(Self::Text),
            "absent" => Some(Self::Absent),
            "unavailable" => Some(Self::Unavailable(text.unwrap_or_default())),
            _ => None,
        }
    }
}

/// A stored robots.txt and its age.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRobots {
    /// The file.
    pub robots: RobotsText,
    /// Time since it was fetched, by the database's clock.
    pub age: Duration,
}
