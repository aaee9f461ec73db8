//! The real address of an image.
//!
//! Pages that load images lazily put a placeholder in `src` and the address elsewhere. The order: the
//! attribute a loading script would read, then a genuine `src`, then the first candidate of a `srcset`.

use crate::tree::{NodeId, Tag, Tree};

/// Attributes where loading scripts keep the address, most common first.
const LAZY_ATTRIBUTES: [&str; 8] = [
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-lazy",
    "data-actualsrc",
    "data-original-src",
    "data-hi-res-src",
    "data-url",
];
/// The same for candidate lists.
const LAZY_SRCSETS: [&str; 2] = ["data-srcset", "data-lazy-srcset"];
/// Number of sources of a `picture` that are read.
const MAX_SOURCES: usize = 16;

/// The address of an image, as written on the page.
pub(crate) fn image_source(tree: &Tree, id: NodeId) -> Option<&str> {
    LAZY_ATTRIBUTES
        .iter()
        .find_map(|name| tree.attr(id, name).and_then(usable))
        .filter(|address| address.contains(['/', '.']))
        .or_else(|| {
            LAZY_SRCSETS
                .iter()
                .find_map(|name| first_of_set(tree, id, name))
        })
        .or_else(|| tree.attr(id, "src").and_then(usable))
        .or_else(|| first_of_set(tree, id, "srcset"))
        .or_else(|| from_picture(tree, id))
}

/// Whether the image is a tracking pixel, not meant to be seen.
pub(crate) fn is_tracking_pixel(tree: &Tree, id: NodeId) -> bool {
    let tiny = |name| {
        tree.attr(id, name)
            .is_some_and(|size| matches!(size.trim().trim_end_matches("px"), "0" | "1"))
    };
    tiny("width") && tiny("height")
}

/// Whether a `noscript` shows an image that the page does not show beside it.
pub(crate) fn shows_missing_image(tree: &Tree, noscript: NodeId) -> bool {
    let shows = |id: NodeId| {
        tree.subtree(id)
            .take(MAX_SOURCES)
            .any(|id| tree.tag(id) == Some(Tag::Img) && image_source(tree, id).is_some())
    };
    // The nearest element on either side, ignoring white space between them.
    let before = std::iter::successors(tree.prev_sibling(noscript), |&id| tree.prev_sibling(id))
        .take(2)
        .find(|&id| tree.tag(id).is_some());
    let after = std::iter::successors(tree.next_sibling(noscript), |&id| tree.next_sibling(id))
        .take(2)
        .find(|&id| tree.tag(id).is_some());
    shows(noscript) && !before.is_some_and(shows) && !after.is_some_and(shows)
}

/// The first source of a video or audio, its own or that of a `source` inside it.
pub(crate) fn media_source(tree: &Tree, id: NodeId) -> Option<&str> {
    ["src", "data-src", "data-lazy-src", "data"]
        .iter()
        .find_map(|name| tree.attr(id, name).and_then(usable))
        .or_else(|| {
            tree.children(id)
                .take(MAX_SOURCES)
                .filter(|&child| tree.tag(child) == Some(Tag::Source))
                .find_map(|child| tree.attr(child, "src").and_then(usable))
        })
}

fn from_picture(tree: &Tree, id: NodeId) -> Option<&str> {
    let picture = tree.parent(id)?;
    if tree.tag(picture) != Some(Tag::Picture) {
        return None;
    }
    tree.children(picture)
        .take(MAX_SOURCES)
        .filter(|&child| tree.tag(child) == Some(Tag::Source))
        .find_map(|child| {
            first_of_set(tree, child, "srcset").or_else(|| first_of_set(tree, child, "data-srcset"))
        })
}

/// Returns an address unless it is inline data or a placeholder.
fn usable(written: &str) -> Option<&str> {
    let written = written.trim();
    let is_data = written
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("data:"));
    let is_real = !written.is_empty()
        && !is_data
        && !written.starts_with("about:")
        && !written.starts_with("blob:");
    is_real.then_some(written)
}

/// The first address of a list such as `a.jpg 1x, b.jpg 2x`. Addresses may themselves contain commas.
fn first_of_set<'t>(tree: &'t Tree, id: NodeId, name: &str) -> Option<&'t str> {
    let set = tree.attr(id, name)?;
    set.split_ascii_whitespace()
        .map(|word| word.trim_matches(','))
        .find(|word| !word.is_empty())
        .and_then(usable)
}
