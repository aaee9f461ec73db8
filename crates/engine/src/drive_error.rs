//! Why a crawl could not be completed. A failed page is not an error but an outcome.

use std::fmt;

use crawler_frontier::FrontierError;
use crawler_model::SinkError;

/// The crawl could not be completed.
#[derive(Debug)]
pub enum DriveError {
    /// The output could not be written.
    Sink(SinkError),
    /// The frontier failed.
    Frontier(FrontierError),
}

impl fmt::Display for DriveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sink(error) => error.fmt(f),
            Self::Frontier(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DriveError {}

impl From<SinkError> for DriveError {
    fn from(error: SinkError) -> Self {
        Self::Sink(error)
    }
}

impl From<FrontierError> for DriveError {
    fn from(error: FrontierError) -> Self {
        Self::Frontier(error)
    }
}
