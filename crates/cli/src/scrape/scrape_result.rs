//! The result of scraping one URL.

use crawler_engine::{Document, ScrapeProblem};
use tokio::task::JoinError;

use crate::advice::with_advice;

/// Why there is no document.
#[derive(Debug)]
pub(super) enum PageProblem {
    /// Not a valid URL, with the error message.
    BadUrl(String),
    /// The page could not be fetched or extracted.
    Scrape(ScrapeProblem),
    /// An internal error.
    Internal(String),
}

impl PageProblem {
    /// The problem for a panic, with its message.
    pub(super) fn of_panic(error: JoinError) -> Self {
        let message = error.try_into_panic().ok().and_then(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            text.or_else(|| panic.downcast_ref::<String>().cloned())
        });
        Self::Internal(message.unwrap_or_else(|| "unknown".into()))
    }
}

impl From<ScrapeProblem> for PageProblem {
    fn from(problem: ScrapeProblem) -> Self {
        Self::Scrape(problem)
    }
}

/// A fetched page, ready to be printed.
#[derive(Debug)]
pub(super) struct PreparedPage {
    pub(super) document: Document,
    /// Text to print; empty for an error page if the format does not print it.
    pub(super) text: String,
}

/// The result of scraping one URL.
#[derive(Debug)]
pub(super) struct ScrapeResult {
    /// The given URL, normalized if it is valid.
    pub(super) url: String,
    pub(super) page: Result<PreparedPage, PageProblem>,
}

impl ScrapeResult {
    /// Whether the page could not be fetched; an error page counts as failed.
    pub(super) fn failed(&self) -> bool {
        self.failure().is_some()
    }

    /// Whether a stop was requested before the page was fetched.
    pub(super) fn was_stopped(&self) -> bool {
        matches!(
            &self.page,
            Err(PageProblem::Scrape(ScrapeProblem::Stopped { .. }))
        )
    }

    /// The error message and its stable kind, if the page failed.
    pub(super) fn failure(&self) -> Option<(String, &'static str)> {
        let (message, kind) = match &self.page {
            Ok(page) => return error_of(&page.document),
            Err(PageProblem::BadUrl(message)) => (format!("<URL>: {message}"), "bad_url"),
            Err(PageProblem::Scrape(problem)) => {
                let message = with_advice(problem, problem.remedy());
                let message = if problem.url().as_str() == self.url {
                    message
                } else {
                    format!("{message} (redirected from {})", self.url)
                };
                (message, problem.as_str())
            }
            Err(PageProblem::Internal(message)) => {
                let message = format!("cannot read {}: internal error: {message}", self.url);
                (message, "internal")
            }
        };
        Some((message, kind))
    }
}

/// The error message and its stable kind for an error status.
pub(super) fn error_of(document: &Document) -> Option<(String, &'static str)> {
    let problem = document.problem()?;
    let requested = document.requested();
    let from = if requested == document.url() {
        String::new()
    } else {
        format!(" (redirected from {requested})")
    };
    Some((problem.to_string() + &from, problem.as_str()))
}
