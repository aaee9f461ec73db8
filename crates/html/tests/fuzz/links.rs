//! For any bytes, the scanner finds the links that the tree has.
//!
//! This file is also the body of a fuzz target, so it uses only the public API of the crate.
//!
//! Compared as sets, because the tree moves and clones elements. Pages so extreme that the tree was cut short
//! are left out.

use std::collections::BTreeSet;

use crawler_html::{ScanEvent, Tag, Tree, charset, scan_links};

/// Panics if the two disagree about the page.
pub(crate) fn check(page: &[u8]) {
    let (tree, read_as) = Tree::parse_bytes(page, None, None);
    assert_eq!(read_as.encoding, charset(page, None, None).encoding);
    let mut found = BTreeSet::new();
    scan_links(page, read_as.encoding, |fact| match fact {
        ScanEvent::Base(href) => {
            found.insert(("base", href.to_owned(), false, false));
        }
        ScanEvent::Link(link) => {
            found.insert(("a", link.href.to_owned(), link.nofollow, link.download));
        }
    });
    if tree.is_truncated() {
        return;
    }
    assert_eq!(found, of_tree(&tree), "scanner and tree");
}

fn of_tree(tree: &Tree) -> BTreeSet<(&'static str, String, bool, bool)> {
    let mut facts = BTreeSet::new();
    for id in tree.subtree(tree.root()) {
        let Some(href) = tree.attr(id, "href") else {
            continue;
        };
        match tree.tag(id) {
            Some(Tag::A) => {
                let rel = tree.attr(id, "rel").unwrap_or_default();
                let mut tokens = rel.split_ascii_whitespace();
                let nofollow = tokens.any(|token| token.eq_ignore_ascii_case("nofollow"));
                let download = tree.attr(id, "download").is_some();
                facts.insert(("a", href.to_owned(), nofollow, download));
            }
            Some(Tag::Base) => {
                facts.insert(("base", href.to_owned(), false, false));
            }
            _ => {}
        }
    }
    facts
}
