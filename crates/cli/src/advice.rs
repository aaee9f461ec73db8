//! What to do about a problem, in terms of flags.

use std::fmt::Display;

use crawler_model::Remedy;

/// A problem, followed by what to do about it.
pub(crate) fn with_advice(problem: &impl Display, remedy: Option<Remedy>) -> String {
    match remedy.map(advice) {
        Some(advice) => format!("{problem}; {advice}"),
        None => problem.to_string(),
    }
}

fn advice(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::IgnoreRobots => "use --robots ignore to fetch it anyway",
        Remedy::WidenScope => "crawl that URL instead, or use --scope domain",
        Remedy::FollowTraps => "use --traps off to follow it",
        Remedy::FollowLinks => "use --sitemaps include to follow links too",
    }
}
