//! A site's robots.txt, kept so that many workers ask for it once.

use std::time::Duration;

/// What an origin answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RobotsText {
    /// The file.
    Text(String),
    /// There is none: everything is allowed.
    Absent,
    /// It could not be read; what was answered instead.
    Unavailable(String),
}

impl RobotsText {
    /// As two columns: the answer's name and its text.
    pub fn columns(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Text(text) => ("text", Some(text)),
            Self::Absent => ("absent", None),
            Self::Unavailable(words) => ("unavailable", Some(words)),
        }
    }

    /// From two columns.
    pub fn from_columns(answer: &str, text: Option<String>) -> Option<Self> {
        match answer {
            "text" => text.map(Self::Text),
            "absent" => Some(Self::Absent),
            "unavailable" => Some(Self::Unavailable(text.unwrap_or_default())),
            _ => None,
        }
    }
}

/// What is remembered of an origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRobots {
    /// What it answered.
    pub robots: RobotsText,
    /// How long ago, by the database's clock.
    pub age: Duration,
}
