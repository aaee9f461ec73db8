//! Why a crawl or a scrape could not be carried out.

use crawler_engine::DriveError;
use crawler_fetch::FetchSetupError;
use crawler_model::PlanError;
#[cfg(feature = "content")]
use crawler_model::Remedy;

/// Why a crawl or a scrape could not be carried out. A page of a crawl that cannot be fetched is a
/// [`Page`](crate::Page), not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has an invalid value.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The HTTP client could not be set up.
    #[error(transparent)]
    FetchSetup(#[from] FetchSetupError),
    /// Pages should be rendered, but there is no browser.
    #[error("{0}")]
    NoBrowser(String),
    /// The crawl failed.
    #[error(transparent)]
    Crawl(#[from] DriveError),
    /// A URL cannot be scraped.
    #[error("{0}")]
    BadUrl(String),
    /// The page has no document: it could not be fetched, or it is not text.
    #[cfg(feature = "content")]
    #[error("{}", with_advice(.0))]
    Scrape(crawler_engine::ScrapeProblem),
    /// The operating system refused a thread or a runtime.
    #[error("cannot start the crawl: {0}")]
    System(#[from] std::io::Error),
}

/// The problem, followed by what to do about it in terms of this library.
#[cfg(feature = "content")]
fn with_advice(problem: &crawler_engine::ScrapeProblem) -> String {
    match problem.remedy() {
        Some(Remedy::IgnoreRobots) => {
            format!("{problem}; set robots(RobotsPolicy::Ignore) to fetch it anyway")
        }
        _ => problem.to_string(),
    }
}
