//! A computed site of any size: page `i` links to its children in a tree, so that every page can be reached, and to
//! pseudo-random others, so that most links are duplicates as on a real site. Pages are generated on request.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;

use crate::coding::gzip;
use crate::pseudo_random::below;
use crate::{Request, Site, SiteResponse};

/// Compressed pages are cached for sites of at most this many pages.
const MAX_CACHED_GZIP_PAGES: u32 = 200_000;

/// The parameters of a site, for example `Graph { pages: 1_000, ..Graph::default() }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Graph {
    /// Number of pages; page 0 is `/`, page `i` is `/p/<i>`.
    pub pages: u32,
    /// Number of links on each page.
    pub links_per_page: u32,
    /// Minimum size of a page; shorter ones are padded with text.
    pub body_bytes: usize,
    /// Seed of the pseudo-random links.
    pub seed: u64,
    /// Whether bodies are compressed for clients that accept gzip.
    pub gzip: bool,
    /// Delay of every response.
    pub latency: Duration,
}

impl Default for Graph {
    fn default() -> Self {
        Self {
            pages: 100,
            links_per_page: 10,
            body_bytes: 3_000,
            seed: 1,
            gzip: false,
            latency: Duration::ZERO,
        }
    }
}

impl Graph {
    /// Creates a site with this many pages and default parameters.
    pub fn new(pages: u32) -> Self {
        Self {
            pages,
            ..Self::default()
        }
    }

    /// Returns the path of a page.
    pub fn path(&self, page: u32) -> String {
        let mut path = String::new();
        write_path(&mut path, page);
        path
    }

    /// Returns the page of a path, if it exists. `/p/0` is not a page: the root is `/`.
    pub fn page(&self, path: &str) -> Option<u32> {
        if path == "/" {
            return (self.pages > 0).then_some(0);
        }
        let digits = path.strip_prefix("/p/")?;
        let page: u32 = digits.parse().ok()?;
        (page > 0 && page < self.pages && !digits.starts_with(['0', '+'])).then_some(page)
    }

    /// Returns the targets of a page's links in document order, its children first.
    pub fn links_of(&self, page: u32) -> Vec<u32> {
        let mut links = Vec::new();
        self.each_link(page, |link| links.push(link));
        links
    }

    /// Returns the URLs of all pages for an origin such as `http://127.0.0.1:8080`, by page number.
    pub fn urls(&self, origin: &str) -> Vec<String> {
        (0..self.pages)
            .map(|page| format!("{origin}{}", self.path(page)))
            .collect()
    }

    /// Returns the distance of every page from the root in clicks, by page number.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![u32::MAX; self.pages as usize];
        let mut queue = VecDeque::from([0]);
        depths[0] = 0;
        while let Some(page) = queue.pop_front() {
            let depth = depths[page as usize] + 1;
            self.each_link(page, |link| {
                if depths[link as usize] == u32::MAX {
                    depths[link as usize] = depth;
                    queue.push_back(link);
                }
            });
        }
        depths
    }

    /// Returns the HTML of a page.
    pub fn body(&self, page: u32) -> String {
        let mut body = String::with_capacity(self.body_bytes + 64);
        self.write_body(page, &mut body);
        body
    }

    /// Returns a site for a server.
    pub fn site(self) -> GraphSite {
        let cache_size = if self.gzip && self.pages <= MAX_CACHED_GZIP_PAGES {
            self.pages as usize
        } else {
            0
        };
        GraphSite {
            graph: self,
            gzip_cache: std::iter::repeat_with(OnceLock::new)
                .take(cache_size)
                .collect(),
        }
    }

    /// Half of the links (at least one) form the tree, which keeps it shallow.
    fn children(&self) -> u32 {
        (self.links_per_page / 2).max(1)
    }

    fn each_link(&self, page: u32, mut found: impl FnMut(u32)) {
        if self.pages == 0 {
            return;
        }
        let mut written = 0;
        let first = u64::from(page) * u64::from(self.children()) + 1;
        let last = (first + u64::from(self.children())).min(u64::from(self.pages));
        for child in first..last {
            found(u32::try_from(child).unwrap());
            written += 1;
        }
        for index in written..self.links_per_page {
            found(below(
                self.pages,
                self.seed,
                u64::from(page) << 32 | u64::from(index),
            ));
        }
    }

    fn write_body(&self, page: u32, body: &mut String) {
        writeln!(
            body,
            "<!doctype html><html><head><title>Page {page}</title></head><body><h1>Page {page}</h1>"
        )
        .ok();
        self.each_link(page, |link| {
            body.push_str("<p><a href=\"");
            write_path(body, link);
            body.push_str("\">go</a></p>\n");
        });
        body.push_str("<p>");
        while body.len() < self.body_bytes {
            let missing = self.body_bytes - body.len();
            body.push_str(&PADDING[..PADDING.len().min(missing)]);
        }
        body.push_str("</p></body></html>\n");
    }
}

fn write_path(out: &mut String, page: u32) {
    if page == 0 {
        out.push('/');
    } else {
        write!(out, "/p/{page}").ok();
    }
}

/// ASCII, so that it can be cut anywhere.
const PADDING: &str = "The quick brown fox jumps over the lazy dog, then writes a sentence about \
    harbours, ledgers, winter light and the price of tin, and begins again a little later. ";

/// A [`Graph`] being served.
#[derive(Debug, Clone)]
pub struct GraphSite {
    graph: Graph,
    gzip_cache: Arc<[OnceLock<Bytes>]>,
}

impl Site for GraphSite {
    fn respond(&self, request: &Request) -> SiteResponse {
        let Some(page) = self.graph.page(request.path()) else {
            return SiteResponse::status(404);
        };
        let response = if self.graph.gzip && request.accepts_gzip() {
            SiteResponse::html(self.gzipped(page)).header("Content-Encoding", "gzip")
        } else {
            SiteResponse::html(self.graph.body(page))
        };
        response.after(self.graph.latency)
    }
}

impl GraphSite {
    fn gzipped(&self, page: u32) -> Bytes {
        match self.gzip_cache.get(page as usize) {
            Some(entry) => entry
                .get_or_init(|| gzip(self.graph.body(page).as_bytes()).into())
                .clone(),
            None => gzip(self.graph.body(page).as_bytes()).into(),
        }
    }
}
