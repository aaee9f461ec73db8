//! What became of one URL.

use engine::{Document, ScrapeProblem};
use model::Failure;
use tokio::task::JoinError;

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

impl Problem {
    /// The words of a panic.
    pub(super) fn of_panic(error: JoinError) -> Self {
        let words = error.try_into_panic().ok().and_then(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            text.or_else(|| panic.downcast_ref::<String>().cloned())
        });
        Self::Internal(words.unwrap_or_else(|| "unknown".into()))
    }
}

impl From<ScrapeProblem> for Problem {
    fn from(problem: ScrapeProblem) -> Self {
        Self::Scrape(problem)
    }
}

/// A page that was had, ready to be printed.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) document: Document,
    /// As it is printed; empty for an error page where that is not printed.
    pub(super) text: String,
}

/// What became of one URL.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The URL that was given, in normal form where it has one.
    pub(super) url: String,
    /// Its page.
    pub(super) page: Result<Rendered, Problem>,
}

impl Outcome {
    /// Whether the page could not be had; an error page is not what was asked for.
    pub(super) fn failed(&self) -> bool {
        self.trouble().is_some()
    }

    /// Whether an end was asked for before it was its turn.
    pub(super) fn was_stopped(&self) -> bool {
        matches!(
            &self.page,
            Err(Problem::Scrape(ScrapeProblem::Stopped { .. }))
        )
    }

    /// What went wrong, in words and as a stable word.
    pub(super) fn trouble(&self) -> Option<(String, &'static str)> {
        let (words, kind) = match &self.page {
            Ok(page) => return error_of(&page.document),
            Err(Problem::BadUrl(words)) => (format!("<URL>: {words}"), "bad_url"),
            Err(Problem::Scrape(problem)) if problem.url().as_str() == self.url => {
                (problem.to_string(), problem.as_str())
            }
            Err(Problem::Scrape(problem)) => {
                let words = format!("{problem} (redirected from {})", self.url);
                (words, problem.as_str())
            }
            Err(Problem::Internal(words)) => {
                let words = format!("{} could not be read: internal error: {words}", self.url);
                (words, "internal")
            }
        };
        Some((words, kind))
    }
}

/// What an error status means, in words and as a stable word.
pub(super) fn error_of(document: &Document) -> Option<(String, &'static str)> {
    if document.status() < 400 {
        return None;
    }
    let failure = Failure::of_status(document.status());
    let kind = failure.kind.as_str();
    let (url, asked) = (document.url().clone(), document.requested());
    let from = if *asked == url {
        String::new()
    } else {
        format!(" (redirected from {asked})")
    };
    let words = ScrapeProblem::Failed { url, failure }.to_string();
    Some((words + &from, kind))
}
