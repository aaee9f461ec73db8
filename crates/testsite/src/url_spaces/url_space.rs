//! A site that knows which of its pages are wanted.

use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Write};

use crate::{Request, Site, SiteResponse};

/// Responds to a target, unless it is one of the wanted pages, which are given.
pub(super) type Respond =
    dyn Fn(&str, &BTreeMap<String, String>) -> Option<SpacePage> + Send + Sync;

/// The target that a request for a target is redirected to.
pub(super) type Redirect = dyn Fn(&str) -> Option<String> + Send + Sync;

/// A page, and which of the wanted pages it shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpacePage {
    /// Its HTML.
    pub html: String,
    /// The target of the wanted page that it shows: its own, or that of the page it repeats under another URL.
    pub shows: Option<String>,
}

/// A site with a list of the pages that are wanted.
pub struct UrlSpace {
    pub(super) honest: BTreeMap<String, String>,
    pub(super) filler: HashSet<String>,
    pub(super) listed: Vec<String>,
    pub(super) redirect: Option<Box<Redirect>>,
    pub(super) respond: Option<Box<Respond>>,
}

impl fmt::Debug for UrlSpace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "UrlSpace({} honest pages)", self.honest.len())
    }
}

impl UrlSpace {
    /// The targets (path and query) of all pages that are wanted.
    pub fn honest(&self) -> impl Iterator<Item = &str> {
        self.honest
            .keys()
            .map(String::as_str)
            .filter(|target| !self.filler.contains(*target))
    }

    /// Whether a page is neither wanted nor part of a trap: an empty day between two events.
    pub fn is_filler(&self, target: &str) -> bool {
        self.filler.contains(target)
    }

    /// Whether a page is wanted.
    pub fn is_wanted(&self, target: &str) -> bool {
        self.honest.contains_key(target) && !self.filler.contains(target)
    }

    /// Whether the site has a sitemap.
    pub fn has_sitemap(&self) -> bool {
        !self.listed.is_empty()
    }

    /// The target that a request for this target is redirected to. Unless that is a wanted page, such a request is a request in
    /// a trap.
    pub fn redirect(&self, target: &str) -> Option<String> {
        self.redirect.as_ref()?(target)
    }

    /// The page at a target. A request for a page that shows none of the wanted pages, or one that was requested before, is
    /// a request in a trap.
    pub fn page(&self, target: &str) -> Option<SpacePage> {
        let respond = self.respond.as_ref();
        respond
            .and_then(|respond| respond(target, &self.honest))
            .or_else(|| {
                self.honest.get(target).map(|html| SpacePage {
                    html: html.clone(),
                    shows: Some(target.to_owned()),
                })
            })
    }

    /// The sitemap, for an origin.
    pub fn sitemap(&self, origin: &str) -> String {
        let mut sitemap = String::from("<?xml version=\"1.0\"?><urlset>\n");
        for target in &self.listed {
            let target = target.replace('&', "&amp;");
            writeln!(sitemap, "<url><loc>{origin}{target}</loc></url>").ok();
        }
        sitemap.push_str("</urlset>\n");
        sitemap
    }
}

impl Site for UrlSpace {
    fn respond(&self, request: &Request) -> SiteResponse {
        if request.target() == "/sitemap.xml" && self.has_sitemap() {
            return SiteResponse::new(200, "application/xml", self.sitemap(&request.origin()));
        }
        if let Some(target) = self.redirect(request.target()) {
            return SiteResponse::redirect(302, &target);
        }
        match self.page(request.target()) {
            Some(page) => SiteResponse::html(page.html),
            None => SiteResponse::status(404),
        }
    }
}
