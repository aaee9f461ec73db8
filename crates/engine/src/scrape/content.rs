//! What a document holds, and its three written forms.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use encoding_rs::{Encoding, UTF_8};
use html::{MainContent, Metadata, NodeId, Selection, Tag, Tree};
use weburl::{CrawlUrl, Resolved, Resolver};

use super::Part;
use crate::link_harvest::{query_encoder, top_level_domain};

/// Most links named by one document.
const MOST_LINKS: usize = 10_000;
/// And most bytes of them: with a long base, a short relative link is a long absolute one.
const MOST_LINK_BYTES: usize = 4 << 20;

/// The web pages a document links to.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Absolute, each once, in document order.
    pub(super) kept: Vec<String>,
    /// How many more there were.
    pub(super) omitted: u64,
}

/// What a document holds.
#[derive(Debug)]
pub(super) enum Content {
    /// A page of HTML.
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
    url: CrawlUrl,
    encoding: &'static Encoding,
    pub(super) metadata: Metadata,
    pub(super) main: Option<MainContent>,
}

impl Content {
    /// Plain text or JSON, in the charset it says or seems to be in.
    pub(super) fn decode(body: &[u8], content_type: Option<&str>, url: &CrawlUrl) -> String {
        let label = content_type.and_then(html::charset_label);
        let charset = html::charset(body, label, top_level_domain(url));
        let (text, _) = charset.encoding.decode_with_bom_removal(body);
        // A zero byte is nothing that a reader of text can use.
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
            Self::Page(page) => {
                page.resolving(|resolve| html::to_inert_html(&page.tree, &page.selection, resolve))
            }
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
            Self::Page(page) => html::to_text(&page.tree, &page.selection),
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
        let label = content_type.and_then(html::charset_label);
        let (tree, charset) = Tree::parse_bytes(body, label, top_level_domain(url));
        let chosen = match part {
            Part::Main => html::main_content(&tree),
            Part::Whole => html::whole_body(&tree),
        };
        let mut page = Self {
            selection: chosen.selection(),
            main: (part == Part::Main).then_some(chosen),
            tree,
            url: url.clone(),
            encoding: charset.encoding,
            metadata: Metadata::default(),
        };
        page.metadata = page.resolving(|resolve| html::metadata(&page.tree, resolve));
        page
    }

    pub(super) fn charset(&self) -> String {
        self.encoding.name().to_ascii_lowercase()
    }

    /// The content under the page's title, where it does not begin with a heading of its own.
    fn markdown(&self) -> String {
        let content =
            self.resolving(|resolve| html::to_markdown(&self.tree, &self.selection, resolve));
        let Some(title) = self.metadata.title.as_deref() else {
            return content;
        };
        let heading = heading(title);
        let says_it = |line: &str| {
            let words = line.trim_start_matches('#');
            words.len() < line.len() && words.trim() == heading.trim_start_matches('#').trim()
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
        self.with_resolver(|resolver| {
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
        self.with_resolver(|resolver| {
            work(&|reference| {
                let mut target = String::new();
                match resolver.resolve(reference, &mut target) {
                    Resolved::Web(_) | Resolved::Other => Some(target),
                    Resolved::Invalid => None,
                }
            })
        })
    }

    fn with_resolver<R>(&self, work: impl FnOnce(&Resolver<'_>) -> R) -> R {
        let encode = query_encoder(|text| -> Cow<'_, [u8]> { self.encoding.encode(text).0 });
        let mut resolver = Resolver::new(&self.url);
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

/// A title as a heading, escaped by the one writer that knows how.
fn heading(title: &str) -> String {
    let tree = Tree::parse(&format!("<h1>{}</h1>", escaped(title)));
    html::to_markdown(&tree, &Selection::whole(tree.root()), &|_| None)
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
