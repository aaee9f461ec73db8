//! The links of a page according to its tree, in document order.
//!
//! The scanner falls back to this on pages whose markup it cannot follow alone. The tree moves and clones
//! elements; here every link is reported once and in place: every link tag stores its attributes once, in the
//! order in which tags were read, and clones share them.

use super::draft::{Draft, DraftKind, DraftNode};
use super::flatten::FlatAttribute;
use super::guard::MAX_LINK_DEPTH;
use super::{NONE, Tag, feed};
use crate::scan::{Link, ScanEvent};

/// Reports every link and base of the decoded page except the first `known`, which have been reported already.
/// Returns false and reports nothing if a limit caused something to be dropped, because then the tree is not
/// that of the page.
pub(crate) fn links(text: &str, known: usize, each: &mut dyn FnMut(ScanEvent<'_>)) -> bool {
    let (draft, truncated) = feed::draft(text, MAX_LINK_DEPTH);
    if truncated {
        return false;
    }
    let mut found = in_document(&draft);
    found.sort_unstable_by_key(|(start, _)| *start);
    found.dedup_by_key(|(start, _)| *start);
    for (_, node) in found.into_iter().skip(known) {
        report(&draft, node, each);
    }
    true
}

/// The link and base elements with an `href`, with the position of their attributes. The content of templates
/// is not part of the document.
fn in_document(draft: &Draft) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let node = &draft.nodes[at as usize];
        if is_link(draft, node) && value(draft, node, "href").is_some() {
            found.push((node.start, at));
        }
        at = match node.first {
            NONE => match next_outside(draft, at) {
                Some(next) => next,
                None => return found,
            },
            first => first,
        };
    }
}

/// The next node that is not a descendant of this one.
fn next_outside(draft: &Draft, mut at: u32) -> Option<u32> {
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
    let DraftKind::Element(kind) = node.kind else {
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

fn report(draft: &Draft, id: u32, each: &mut dyn FnMut(ScanEvent<'_>)) {
    let node = &draft.nodes[id as usize];
    let Some(href) = value(draft, node, "href") else {
        return;
    };
    if draft.html_tag(id) == Tag::Base {
        return each(ScanEvent::Base(href));
    }
    let rel = value(draft, node, "rel").unwrap_or_default();
    let mut tokens = rel.split_ascii_whitespace();
    each(ScanEvent::Link(Link {
        href,
        nofollow: tokens.any(|token| token.eq_ignore_ascii_case("nofollow")),
        download: value(draft, node, "download").is_some(),
    }));
}
