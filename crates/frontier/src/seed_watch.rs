//! Tracks the seed and its redirects, to report a seed that led to no page.

use crawler_model::{Outcome, PageReport, RefuseReason, SeedProblem};
use crawler_weburl::UrlKey;

/// The state of the seed.
#[derive(Debug, Default)]
pub(crate) struct SeedWatch {
    /// The seed and the URLs it redirected to.
    chain: Vec<UrlKey>,
    problem: Option<SeedProblem>,
    settled: bool,
}

impl SeedWatch {
    /// Sets the seed's key.
    pub(crate) fn begin(&mut self, seed: UrlKey) {
        self.chain.push(seed);
    }

    /// Whether this is the seed or a URL it redirected to.
    pub(crate) fn is_seed(&self, key: UrlKey) -> bool {
        self.chain.contains(&key)
    }

    /// Takes in a final report of the seed; `refused` says why a redirect's target was not admitted, if it was not, and
    /// `closes_loop` that its redirects lead back to it.
    pub(crate) fn note(
        &mut self,
        report: &PageReport,
        target: Option<UrlKey>,
        refused: Option<RefuseReason>,
        closes_loop: bool,
    ) {
        let url = report.url.to_string();
        self.settled = true;
        self.problem = match &report.outcome {
            Outcome::Fetched { .. } => None,
            Outcome::Failed(failure) => Some(SeedProblem::Failed {
                url,
                message: failure.message.clone(),
            }),
            Outcome::Skipped(reason) => Some(SeedProblem::Robots {
                url,
                message: reason.to_string(),
            }),
            Outcome::Redirected { to } => {
                let to = to.to_string();
                self.chain.extend(target);
                match refused {
                    _ if closes_loop => Some(SeedProblem::Loop { url, to }),
                    // The target was found before: it was visited or will be.
                    None | Some(RefuseReason::Seen) => {
                        self.settled = refused.is_some();
                        None
                    }
                    Some(reason) if reason.is_trap() => Some(SeedProblem::Trap { url, to }),
                    Some(_) => Some(SeedProblem::LeftScope { url, to }),
                }
            }
        };
    }

    pub(crate) fn set(&mut self, problem: SeedProblem) {
        self.settled = true;
        self.problem = Some(problem);
    }

    /// Whether the seed's outcome is known.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }

    pub(crate) fn problem(&self) -> Option<&SeedProblem> {
        self.problem.as_ref()
    }
}
