//! A client-routed site: one shell for every route; a script creates the pages.

use std::fmt::Write;
use std::time::Duration;

use super::assets::{asset, script, shell};
use crate::{Graph, Request, Site, SiteResponse};

/// Any number of pages behind one shell. The router renders `/api/page/N.json` according to `location.pathname`, including
/// the links; without its script the whole site is one empty page.
#[derive(Debug, Clone)]
pub struct ClientRoutedSite {
    graph: Graph,
    delay: Duration,
}

/// Words for the unique phrase of each page.
const WORDS: [&str; 8] = [
    "harbour", "ledger", "lantern", "orchard", "ferry", "anvil", "meadow", "compass",
];

impl ClientRoutedSite {
    /// Creates a site with this many pages: `/`, `/p/1`, `/p/2`, …
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

    /// Delays the data of the pages.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Returns the paths of all pages, by number.
    pub fn pages(&self) -> Vec<String> {
        (0..self.graph.pages)
            .map(|page| self.graph.path(page))
            .collect()
    }

    /// Returns a phrase that only the rendered page of this path contains.
    pub fn text(&self, path: &str) -> Option<String> {
        self.graph.page(path).map(|page| self.phrase(page))
    }

    /// Returns the links of a page as paths, in document order.
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

    /// Returns the data of a page.
    fn json(&self, page: u32) -> String {
        let mut json = format!(
            "{{\"title\":\"Chapter {page}\",\"text\":\"{}.\",\"links\":[",
            self.phrase(page)
        );
        for (index, link) in self.graph.links_of(page).into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
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

impl Site for ClientRoutedSite {
    fn respond(&self, request: &Request) -> SiteResponse {
        let path = request.path();
        if path == "/app.js" {
            return script(include_str!("scripts/router.js"));
        }
        if let Some(found) = asset(path) {
            return found;
        }
        if let Some(json) = self.page_data(path) {
            return SiteResponse::new(200, "application/json", json).after(self.delay);
        }
        // Paths with an extension are missing files; every other path is a route.
        let is_file = path
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'));
        if is_file {
            return SiteResponse::status(404);
        }
        SiteResponse::html(shell("Chapters", "/app.js"))
    }
}
