//! A realistic site: documentation pages of 60 KB with navigation, breadcrumbs, inline styles, JSON, comments, images and
//! 120 links in all common spellings. Each page and the list of its links are generated together, so a test knows the exact
//! links without parsing.

mod page;

use std::fmt::Write;

use crate::pseudo_random::mix;
use crate::{Request, Site, SiteResponse};
use page::Writer;

/// Number of http and https links on every page.
pub const LINKS_PER_PAGE: usize = 120;

/// A path that is linked but does not exist.
pub const DEAD_PATH: &str = "/docs/";

const SECTIONS: [&str; 8] = [
    "guides",
    "reference",
    "tutorials",
    "releases",
    "internals",
    "recipes",
    "community",
    "support",
];
const WORDS: [&str; 12] = [
    "harbour", "ledger", "winter", "copper", "lantern", "meadow", "orbit", "paper", "quarry",
    "river", "signal", "timber",
];

/// The parameters of a site: page 0 is the root, pages 1 to 8 are sections, the others are articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Realistic {
    /// Number of pages, at least 9.
    pub pages: u32,
    /// Seed of the pseudo-random content.
    pub seed: u64,
    /// Minimum size of a page.
    pub body_bytes: usize,
}

impl Default for Realistic {
    fn default() -> Self {
        Self {
            pages: 200,
            seed: 1,
            body_bytes: 60_000,
        }
    }
}

impl Realistic {
    /// Returns the path of a page; all end with a slash.
    pub fn path(&self, page: u32) -> String {
        let mut path = String::from("/");
        if page > 0 {
            let section = SECTIONS[(page as usize - 1) % SECTIONS.len()];
            write!(path, "docs/{section}/").ok();
        }
        if page as usize > SECTIONS.len() {
            let word =
                |index| WORDS[below(WORDS.len(), mix(self.seed, u64::from(page) * 2 + index))];
            write!(path, "{}-{}-{page}/", word(0), word(1)).ok();
        }
        path
    }

    /// Returns the page of a path without a query.
    pub fn page(&self, path: &str) -> Option<u32> {
        let page = match path.trim_matches('/').split('/').collect::<Vec<_>>()[..] {
            [""] => 0,
            ["docs", section] => {
                let index = SECTIONS.iter().position(|known| *known == section)?;
                u32::try_from(index).ok()? + 1
            }
            ["docs", _, article] => article.rsplit('-').next()?.parse().ok()?,
            _ => return None,
        };
        (page < self.pages && self.path(page) == path).then_some(page)
    }

    /// Returns the HTML of a target (path, with or without `?page=2`) for an origin such as `http://127.0.0.1:8080`. `None`
    /// if there is no such page.
    pub fn body(&self, target: &str, origin: &str) -> Option<String> {
        self.write(target, origin).map(|writer| writer.body)
    }

    /// Returns the http and https links of a page: absolute, in document order, with duplicates, without fragments.
    pub fn links_of(&self, target: &str, origin: &str) -> Option<Vec<String>> {
        let links = self.links_with_fragments(target, origin)?;
        let without_fragment = |link: String| link.split('#').next().unwrap_or_default().to_owned();
        Some(links.into_iter().map(without_fragment).collect())
    }

    /// Like [`Self::links_of`], with fragments.
    pub fn links_with_fragments(&self, target: &str, origin: &str) -> Option<Vec<String>> {
        self.write(target, origin).map(|writer| writer.links)
    }

    /// Returns every page that can be found from the root: each one, and each with `?page=2`. The only other local link is
    /// [`DEAD_PATH`].
    pub fn urls(&self, origin: &str) -> Vec<String> {
        (0..self.pages)
            .map(|page| format!("{origin}{}", self.path(page)))
            .flat_map(|url| [url.clone(), url + "?page=2"])
            .collect()
    }

    fn write(&self, target: &str, origin: &str) -> Option<Writer> {
        let path = target.split('?').next()?;
        let page = self.page(path)?;
        Some(Writer::new(*self, page, target, origin).finish())
    }
}

fn below(limit: usize, number: u64) -> usize {
    usize::try_from(number % limit as u64).unwrap_or_default()
}

impl Site for Realistic {
    fn respond(&self, request: &Request) -> SiteResponse {
        match self.body(request.target(), &request.origin()) {
            Some(body) => SiteResponse::html(body),
            None => SiteResponse::status(404),
        }
    }
}
