//! Builds the pages of a site: text and links of their own within a menu and a footer that are the same everywhere.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use super::prose::prose;
use super::url_space::{Redirect, SpacePage, UrlSpace};
use crate::pseudo_random::{below, mix};

pub(super) struct Builder {
    pub(super) seed: u64,
    layout: Layout,
    honest: BTreeMap<String, String>,
    filler: HashSet<String>,
    listed: Vec<String>,
    redirect: Option<Box<Redirect>>,
}

/// What all pages of a site have in common.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    menu: String,
    footer: String,
}

impl Layout {
    /// A page with this content.
    pub(super) fn page(&self, title: &str, content: &str) -> String {
        let Self { menu, footer } = self;
        format!(
            "<!doctype html><html><head><title>{title}</title></head><body>\n<nav>{menu}</nav>\n\
             <main><h1>{title}</h1>\n{content}\n</main>\n<footer>{footer}</footer></body></html>\n"
        )
    }
}

impl Builder {
    /// A site whose pages have these links in their menu, beside one to the home page.
    pub(super) fn new(seed: u64, menu: &[&str]) -> Self {
        let mut links = link("/", "Home");
        for target in menu {
            links.push_str(&link(target, target.trim_matches('/')));
        }
        // The footer is short on some sites, and longer than the content on others.
        let words = [8, 30, 120][usize::try_from(mix(seed, 5) % 3).unwrap_or_default()];
        Self {
            seed,
            layout: Layout {
                menu: links,
                footer: prose(mix(seed, 6), words),
            },
            honest: BTreeMap::new(),
            filler: HashSet::new(),
            listed: Vec::new(),
            redirect: None,
        }
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout.clone()
    }

    /// Adds a page.
    pub(super) fn page(&mut self, target: impl Into<String>, title: &str, content: &str) {
        let page = self.layout.page(title, content);
        self.honest.insert(target.into(), page);
    }

    /// Adds a page without the menu and the footer.
    pub(super) fn bare_page(&mut self, target: impl Into<String>, html: String) {
        self.honest.insert(target.into(), html);
    }

    /// Adds a page that nobody would miss.
    pub(super) fn filler(&mut self, target: impl Into<String>, title: &str, content: &str) {
        let target = target.into();
        self.filler.insert(target.clone());
        self.page(target, title, content);
    }

    /// Lists a page in the sitemap.
    pub(super) fn list(&mut self, target: impl Into<String>) {
        self.listed.push(target.into());
    }

    /// Redirects the targets for which `redirect` returns another target.
    pub(super) fn redirect(
        &mut self,
        redirect: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) {
        self.redirect = Some(Box::new(redirect));
    }

    /// A number below `limit` that depends on the seed.
    pub(super) fn choose(&self, limit: u32, index: u64) -> u32 {
        below(limit, mix(self.seed, 99), index)
    }

    pub(super) fn len(&self) -> usize {
        self.honest.len()
    }

    pub(super) fn finish(self) -> UrlSpace {
        UrlSpace {
            honest: self.honest,
            filler: self.filler,
            listed: self.listed,
            redirect: self.redirect,
            respond: None,
        }
    }

    /// Finishes a site that has more pages than those that are wanted; `respond` is asked first.
    pub(super) fn with_trap(
        self,
        respond: impl Fn(&str, &BTreeMap<String, String>) -> Option<SpacePage> + Send + Sync + 'static,
    ) -> UrlSpace {
        UrlSpace {
            respond: Some(Box::new(respond)),
            ..self.finish()
        }
    }
}

/// A page of a trap.
#[expect(clippy::unnecessary_wraps, reason = "the response to a target")]
pub(super) fn trap_page(html: String) -> Option<SpacePage> {
    Some(SpacePage { html, shows: None })
}

pub(super) fn link(target: &str, text: &str) -> String {
    format!("<a href=\"{}\">{text}</a> ", target.replace('&', "&amp;"))
}

/// A list of links.
pub(super) fn links<'a>(targets: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut list = String::from("<ul>");
    for (target, text) in targets {
        writeln!(list, "<li>{}</li>", link(target, text)).ok();
    }
    list.push_str("</ul>");
    list
}

pub(super) fn paragraph(seed: u64, words: u32) -> String {
    format!("<p>{}</p>\n", prose(seed, words))
}

/// The value of a parameter.
pub(super) fn parameter<'t>(target: &'t str, name: &str) -> Option<&'t str> {
    let query = target.split_once('?')?.1;
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
}

/// A number that depends on a text.
pub(super) fn hash(seed: u64, text: &str) -> u64 {
    text.bytes()
        .fold(seed, |hash, byte| mix(hash, u64::from(byte)))
}
