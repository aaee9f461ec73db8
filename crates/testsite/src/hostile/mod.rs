//! A site on which everything that can go wrong does. Each behaviour lives below a path of its own,
//! `/<name>/`, keeps its own state there, and says what a crawler must report for it. Beside them
//! stand healthy pages, all of which must be found whatever the others do.
//!
//! The expectations take these rules of the crawler as given: bodies are cut at 2 MB (decoded), a
//! request ends after a total timeout, at most 256 headers and 256 KiB of them, at most two content
//! codings, at most 10 redirects in a row, traps refused.

mod behaviour;
mod bombs;
mod case;
mod charsets;
mod codings;
mod endless;
mod framing;
mod heads;
mod links;
mod markup;
mod redirects;
mod slow;
mod statuses;
mod throttle;
mod traps;
mod types;

use std::collections::HashMap;
use std::sync::Mutex;

pub use behaviour::{Behaviour, Expect};

use crate::pages::list_of_links;
use crate::{Answer, Request, Site};
use case::{Case, Visit};

/// How many healthy pages there are.
pub const HEALTHY: usize = 100;

/// Everything that one server can show at once.
pub fn behaviours() -> Vec<Behaviour> {
    cases().into_iter().map(|case| case.behaviour).collect()
}

/// What slows or parks a whole host in a polite crawler; each needs a server of its own, see
/// [`Hostile::only`].
pub fn throttlers() -> Vec<Behaviour> {
    let cases = throttle::cases().into_iter();
    cases.map(|case| case.behaviour).collect()
}

/// The paths of the healthy pages.
pub fn healthy_paths() -> Vec<String> {
    (0..HEALTHY)
        .map(|page| format!("/healthy/{page}"))
        .collect()
}

fn cases() -> Vec<Case> {
    [
        redirects::cases(),
        slow::cases(),
        endless::cases(),
        framing::cases(),
        heads::cases(),
        statuses::cases(),
        codings::cases(),
        bombs::cases(),
        types::cases(),
        charsets::cases(),
        traps::cases(),
        markup::cases(),
        links::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The site.
#[derive(Debug)]
pub struct Hostile {
    cases: HashMap<&'static str, Case>,
    index: String,
    visits: Mutex<HashMap<String, u64>>,
}

impl Default for Hostile {
    fn default() -> Self {
        Self::new()
    }
}

impl Hostile {
    /// Shows all of [`behaviours`].
    pub fn new() -> Self {
        bombs::prepare();
        Self::of(cases())
    }

    /// Shows the one behaviour or throttler of that name, beside the healthy pages.
    pub fn only(name: &str) -> Option<Self> {
        let mut all = cases().into_iter().chain(throttle::cases());
        all.find(|case| case.behaviour.name == name)
            .map(|case| Self::of(vec![case]))
    }

    fn of(cases: Vec<Case>) -> Self {
        let entries = cases.iter().map(|case| case.behaviour.path.clone());
        let healthy = healthy_paths().into_iter().take(10);
        Self {
            index: list_of_links(entries.chain(healthy)),
            cases: cases
                .into_iter()
                .map(|case| (case.behaviour.name, case))
                .collect(),
            visits: Mutex::default(),
        }
    }

    /// How often this very target was asked for before.
    fn count(&self, target: &str) -> u64 {
        let mut visits = self.visits.lock().unwrap();
        let visit = visits.entry(target.to_owned()).or_default();
        *visit += 1;
        *visit - 1
    }
}

impl Site for Hostile {
    fn answer(&self, request: &Request) -> Answer {
        if request.target() == "/" {
            return Answer::html(self.index.clone());
        }
        let Some((name, rest)) = request.target()[1..].split_once('/') else {
            return Answer::status(404);
        };
        if name == "healthy" {
            return healthy(rest);
        }
        match self.cases.get(name) {
            Some(case) => case.answer(&Visit {
                request,
                rest,
                visits: self.count(request.target()),
            }),
            None => Answer::status(404),
        }
    }
}

/// Page `i` links to ten more, so that all are three clicks from the root at most.
fn healthy(rest: &str) -> Answer {
    match rest.parse::<usize>() {
        Ok(page) if page < HEALTHY => {
            let first = 10 * (page + 1);
            let links = (first..(first + 10).min(HEALTHY)).map(|next| format!("/healthy/{next}"));
            Answer::html(list_of_links(links))
        }
        _ => Answer::status(404),
    }
}
