//! What became of one URL.

use engine::{Document, ScrapeProblem};
use model::Failure;

/// Why there is no document.
#[derive(Debug)]
pub(super) enum Problem {
    /// What stands there is no URL; why, in words.
    BadUrl(String),
    /// It could not be had, or read.
    Scrape(ScrapeProblem),
    /// Our own fault.
    Internal(String),
}

impl From<ScrapeProblem> for Problem {
    fn from(problem: ScrapeProblem) -> Self {
        Self::Scrape(problem)
    }
}

/// What became of one URL.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The URL that was given, in normal form where it has one.
    pub(super) url: String,
    /// Its document.
    pub(super) document: Result<Document, Problem>,
}

impl Outcome {
    pub(super) fn new(url: String, document: Result<Document, Problem>) -> Self {
        Self { url, document }
    }

    /// Whether the page could not be had; an error page is not what was asked for.
    pub(super) fn failed(&self) -> bool {
        self.trouble().is_some()
    }

    /// What went wrong, in words and as a stable word.
    pub(super) fn trouble(&self) -> Option<(String, &'static str)> {
        match &self.document {
            Ok(document) if document.status() < 400 => None,
            Ok(document) => {
                let failure = Failure::of_status(document.status());
                let kind = failure.kind.as_str();
                let url = document.url().clone();
                let words = ScrapeProblem::Failed { url, failure }.to_string();
                Some((words, kind))
            }
            Err(Problem::BadUrl(words)) => Some((format!("<URL>: {words}"), "bad_url")),
            Err(Problem::Scrape(problem)) => Some((problem.to_string(), problem.as_str())),
            Err(Problem::Internal(words)) => {
                let words = format!("{} could not be read: internal error: {words}", self.url);
                Some((words, "internal"))
            }
        }
    }
}
