//! The links of a page as its tree has them, in the order of the page.
//!
//! The scanner's resort on pages whose markup it cannot follow alone. The tree moves elements and
//! clones them; what is told here is neither moved nor told twice: every tag of a link keeps its
//! attributes once, in the order in which tags were read, and clones share them.

use super::draft::{Draft, DraftNode, Kind};
use super::flatten::FlatAttribute;
use super::{NONE, Tag, feed};
use crate::scan::{Found, Link};

/// Says every link and base of the decoded page but the first `known`, which are said already.
/// False, and nothing is said, when a guard dropped something: the tree is not that of the page.
pub(crate) fn links(text: &str, known: usize, each: &mut dyn FnMut(Found<'_>)) -> bool {
    let (draft, cut) = feed::draft(text);
    if cut {
        return false;
    }
    let mut found = in_document(&draft);
    found.sort_unstable_by_key(|(start, _)| *start);
    found.dedup_by_key(|(start, _)| *start);
    for (_, node) in found.into_iter().skip(known) {
        tell(&draft, node, each);
    }
    true
}

/// The elements with attributes that may be links or bases, with the place of those attributes;
/// what is in a template is not in the document.
fn in_document(draft: &Draft) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let node = &draft.nodes[at as usize];
        if is_link(draft, node) && value(draft, node, "href").is_some() {
            found.push((node.start, at));
        }
        at = match node.first {
            NONE => match behind(draft, at) {
                Some(next) => next,
                None => return found,
            },
            first => first,
        };
    }
}

/// The next node that is not below this one.
fn behind(draft: &Draft, mut at: u32) -> Option<u32> {
    loop {
        let node = &draft.nodes[at as usize];
        if node.next != NONE {
            return Some(node.next);
        }
        if node.parent == NONE {
            return None;
        }
        at = node.parent;
    }
}

fn is_link(draft: &Draft, node: &DraftNode) -> bool {
    let Kind::Element(kind) = node.kind else {
        return false;
    };
    matches!(draft.elements.kinds[kind as usize].tag, Tag::A | Tag::Base)
}

fn value<'d>(draft: &'d Draft, node: &DraftNode, name: &str) -> Option<&'d str> {
    let attributes: &[FlatAttribute] =
        &draft.attributes[node.start as usize..][..node.length as usize];
    let attribute = attributes
        .iter()
        .find(|attribute| &*draft.names.spellings[attribute.name as usize] == name)?;
    Some(&draft.text[attribute.start as usize..][..attribute.length as usize])
}

fn tell(draft: &Draft, id: u32, each: &mut dyn FnMut(Found<'_>)) {
    let node = &draft.nodes[id as usize];
    let Some(href) = value(draft, node, "href") else {
        return;
    };
    if draft.html_tag(id) == Tag::Base {
        return each(Found::Base(href));
    }
    let rel = value(draft, node, "rel").unwrap_or_default();
    let mut tokens = rel.split_ascii_whitespace();
    each(Found::Link(Link {
        href,
        nofollow: tokens.any(|token| token.eq_ignore_ascii_case("nofollow")),
        download: value(draft, node, "download").is_some(),
    }));
}
