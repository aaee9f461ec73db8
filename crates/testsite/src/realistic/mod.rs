//! A site like the ones out there: documentation pages of 60 KB with navigation, breadcrumbs, inline
//! styles, JSON, comments, images and 120 links spelled in every way that occurs. The page and the
//! list of its links are written by the same hand, so a test knows the exact answer without parsing.

mod page;

use std::fmt::Write;

use crate::chance::mix;
use crate::{Answer, Request, Site};
use page::Writer;

/// Links with http or https on every page.
pub const LINKS: usize = 120;

/// Linked from the sections and missing, as something always is.
pub const DEAD: &str = "/docs/";

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

/// A site by its numbers: page 0 is the root, pages 1 to 8 are sections, the others articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Realistic {
    /// How many pages there are, at least 9.
    pub pages: u32,
    /// Another seed is another site.
    pub seed: u64,
    /// The least size of a page.
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
    /// The path of a page; all end with a slash.
    pub fn path(&self, page: u32) -> String {
        let mut path = String::from("/");
        if page > 0 {
            let section = SECTIONS[(page as usize - 1) % SECTIONS.len()];
            write!(path, "docs/{section}/").ok();
        }
        if page as usize > SECTIONS.len() {
            let word =
                |place| WORDS[below(WORDS.len(), mix(self.seed, u64::from(page) * 2 + place))];
            write!(path, "{}-{}-{page}/", word(0), word(1)).ok();
        }
        path
    }

    /// The page of a path, without its query.
    pub fn page(&self, path: &str) -> Option<u32> {
        let page = match path.trim_matches('/').split('/').collect::<Vec<_>>()[..] {
            [""] => 0,
            ["docs", section] => {
                let place = SECTIONS.iter().position(|known| *known == section)?;
                u32::try_from(place).ok()? + 1
            }
            ["docs", _, article] => article.rsplit('-').next()?.parse().ok()?,
            _ => return None,
        };
        (page < self.pages && self.path(page) == path).then_some(page)
    }

    /// The HTML of a target (path, with or without `?page=2`), as seen below an origin such as
    /// `http://127.0.0.1:8080`. `None` if there is no such page.
    pub fn body(&self, target: &str, origin: &str) -> Option<String> {
        self.write(target, origin).map(|writer| writer.body)
    }

    /// The http and https links of that page, absolute, in document order, duplicates kept,
    /// fragments cut off.
    pub fn links_of(&self, target: &str, origin: &str) -> Option<Vec<String>> {
        let links = self.links_with_fragments(target, origin)?;
        let cut = |link: String| link.split('#').next().unwrap_or_default().to_owned();
        Some(links.into_iter().map(cut).collect())
    }

    /// [`Self::links_of`] with the fragments left on.
    pub fn links_with_fragments(&self, target: &str, origin: &str) -> Option<Vec<String>> {
        self.write(target, origin).map(|writer| writer.links)
    }

    /// Every page that can be found from the root: each one, and each with `?page=2`. Besides
    /// them only [`DEAD`] is linked.
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
    fn answer(&self, request: &Request) -> Answer {
        match self.body(request.target(), &request.origin()) {
            Some(body) => Answer::html(body),
            None => Answer::status(404),
        }
    }
}
