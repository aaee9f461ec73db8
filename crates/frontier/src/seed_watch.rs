//! Watches the seed and its redirects: whether the crawl got anywhere.

use model::{Found, Outcome, PageReport, RefuseReason, SeedProblem, SkipReason};

/// What became of the seed.
#[derive(Debug, Default)]
pub(crate) struct SeedWatch {
    problem: Option<SeedProblem>,
}

impl SeedWatch {
    /// The seed, or what it redirected to.
    pub(crate) fn is_seed(report: &PageReport) -> bool {
        report.depth == 0 && matches!(report.found, Found::Seed | Found::Redirect)
    }

    /// A final report; `refused` says why a redirect's target was not admitted, if so.
    pub(crate) fn note(&mut self, report: &PageReport, refused: Option<RefuseReason>) {
        let url = report.url.to_string();
        self.problem = match &report.outcome {
            Outcome::Fetched { .. } => None,
            Outcome::Failed(failure) => Some(SeedProblem::Failed {
                url,
                words: failure.words.clone(),
            }),
            Outcome::Skipped(reason @ SkipReason::Robots { .. }) => Some(SeedProblem::Robots {
                url,
                words: reason.to_string(),
            }),
            Outcome::Skipped(reason @ SkipReason::RobotsUnavailable { .. }) => {
                Some(SeedProblem::Robots {
                    url,
                    words: reason.to_string(),
                })
            }
            Outcome::Redirected { to } => match refused {
                None => None,
                Some(RefuseReason::Seen) => Some(SeedProblem::Loop {
                    url,
                    to: to.to_string(),
                }),
                Some(_) => Some(SeedProblem::LeftScope {
                    url,
                    to: to.to_string(),
                }),
            },
        };
    }

    pub(crate) fn set(&mut self, problem: SeedProblem) {
        self.problem = Some(problem);
    }

    pub(crate) fn problem(&self) -> Option<&SeedProblem> {
        self.problem.as_ref()
    }
}
