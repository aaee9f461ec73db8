//! Generates one page together with the list of its links.

use std::fmt::Write;
use std::sync::LazyLock;

use super::{LINKS_PER_PAGE, Realistic, SECTIONS, below};
use crate::pseudo_random::mix;

/// Text for paragraphs; ASCII, so that it can be cut anywhere.
static PROSE: LazyLock<String> = LazyLock::new(|| {
    let words = [
        "the", "index", "keeps", "every", "record", "until", "a", "reader", "asks", "for", "it",
        "and", "then", "writes", "its", "answer", "into", "buffers", "that", "were", "empty",
    ];
    let mut prose = String::new();
    for index in 0..12_000 {
        let number = mix(7, index);
        prose.push_str(words[below(words.len(), number)]);
        prose.push_str(match number >> 60 {
            0 => ".\n",
            1 => ", ",
            _ => " ",
        });
    }
    prose
});

const HEAD: &str = r#"<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/site.css"><link rel="icon" href="/static/icon.png">
<script src="/static/site.js" defer></script>
<script>window.settings = {"menu": "<a href='/not-a-link'>no</a>", "theme": "auto"};</script>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"TechArticle",
"author":{"@type":"Person","url":"https://people.example/author"},"text":"<\/script>"}</script>
"#;

const OTHERS: &str = r#"<!-- <a href="/old-menu">removed</a> -->
<p>Write to <a href="mailto:team@elsewhere.example">us</a>, <a href="tel:+12025550123">call</a> or
<a href="javascript:void(0)" onclick="openChat()">chat</a>. <a name="anchor">No link</a>.</p>
<img src="/static/figure.png" srcset="/static/figure-2x.png 2x" alt="A &lt;a href=&quot;x&quot;&gt;">
<form action="/search"><input name="q"><button>Search</button></form>
"#;

pub(super) struct Writer {
    site: Realistic,
    page: u32,
    /// The URL of this page without its query, the full URL, and the origin.
    page_url: String,
    full_url: String,
    origin: String,
    pub(super) body: String,
    pub(super) links: Vec<String>,
}

impl Writer {
    pub(super) fn new(site: Realistic, page: u32, target: &str, origin: &str) -> Self {
        Self {
            site,
            page,
            page_url: format!("{origin}{}", site.path(page)),
            full_url: format!("{origin}{target}"),
            origin: origin.to_owned(),
            body: String::with_capacity(site.body_bytes + 4_096),
            links: Vec::with_capacity(LINKS_PER_PAGE),
        }
    }

    pub(super) fn finish(mut self) -> Self {
        self.head();
        self.navigation();
        self.contents();
        self.article();
        self.body.push_str(OTHERS);
        self.footer();
        while self.body.len() < self.site.body_bytes {
            self.paragraph();
        }
        self.body.push_str("</body>\n</html>\n");
        self
    }

    /// Writes an anchor in the usual spelling.
    fn link(&mut self, href: &str, url: String) {
        let text = self.links.len();
        writeln!(
            self.body,
            "<li class=\"entry\"><a class=\"l\" href=\"{href}\">Link {text}</a></li>"
        )
        .ok();
        self.links.push(url);
    }

    fn head(&mut self) {
        let (page, page_url) = (self.page, &self.page_url);
        write!(
            self.body,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>Page {page}</title>\n{HEAD}"
        )
        .ok();
        writeln!(
            self.body,
            "<link rel=\"canonical\" href=\"{page_url}\">\n<style>"
        )
        .ok();
        for rule in 0..60 {
            writeln!(
                self.body,
                ".c{rule} > a:hover {{ color: #{:06x}; background: url(/static/{rule}.png) }}",
                mix(3, rule) % 0x0100_0000
            )
            .ok();
        }
        self.body.push_str("</style>\n</head>\n<body>\n");
    }

    fn navigation(&mut self) {
        let root = format!("{}/", self.origin);
        self.body.push_str("<nav>\n");
        self.link("/", root.clone());
        for section in SECTIONS {
            let url = format!("{root}docs/{section}/");
            self.link(&format!("/docs/{section}/"), url);
        }
        self.link(
            "//cdn.example/app",
            format!("{}//cdn.example/app", self.scheme()),
        );
        self.link(
            "https://accounts.example/login?next=%2Fdocs&amp;lang=en",
            "https://accounts.example/login?next=%2Fdocs&lang=en".to_owned(),
        );
        self.body.push_str("</nav>\n<nav class=\"breadcrumbs\">\n");
        self.link(&self.origin.clone(), root);
        let parent_url = parent(&self.page_url, self.origin.len());
        self.link("../", parent_url.clone());
        self.link("..", parent_url);
        self.link("./", self.page_url.clone());
        self.link("", self.full_url.clone());
        self.body.push_str("</nav>\n");
    }

    fn contents(&mut self) {
        self.body.push_str("<div id=\"contents\">\n");
        for heading in 1..=12 {
            let url = format!("{}#section-{heading}", self.full_url);
            self.link(&format!("#section-{heading}"), url);
        }
        let url = format!("{}?page=2", self.page_url);
        self.link("?page=2", url);
        self.body.push_str("</div>\n");
    }

    /// Writes the links within the site: children in a tree, so that all pages are found, then pseudo-random ones.
    fn article(&mut self) {
        let children = (1..=4).map(|child| self.page * 4 + child);
        let children = children.filter(|child| *child < self.site.pages);
        let chosen = (0..52).map(|index| {
            let number = mix(self.site.seed ^ 0xa5a5, u64::from(self.page) << 8 | index);
            u32::try_from(number % u64::from(self.site.pages)).unwrap_or_default()
        });
        let targets: Vec<u32> = children.chain(chosen).take(52).collect();
        for (index, target) in targets.into_iter().enumerate() {
            if index % 8 == 0 {
                writeln!(self.body, "<h2 id=\"section-{}\">Part</h2>", index / 8 + 1).ok();
            }
            self.site_link(index, target);
            if self.body.len() < self.site.body_bytes * 3 / 4 {
                self.paragraph();
            }
        }
    }

    /// Writes a link to a page of the site, in one of the common spellings.
    fn site_link(&mut self, index: usize, target: u32) {
        let path = self.site.path(target);
        let url = format!("{}{path}", self.origin);
        let depth = self.page_url[self.origin.len()..].matches('/').count() - 1;
        let up = format!("{}{}", "../".repeat(depth), path.trim_start_matches('/'));
        match index % 8 {
            0 if !up.is_empty() => self.link(&up, url),
            1 => self.link(&url.clone(), url),
            2 => self.anchor(&format!("<A HREF='{path}'>"), url),
            3 => self.anchor(&format!("<a rel=next href={path}>"), url),
            4 => self.anchor(&format!("<a\n  href = \" {path}\n\"\n>"), url),
            5 => self.link(&format!("{path}#section-3"), format!("{url}#section-3")),
            6 if !up.is_empty() => self.link(&format!("./{up}"), url),
            7 => self.link(&format!("/x/..{path}./"), url),
            _ => self.link(&path, url),
        }
    }

    fn anchor(&mut self, tag: &str, url: String) {
        writeln!(self.body, "{tag}<b>Other</b></a>").ok();
        self.links.push(url);
    }

    fn footer(&mut self) {
        self.body.push_str("<footer>\n");
        for index in self.links.len()..LINKS_PER_PAGE {
            let url = format!(
                "https://partner-{}.example/path/{index}?from={}",
                index % 9,
                self.page
            );
            self.link(&url.clone(), url);
        }
        self.body.push_str("</footer>\n");
    }

    fn paragraph(&mut self) {
        let start = below(
            PROSE.len() - 700,
            mix(self.site.seed, self.body.len() as u64),
        );
        self.body
            .push_str("<p class=\"c1\" style=\"margin:0 0 1em\">");
        self.body.push_str(&PROSE[start..start + 600]);
        self.body.push_str(" &amp; so <em>on</em>.</p>\n");
    }

    fn scheme(&self) -> &str {
        self.origin.split("//").next().unwrap_or_default()
    }
}

/// Returns the parent of a URL that ends with a slash; the parent of the root is the root.
fn parent(url: &str, origin: usize) -> String {
    let path = url[origin..].trim_end_matches('/');
    let end = path.rfind('/').map_or(0, |index| index + 1);
    format!("{}/{}", &url[..origin], path[..end].trim_start_matches('/'))
}
