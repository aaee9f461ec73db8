//! The content of a document, and its three output formats.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crawler_html::{MainContent, Metadata, NodeId, Selection, Tag, Tree};
use crawler_weburl::{CrawlUrl, Resolved, Resolver};
use encoding_rs::{Encoding, UTF_8};

use super::Part;
use crate::link_harvest::{query_encoder, top_level_domain};

/// Limit on the links listed by one document.
const MOST_LINKS: usize = 10_000;
/// Limit on their bytes: with a long base, a short relative link is a long absolute one.
const MOST_LINK_BYTES: usize = 4 << 20;

/// The web pages a document links to.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Absolute, each once, in document order.
    pub(super) kept: Vec<String>,
    /// How many more there were.
    pub(super) omitted: u64,
}

/// The content of a document.
#[derive(Debug)]
pub(super) enum Content {
    /// An HTML page.
    Page(Box<Page>),
    /// JSON, as it came.
    Json(String),
    /// Text, as it came.
    Text(String),
}

/// A page: one tree, from which everything else is read.
#[derive(Debug)]
pub(super) struct Page {
    tree: Tree,
    selection: Selection,
    /// What its links are relative to; `None`: they stay as written.
    url: Option<CrawlUrl>,
    encoding: &'static Encoding,
    pub(super) metadata: Metadata,
    pub(super) main: Option<MainContent>,
}

impl Content {
    /// Plain text or JSON, in the charset it says or seems to be in.
    pub(super) fn decode(body: &[u8], content_type: Option<&str>, url: &CrawlUrl) -> String {
        let label = content_type.and_then(crawler_html::charset_label);
        let charset = crawler_html::charset(body, label, top_level_domain(url));
        let (text, _) = charset.encoding.decode_with_bom_removal(body);
        // A zero byte is of no use in text.
        text.replace('\0', "\u{fffd}")
    }

    pub(super) fn markdown(&self) -> String {
        match self {
            Self::Page(page) => page.markdown(),
            Self::Json(text) => fenced(text),
            Self::Text(text) => with_end(text),
        }
    }

    pub(super) fn html(&self) -> String {
        match self {
            Self::Page(page) => page.resolving(|resolve| {
                crawler_html::to_inert_html(&page.tree, &page.selection, resolve)
            }),
            Self::Json(text) => {
                format!(
                    "<pre><code class=\"language-json\">{}</code></pre>\n",
                    escaped(text)
                )
            }
            Self::Text(text) => format!("<pre>{}</pre>\n", escaped(text)),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Page(page) => crawler_html::to_text(&page.tree, &page.selection),
            Self::Json(text) | Self::Text(text) => with_end(text),
        }
    }

    pub(super) fn links(&self) -> Links {
        match self {
            Self::Page(page) => page.links(),
            _ => Links::default(),
        }
    }
}

impl Page {
    pub(super) fn read(
        body: &[u8],
        content_type: Option<&str>,
        url: &CrawlUrl,
        part: Part,
    ) -> Self {
        let label = content_type.and_then(crawler_html::charset_label);
        let (tree, charset) = Tree::parse_bytes(body, label, top_level_domain(url));
        Self::of_tree(tree, charset.encoding, Some(url.clone()), part)
    }

    fn of_tree(tree: Tree, encoding: &'static Encoding, url: Option<CrawlUrl>, part: Part) -> Self {
        let chosen = match part {
            Part::Main => crawler_html::main_content(&tree),
            Part::Whole => crawler_html::whole_body(&tree),
        };
        let mut page = Self {
            selection: chosen.selection(),
            main: (part == Part::Main).then_some(chosen),
            tree,
            url,
            encoding,
            metadata: Metadata::default(),
        };
        page.metadata = page.resolving(|resolve| crawler_html::metadata(&page.tree, resolve));
        page
    }

    pub(super) fn charset(&self) -> String {
        self.encoding.name().to_ascii_lowercase()
    }

    /// The content under the page's title, where it does not begin with a heading of its own.
    fn markdown(&self) -> String {
        let content = self
            .resolving(|resolve| crawler_html::to_markdown(&self.tree, &self.selection, resolve));
        let Some(title) = self.metadata.title.as_deref() else {
            return content;
        };
        let heading = heading(title);
        let says_it = |line: &str| {
            let message = line.trim_start_matches('#');
            message.len() < line.len() && message.trim() == heading.trim_start_matches('#').trim()
        };
        if self.has_h1() {
            return content;
        }
        // A lower heading that says the same at the top is the title.
        if let Some((first, rest)) = content.split_once('\n')
            && says_it(first)
        {
            return format!("{heading}{rest}");
        }
        if content.is_empty() {
            return heading;
        }
        format!("{heading}\n{content}")
    }

    /// Whether the chosen part has a heading of the first order with words in it.
    fn has_h1(&self) -> bool {
        let tree = &self.tree;
        let excluded = |id: NodeId| {
            let left_out = self.selection.excluded();
            let before = left_out.partition_point(|start| *start <= id);
            before > 0 && id < tree.end(left_out[before - 1])
        };
        let has_words = |id: NodeId| {
            tree.subtree(id)
                .filter_map(|inner| tree.text(inner))
                .any(|text| !text.trim().is_empty())
        };
        self.selection
            .roots()
            .iter()
            .flat_map(|root| tree.subtree(*root))
            .any(|id| tree.tag(id) == Some(Tag::H1) && !excluded(id) && has_words(id))
    }

    fn links(&self) -> Links {
        let hasher = RandomState::new();
        let mut seen = HashSet::new();
        let mut links = Links::default();
        let mut bytes = 0;
        let Some(url) = &self.url else {
            return links;
        };
        self.with_resolver(url, |resolver| {
            for id in self.tree.find(Tag::A) {
                let Some(href) = self.tree.attr(id, "href") else {
                    continue;
                };
                let mut link = String::new();
                if let Resolved::Web(page) = resolver.resolve(href, &mut link) {
                    let page_len = page.as_str().len();
                    link.truncate(page_len);
                    let has_room = links.kept.len() < MOST_LINKS && bytes < MOST_LINK_BYTES;
                    if !seen.insert(hasher.hash_one(&link)) {
                        continue;
                    }
                    if has_room {
                        bytes += link.len();
                        links.kept.push(link);
                    } else {
                        links.omitted += 1;
                    }
                }
            }
        });
        links
    }

    /// Calls `work` with what makes an address on this page absolute.
    fn resolving<R>(&self, work: impl FnOnce(&dyn Fn(&str) -> Option<String>) -> R) -> R {
        let Some(url) = &self.url else {
            return work(&|reference| Some(as_written(reference)));
        };
        self.with_resolver(url, |resolver| {
            work(&|reference| {
                let mut target = String::new();
                match resolver.resolve(reference, &mut target) {
                    Resolved::Web(_) | Resolved::Other => Some(target),
                    Resolved::Invalid => None,
                }
            })
        })
    }

    fn with_resolver<R>(&self, url: &CrawlUrl, work: impl FnOnce(&Resolver<'_>) -> R) -> R {
        let encode = query_encoder(|text| -> Cow<'_, [u8]> { self.encoding.encode(text).0 });
        let mut resolver = Resolver::new(url);
        if self.encoding != UTF_8 {
            resolver = resolver.with_query_encoding(&encode);
        }
        // The first valid base counts for the whole page.
        let bases = self.tree.find(Tag::Base);
        let _ = bases
            .filter_map(|id| self.tree.attr(id, "href"))
            .any(|href| resolver.set_base(href));
        work(&resolver)
    }
}

/// The main content of an HTML page as Markdown, under its title. Links are made absolute with `base`, the page's address;
/// without one they stay as written.
pub fn markdown(html: &str, base: Option<&CrawlUrl>) -> String {
    Page::of_tree(Tree::parse(html), UTF_8, base.cloned(), Part::Main).markdown()
}

/// An address as it stands on the page, without what the URL standard strips from it as well.
fn as_written(reference: &str) -> String {
    let text = reference.trim_ascii();
    text.chars().filter(|c| !c.is_control()).collect()
}

/// A title as a heading, escaped by the one writer that knows how.
fn heading(title: &str) -> String {
    let tree = Tree::parse(&format!("<h1>{}</h1>", escaped(title)));
    crawler_html::to_markdown(&tree, &Selection::whole(tree.root()), &|_| None)
}

/// A block of code with a fence that nothing in it can close.
fn fenced(text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}json\n{}{fence}\n", with_end(text))
}

/// Text that ends its last line.
fn with_end(text: &str) -> String {
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
