//! A client-routed site: one shell for every route, its pages by script.

use std::fmt::Write;
use std::time::Duration;

use super::assets::{asset, script, shell};
use crate::{Answer, Graph, Request, Site};

/// Any number of pages behind one shell. The router draws by `location.pathname` what `/api/page/N.json` says, and
/// makes the links; without its script the whole site is one page without a word.
#[derive(Debug, Clone)]
pub struct Routed {
    graph: Graph,
    delay: Duration,
}

/// Words that make each page's phrase its own.
const WORDS: [&str; 8] = [
    "harbour", "ledger", "lantern", "orchard", "ferry", "anvil", "meadow", "compass",
];

impl Routed {
    /// A site of that many pages: `/` and `/p/1`, `/p/2`, …
    pub fn new(pages: usize) -> Self {
        Self {
            graph: Graph {
                pages: u32::try_from(pages).unwrap_or(u32::MAX),
                links_per_page: 6,
                ..Graph::default()
            },
            delay: Duration::from_millis(10),
        }
    }

    /// The same site, whose data takes that long to arrive.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The path of every page, by its number.
    pub fn pages(&self) -> Vec<String> {
        (0..self.graph.pages)
            .map(|page| self.graph.path(page))
            .collect()
    }

    /// A phrase that the page of this path has when it is rendered, and no other page has.
    pub fn text(&self, path: &str) -> Option<String> {
        self.graph.page(path).map(|page| self.phrase(page))
    }

    /// Where the page of this path links to, as paths, in document order.
    pub fn links(&self, path: &str) -> Vec<String> {
        let Some(page) = self.graph.page(path) else {
            return Vec::new();
        };
        let links = self.graph.links_of(page).into_iter();
        links.map(|link| self.graph.path(link)).collect()
    }

    fn phrase(&self, page: u32) -> String {
        let word = |shift: u32| WORDS[(page >> shift) as usize % WORDS.len()];
        format!(
            "Chapter {page} of {} tells of the {} and the {}",
            self.graph.pages,
            word(0),
            word(3)
        )
    }

    /// What the script asks for.
    fn json(&self, page: u32) -> String {
        let mut json = format!(
            "{{\"title\":\"Chapter {page}\",\"text\":\"{}.\",\"links\":[",
            self.phrase(page)
        );
        for (place, link) in self.graph.links_of(page).into_iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(
                json,
                "{comma}{{\"to\":\"{}\",\"text\":\"Chapter {link}\"}}",
                self.graph.path(link)
            );
        }
        json.push_str("]}");
        json
    }

    fn page_data(&self, path: &str) -> Option<String> {
        let page = path.strip_prefix("/api/page/")?.strip_suffix(".json")?;
        let page: u32 = page.parse().ok()?;
        (page < self.graph.pages).then(|| self.json(page))
    }
}

impl Site for Routed {
    fn answer(&self, request: &Request) -> Answer {
        let path = request.path();
        if path == "/app.js" {
            return script(include_str!("scripts/router.js"));
        }
        if let Some(found) = asset(path) {
            return found;
        }
        if let Some(json) = self.page_data(path) {
            return Answer::new(200, "application/json", json).after(self.delay);
        }
        // What has an ending is a file, and there is no other; every route is the application.
        let is_file = path
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'));
        if is_file {
            return Answer::status(404);
        }
        Answer::html(shell("Chapters", "/app.js"))
    }
}
