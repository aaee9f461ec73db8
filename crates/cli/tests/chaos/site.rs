//! A generated site: every page, dead link and redirect is computed, so the expected result of a job is known.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

use testsite::{Request, Server, SiteResponse};

/// A site by its numbers: page 0 is `/`, page `i` is `/p/<i>`.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) pages: u32,
    /// Latency of an ordinary page.
    pub(crate) latency: Duration,
    /// Whether its pages are empty without a browser.
    pub(crate) is_scripted: bool,
}

impl Site {
    /// Starts a server of the site.
    pub(crate) fn serve(self) -> Server {
        Server::start(move |request: &Request| self.respond(request))
    }

    /// Children in the tree.
    const CHILDREN: u32 = 4;

    pub(crate) fn path(page: u32) -> String {
        if page == 0 {
            "/".to_owned()
        } else {
            format!("/p/{page}")
        }
    }

    /// Whether a page is linked only through a redirect.
    pub(crate) fn is_moved(page: u32) -> bool {
        page % 10 == 3
    }

    fn is_slow(page: u32) -> bool {
        page % 9 == 5
    }

    /// Link target for a page.
    pub(crate) fn link(page: u32) -> String {
        if Self::is_moved(page) {
            format!("/r/{page}")
        } else {
            Self::path(page)
        }
    }

    /// The links of a page: its children, so that all pages are reached, two others, and on some pages a dead link.
    pub(crate) fn links_of(self, page: u32) -> BTreeSet<String> {
        let first = page * Self::CHILDREN + 1;
        let children = (first..first + Self::CHILDREN).filter(|child| *child < self.pages);
        let others = [page * 7 + 11, page * 13 + 5].map(|other| other % self.pages);
        let mut links: BTreeSet<String> = children.chain(others).map(Self::link).collect();
        if page % 8 == 1 {
            links.insert(format!("/gone/{page}"));
        }
        links
    }

    pub(crate) fn title(page: u32) -> String {
        format!("Page {page}")
    }

    /// The paths of all pages.
    pub(crate) fn all_pages(self) -> BTreeSet<String> {
        (0..self.pages).map(Self::path).collect()
    }

    /// Linked paths that are not pages: redirects and dead links.
    pub(crate) fn detours(self) -> BTreeSet<String> {
        let links: BTreeSet<String> = (0..self.pages)
            .flat_map(|page| self.links_of(page))
            .collect();
        links.difference(&self.all_pages()).cloned().collect()
    }

    fn respond(self, request: &Request) -> SiteResponse {
        let path = request.path();
        if let Some(page) = path.strip_prefix("/r/") {
            return SiteResponse::redirect(302, &format!("/p/{page}")).after(self.latency);
        }
        let page = if path == "/" {
            Some(0)
        } else {
            path.strip_prefix("/p/").and_then(|page| page.parse().ok())
        };
        let Some(page) = page.filter(|page| *page < self.pages) else {
            return SiteResponse::status(404);
        };
        let title = Self::title(page);
        let mut body = format!("<h1>{title}</h1><p>Words of page {page}.</p>");
        for link in self.links_of(page) {
            writeln!(body, "<a href='{link}'>there</a>").unwrap();
        }
        let body = if self.is_scripted {
            format!(
                "<title>Loading</title><body></body><script>document.title = `{title}`; \
                 document.body.innerHTML = `{body}`;</script>"
            )
        } else {
            format!("<title>{title}</title>{body}")
        };
        let factor = if Self::is_slow(page) { 6 } else { 1 };
        SiteResponse::html(body).after(self.latency * factor)
    }
}
