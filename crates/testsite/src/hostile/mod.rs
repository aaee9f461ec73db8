//! A site with every kind of misbehavior. Each has its own path, `/<name>/`, its own state, and the outcome that a
//! crawler must report. The site also has healthy pages, all of which must be found.
//!
//! The expectations assume these rules: bodies are truncated at 2 MB (decoded), a request has a total timeout, at most 256
//! headers and 256 KiB of them, at most two content codings, at most 10 redirects in a row, traps refused.

mod behavior;
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

pub use behavior::{Behavior, Expect};

use crate::pages::list_of_links;
use crate::{Request, Site, SiteResponse};
use case::{Case, Visit};

/// Number of healthy pages.
pub const HEALTHY: usize = 100;

/// Returns all behaviors that one server can have at the same time.
pub fn behaviors() -> Vec<Behavior> {
    cases().into_iter().map(|case| case.behavior).collect()
}

/// Returns the behaviors that slow down the whole host in a polite crawler; each needs its own server, see
/// [`Hostile::only`].
pub fn throttlers() -> Vec<Behavior> {
    let cases = throttle::cases().into_iter();
    cases.map(|case| case.behavior).collect()
}

/// Returns the paths of the healthy pages.
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

/// The hostile site.
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
    /// Creates a site with all [`behaviors`].
    pub fn new() -> Self {
        bombs::prepare();
        Self::of(cases())
    }

    /// Creates a site with one behavior or throttler and the healthy pages.
    pub fn only(name: &str) -> Option<Self> {
        let mut all = cases().into_iter().chain(throttle::cases());
        all.find(|case| case.behavior.name == name)
            .map(|case| Self::of(vec![case]))
    }

    fn of(cases: Vec<Case>) -> Self {
        let entries = cases.iter().map(|case| case.behavior.path.clone());
        let healthy = healthy_paths().into_iter().take(10);
        Self {
            index: list_of_links(entries.chain(healthy)),
            cases: cases
                .into_iter()
                .map(|case| (case.behavior.name, case))
                .collect(),
            visits: Mutex::default(),
        }
    }

    /// Counts a request and returns the number of earlier ones for the same target.
    fn count(&self, target: &str) -> u64 {
        let mut visits = self.visits.lock().unwrap();
        let visit = visits.entry(target.to_owned()).or_default();
        *visit += 1;
        *visit - 1
    }
}

impl Site for Hostile {
    fn respond(&self, request: &Request) -> SiteResponse {
        if request.target() == "/" {
            return SiteResponse::html(self.index.clone());
        }
        let Some((name, rest)) = request.target()[1..].split_once('/') else {
            return SiteResponse::status(404);
        };
        if name == "healthy" {
            return healthy(rest);
        }
        match self.cases.get(name) {
            Some(case) => case.respond(&Visit {
                request,
                rest,
                visits: self.count(request.target()),
            }),
            None => SiteResponse::status(404),
        }
    }
}

/// Page `i` links to ten more, so that all are at most three clicks from the root.
fn healthy(rest: &str) -> SiteResponse {
    match rest.parse::<usize>() {
        Ok(page) if page < HEALTHY => {
            let first = 10 * (page + 1);
            let links = (first..(first + 10).min(HEALTHY)).map(|next| format!("/healthy/{next}"));
            SiteResponse::html(list_of_links(links))
        }
        _ => SiteResponse::status(404),
    }
}
