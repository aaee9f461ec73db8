//! The content of a document, and its three output formats.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crawler_html::{MainContent, Metadata, NodeId, Selection, Tag, Tree};
use crawler_weburl::{CrawlUrl, Resolved, Resolver};
use encoding_rs::{Encoding, UTF_8};

use super::Part;
use crate::find_links::{query_encoder, top_level_domain};

/// Maximum number of links listed for a document.
const MAX_LINKS: usize = 10_000;
/// Limit on the total length of these links: with a long base, short relative links become long absolute ones.
const MAX_LINK_BYTES: usize = 4 << 20;

/// The http(s) links of a document.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Absolute, without duplicates, in document order.
    pub(super) kept: Vec<String>,
    /// Number of links beyond the limits.
    pub(super) omitted: u64,
}

/// The content of a document.
#[derive(Debug)]
pub(super) enum Content {
    /// An HTML page.
    Html(Box<HtmlPage>),
    /// JSON, unchanged.
    Json(String),
    /// Text, unchanged.
    Text(String),
}

/// A parsed HTML page.
#[derive(Debug)]
pub(super) struct HtmlPage {
    tree: Tree,
    selection: Selection,
    /// Base for relative links; `None`: links stay as written.
    url: Option<CrawlUrl>,
    encoding: &'static Encoding,
    pub(super) metadata: Metadata,
    pub(super) main: Option<MainContent>,
}

impl Content {
    /// Decodes plain text or JSON in its declared or detected charset.
    pub(super) fn decode(body: &[u8], content_type: Option<&str>, url: &CrawlUrl) -> String {
        let label = content_type.and_then(crawler_html::charset_label);
        let charset = crawler_html::charset(body, label, top_level_domain(url));
        let (text, _) = charset.encoding.decode_with_bom_removal(body);
        text.replace('\0', "\u{fffd}")
    }

    pub(super) fn markdown(&self) -> String {
        match self {
            Self::Html(page) => page.markdown(),
            Self::Json(text) => fenced(text),
            Self::Text(text) => with_final_newline(text),
        }
    }

    pub(super) fn html(&self) -> String {
        match self {
            Self::Html(page) => page.resolving(|resolve| {
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
            Self::Html(page) => crawler_html::to_text(&page.tree, &page.selection),
            Self::Json(text) | Self::Text(text) => with_final_newline(text),
        }
    }

    pub(super) fn links(&self) -> Links {
        match self {
            Self::Html(page) => page.links(),
            _ => Links::default(),
        }
    }
}

impl HtmlPage {
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

    /// Whether parts of the page were dropped because its elements are nested too deeply.
    pub(super) fn is_truncated(&self) -> bool {
        self.tree.is_truncated()
    }

    /// Whether nothing but the title is written as Markdown.
    pub(super) fn is_blank(&self) -> bool {
        crawler_html::to_markdown(&self.tree, &self.selection, &|target| {
            Some(target.to_owned())
        })
        .trim()
        .is_empty()
    }

    pub(super) fn charset(&self) -> String {
        self.encoding.name().to_ascii_lowercase()
    }

    /// Returns the content as Markdown, with the title as its heading unless the content has an `h1`.
    fn markdown(&self) -> String {
        let content = self
            .resolving(|resolve| crawler_html::to_markdown(&self.tree, &self.selection, resolve));
        let Some(title) = self.metadata.title.as_deref() else {
            return content;
        };
        let heading = heading(title);
        let is_title = |line: &str| {
            let text = line.trim_start_matches('#');
            text.len() < line.len() && text.trim() == heading.trim_start_matches('#').trim()
        };
        if self.has_h1() {
            return content;
        }
        // A lower-level heading with the same text at the top is replaced by the title.
        if let Some((first, rest)) = content.split_once('\n')
            && is_title(first)
        {
            return format!("{heading}{rest}");
        }
        if content.is_empty() {
            return heading;
        }
        format!("{heading}\n{content}")
    }

    /// Whether the selection has an `h1` with text.
    fn has_h1(&self) -> bool {
        let tree = &self.tree;
        let excluded = |id: NodeId| {
            let excluded_roots = self.selection.excluded();
            let before = excluded_roots.partition_point(|start| *start <= id);
            before > 0 && id < tree.end(excluded_roots[before - 1])
        };
        let has_text = |id: NodeId| {
            tree.subtree(id)
                .filter_map(|inner| tree.text(inner))
                .any(|text| !text.trim().is_empty())
        };
        self.selection
            .roots()
            .iter()
            .flat_map(|root| tree.subtree(*root))
            .any(|id| tree.tag(id) == Some(Tag::H1) && !excluded(id) && has_text(id))
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
                    let is_within_limits = links.kept.len() < MAX_LINKS && bytes < MAX_LINK_BYTES;
                    if !seen.insert(hasher.hash_one(&link)) {
                        continue;
                    }
                    if is_within_limits {
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

    /// Calls `work` with a function that makes the URLs of this page absolute.
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
        // The first valid base applies to the whole page.
        let bases = self.tree.find(Tag::Base);
        let _ = bases
            .filter_map(|id| self.tree.attr(id, "href"))
            .any(|href| resolver.set_base(href));
        work(&resolver)
    }
}

/// Returns the title and the main content of an HTML page as Markdown. Links are made absolute with `base`, the URL of the
/// page; without it they stay as written.
pub fn markdown(html: &str, base: Option<&CrawlUrl>) -> String {
    HtmlPage::of_tree(Tree::parse(html), UTF_8, base.cloned(), Part::Main).markdown()
}

/// Returns a reference as written, without surrounding whitespace and control characters.
fn as_written(reference: &str) -> String {
    let text = reference.trim_ascii();
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Returns a title as a Markdown heading, escaped.
fn heading(title: &str) -> String {
    let tree = Tree::parse(&format!("<h1>{}</h1>", escaped(title)));
    crawler_html::to_markdown(&tree, &Selection::whole(tree.root()), &|_| None)
}

/// Returns a JSON code block, with a fence longer than any run of backticks in the text.
fn fenced(text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}json\n{}{fence}\n", with_final_newline(text))
}

/// Returns the text with a newline at its end, unless it is empty.
fn with_final_newline(text: &str) -> String {
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
