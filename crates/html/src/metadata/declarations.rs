//! The metadata declarations of a page, collected in one pass and not yet ranked.

use std::collections::HashMap;

use crate::tree::{NodeId, Tag, Tree};

use super::text::{MAX_VALUES, line, line_of};

/// Maximum number of differently named metas, and of links.
const MAX_TAGS: usize = 4096;
/// Metas and links with longer names are ignored.
const MAX_NAME: usize = 100;
/// Maximum number of JSON-LD blocks.
const MAX_BLOCKS: usize = 64;
/// Maximum number of headings, bylines, dates and images; a page with more is a list.
const MAX_ELEMENTS: usize = 16;
/// Maximum number of nodes searched for the text of an element.
const MAX_NODES: usize = 2048;

/// The declarations, in document order.
#[derive(Default)]
pub(super) struct Declarations<'t> {
    metas: HashMap<String, Vec<&'t str>>,
    links: Vec<LinkElement<'t>>,
    /// The text of `title`.
    pub(super) title: Option<String>,
    /// Text of the first `h1` that has any.
    pub(super) heading: Option<String>,
    /// Whether that heading is inside `main` or `article` and so belongs to the page rather than the site.
    pub(super) heading_is_own: bool,
    /// Language declared on the root element.
    pub(super) language: Option<&'t str>,
    /// JSON-LD blocks as written.
    pub(super) json_ld: Vec<&'t str>,
    /// Texts of elements that name an author.
    pub(super) bylines: Vec<String>,
    /// Publication dates given by elements.
    pub(super) published: Vec<String>,
    /// Modification dates given by elements.
    pub(super) modified: Vec<String>,
    /// Addresses of images of the page's subject.
    pub(super) images: Vec<&'t str>,
}

/// A `link` element.
struct LinkElement<'t> {
    rel: &'t str,
    href: &'t str,
    language: Option<&'t str>,
    kind: &'t str,
}

impl<'t> Declarations<'t> {
    pub(super) fn collect(tree: &'t Tree) -> Self {
        let mut declared = Self::default();
        let mut comments_end = 0;
        let mut headings = 0;
        for id in tree.subtree(tree.root()) {
            let Some(tag) = tree.tag(id) else { continue };
            match tag {
                Tag::Html if declared.language.is_none() => {
                    let written = tree.attr(id, "lang").or_else(|| tree.attr(id, "xml:lang"));
                    declared.language = written.filter(|language| !language.trim().is_empty());
                }
                Tag::Title if declared.title.is_none() => declared.title = text_of(tree, id),
                Tag::H1 if declared.heading.is_none() && headings < MAX_ELEMENTS => {
                    headings += 1;
                    declared.heading = text_of(tree, id);
                    declared.heading_is_own = tree
                        .ancestors(id)
                        .any(|around| matches!(tree.tag(around), Some(Tag::Main | Tag::Article)));
                }
                Tag::Meta => declared.take_meta(tree, id),
                Tag::Link => declared.take_link(tree, id),
                Tag::Script => declared.take_script(tree, id),
                _ => {}
            }
            if id.index() < comments_end {
                continue;
            }
            if is_comments(tree, id, tag) {
                comments_end = tree.end(id).index();
            } else {
                declared.take_element(tree, id, tag);
            }
        }
        declared
    }

    /// The values of the metas with these names, ordered by name, then by position on the page.
    pub(super) fn metas<'p>(&'p self, names: &'p [&str]) -> impl Iterator<Item = &'t str> + 'p {
        names
            .iter()
            .filter_map(|name| self.metas.get(*name))
            .flatten()
            .copied()
    }

    /// The first value of the metas with these names, as one line.
    pub(super) fn first_meta(&self, names: &[&str]) -> Option<String> {
        self.metas(names).find_map(line)
    }

    /// Every meta, in no particular order.
    pub(super) fn all_metas(&self) -> impl Iterator<Item = (&str, &[&'t str])> {
        self.metas
            .iter()
            .map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// The addresses of links with this `rel`.
    pub(super) fn linked(&self, rel: &'static str) -> impl Iterator<Item = &'t str> {
        self.links
            .iter()
            .filter(move |link| has_token(link.rel, rel))
            .map(|link| link.href)
    }

    /// The addresses of the feeds.
    pub(super) fn feeds(&self) -> impl Iterator<Item = &'t str> {
        self.links
            .iter()
            .filter(|link| {
                is_feed(link.kind) && has_token(link.rel, "alternate")
                    || has_token(link.rel, "feed")
            })
            .map(|link| link.href)
    }

    /// The page in other languages: language tag and address.
    pub(super) fn alternates(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.links
            .iter()
            .filter(|link| has_token(link.rel, "alternate") && !is_feed(link.kind))
            .filter_map(|link| Some((link.language?, link.href)))
    }

    fn take_meta(&mut self, tree: &'t Tree, id: NodeId) {
        let Some(content) = tree.attr(id, "content") else {
            return;
        };
        let property = tree.attr(id, "property").unwrap_or_default();
        let names = [tree.attr(id, "name"), tree.attr(id, "http-equiv")];
        let names = names.into_iter().flatten().map(str::trim);
        for name in names.chain(property.split_ascii_whitespace().take(4)) {
            if name.is_empty() || name.len() > MAX_NAME || self.metas.len() >= MAX_TAGS {
                continue;
            }
            let values = self.metas.entry(name.to_ascii_lowercase()).or_default();
            if values.len() < MAX_VALUES && values.last() != Some(&content) {
                values.push(content);
            }
        }
    }

    fn take_link(&mut self, tree: &'t Tree, id: NodeId) {
        if let (Some(rel), Some(href)) = (tree.attr(id, "rel"), tree.attr(id, "href"))
            && rel.len() <= MAX_NAME
            && self.links.len() < MAX_TAGS
        {
            self.links.push(LinkElement {
                rel,
                href,
                language: tree.attr(id, "hreflang"),
                kind: tree.attr(id, "type").unwrap_or_default(),
            });
        }
    }

    fn take_script(&mut self, tree: &'t Tree, id: NodeId) {
        let kind = tree.attr(id, "type").unwrap_or_default();
        if is_kind(kind, "application/ld+json") && self.json_ld.len() < MAX_BLOCKS {
            let text = tree.first_child(id).and_then(|child| tree.text(child));
            self.json_ld.extend(text);
        }
    }

    /// Reads `itemprop`, `rel` and the obsolete `pubdate` of an element.
    fn take_element(&mut self, tree: &'t Tree, id: NodeId, tag: Tag) {
        for (name, value) in tree.attrs(id) {
            match name {
                "itemprop" => {
                    for property in value.split_ascii_whitespace().take(4) {
                        self.take_property(tree, id, property);
                    }
                }
                "rel" if tag == Tag::A && has_token(value, "author") => self.take_byline(tree, id),
                "pubdate" if tag == Tag::Time => push(&mut self.published, || date_of(tree, id)),
                "class" if tag == Tag::Time => {
                    let has = |class| has_token(value, class);
                    if has("dt-published") || has("published") || has("entry-date") {
                        push(&mut self.published, || date_of(tree, id));
                    } else if has("dt-updated") || has("updated") {
                        push(&mut self.modified, || date_of(tree, id));
                    }
                }
                _ => {}
            }
        }
    }

    fn take_property(&mut self, tree: &'t Tree, id: NodeId, property: &str) {
        match property {
            "author" => self.take_byline(tree, id),
            "datePublished" => push(&mut self.published, || date_of(tree, id)),
            "dateModified" => push(&mut self.modified, || date_of(tree, id)),
            "image" if self.images.len() < MAX_ELEMENTS => {
                let reference = ["content", "src", "href"];
                self.images
                    .extend(reference.iter().find_map(|name| tree.attr(id, name)));
            }
            _ => {}
        }
    }

    fn take_byline(&mut self, tree: &Tree, id: NodeId) {
        push(&mut self.bylines, || {
            let content = tree.attr(id, "content").and_then(line);
            content.or_else(|| text_of(tree, name_in(tree, id).unwrap_or(id)))
        });
    }
}

/// Adds a value to a list that is not full yet.
fn push(list: &mut Vec<String>, value: impl FnOnce() -> Option<String>) {
    if list.len() < MAX_ELEMENTS {
        // An empty value counts too: it bounds the number of searches.
        list.push(value().unwrap_or_default());
    }
}

/// The descendant that holds the name of what this element describes.
fn name_in(tree: &Tree, id: NodeId) -> Option<NodeId> {
    tree.subtree(id).take(MAX_NODES).find(|id| {
        tree.attr(*id, "itemprop")
            .is_some_and(|property| has_token(property, "name"))
    })
}

/// The date of an element: machine-readable if possible, otherwise its text.
fn date_of(tree: &Tree, id: NodeId) -> Option<String> {
    let written = tree
        .attr(id, "datetime")
        .or_else(|| tree.attr(id, "content"));
    written.and_then(line).or_else(|| text_of(tree, id))
}

/// The text of an element, with line breaks read as spaces.
fn text_of(tree: &Tree, id: NodeId) -> Option<String> {
    line_of(tree.subtree(id).take(MAX_NODES).map(|node| {
        let hidden = || {
            let parent = tree.parent(node).and_then(|parent| tree.tag(parent));
            matches!(parent, Some(Tag::Script | Tag::Style))
        };
        match (tree.text(node), tree.tag(node)) {
            (Some(text), _) if tree.is_html(node) && !hidden() => text,
            (None, Some(tag)) if tag == Tag::Br || tag.is_block() => " ",
            _ => "",
        }
    }))
}

/// Whether the element holds readers' comments, which have names and dates of their own.
fn is_comments(tree: &Tree, id: NodeId, tag: Tag) -> bool {
    if matches!(
        tag,
        Tag::Html | Tag::Head | Tag::Body | Tag::Main | Tag::Article
    ) {
        // A comment may be an article too, but then its type says so.
        return tree.attr(id, "itemtype").is_some_and(is_comment_type);
    }
    tree.attrs(id).any(|(name, value)| match name {
        "id" | "class" => has_token(value, "comments") || has_token(value, "comment"),
        "itemprop" => has_token(value, "comment"),
        "itemtype" => is_comment_type(value),
        _ => false,
    })
}

fn is_comment_type(itemtype: &str) -> bool {
    itemtype.ends_with("/Comment") || itemtype.ends_with("/UserComments")
}

fn has_token(list: &str, token: &str) -> bool {
    list.split_ascii_whitespace()
        .any(|part| part.eq_ignore_ascii_case(token))
}

/// Whether a media type is this one, ignoring its parameters.
fn is_kind(written: &str, kind: &str) -> bool {
    let essence = written.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(kind)
}

fn is_feed(kind: &str) -> bool {
    const FEEDS: &[&str] = &[
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
    ];
    FEEDS.iter().any(|feed| is_kind(kind, feed))
}
