//! Why a crawl or a scrape could not be carried out.

use std::error::Error as StdError;
use std::io;

use crawler_engine::DriveError;
use crawler_fetch::FetchSetupError;
use crawler_model::PlanError;

/// Why a crawl or a scrape could not be carried out. A page of a crawl that cannot be fetched is a
/// [`Page`](crate::Page), not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL or an option is invalid. Nothing was fetched.
    #[error("{option}: {message}")]
    InvalidOption {
        /// The name of the builder's method, or `url`.
        option: &'static str,
        /// What is wrong, with the value, and what to do.
        message: String,
    },
    /// Pages should be rendered, but there is no browser.
    #[error("{0}")]
    NoBrowser(String),
    /// The page has no document: it could not be fetched, or it is not text.
    #[cfg(feature = "content")]
    #[error(transparent)]
    Scrape(#[from] crate::ScrapeError),
    /// The HTTP client could not be set up.
    #[error(transparent)]
    HttpSetup(Box<dyn StdError + Send + Sync>),
    /// The crawl failed. Pages that were already delivered are valid.
    #[error(transparent)]
    Crawl(Box<dyn StdError + Send + Sync>),
    /// The operating system refused a thread or a runtime.
    #[error("cannot start the crawl: {0}")]
    Start(#[source] io::Error),
}

#[cfg(feature = "content")]
impl Error {
    pub(crate) fn invalid_url(error: &dyn StdError) -> Self {
        Self::InvalidOption {
            option: crawler_model::PlanField::Url.as_str(),
            message: error.to_string(),
        }
    }
}

impl From<PlanError> for Error {
    fn from(error: PlanError) -> Self {
        Self::InvalidOption {
            option: error.field.as_str(),
            message: error.message,
        }
    }
}

impl From<FetchSetupError> for Error {
    fn from(error: FetchSetupError) -> Self {
        Self::HttpSetup(error.into())
    }
}

impl From<DriveError> for Error {
    fn from(error: DriveError) -> Self {
        Self::Crawl(error.into())
    }
}
