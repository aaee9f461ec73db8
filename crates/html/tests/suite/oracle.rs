//! What a full HTML parser finds on the same page.
//!
//! Compared as sets. The parser's tree moves elements (links between table rows leave the table)
//! and clones them (an `a` left open across paragraphs appears in each), so order and number differ
//! by design; our order is that of the bytes.

use std::collections::BTreeSet;

use encoding_rs::UTF_8;
use html::{Found, scan_links};
use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, ns, parse_document};
use markup5ever_rcdom::{NodeData, RcDom};

/// A link or base, comparable.
pub(crate) type Fact = (&'static str, String, bool, bool);

/// What we find, in the order we say it.
pub(crate) fn in_order(page: &[u8]) -> Vec<Fact> {
    let mut facts = Vec::new();
    scan_links(page, UTF_8, |found| {
        facts.push(match found {
            Found::Base(href) => ("base", href.to_owned(), false, false),
            Found::Link(link) => ("a", link.href.to_owned(), link.nofollow, link.download),
        });
    });
    facts
}

/// What the parser finds: every `a[href]`, and every `base[href]` of HTML, outside templates.
pub(crate) fn theirs(page: &str) -> BTreeSet<Fact> {
    let tree_builder = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    // asked to, the tokenizer drops a byte order mark behind every script too, where it is text
    let tokenizer = TokenizerOpts {
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let options = ParseOpts {
        tokenizer,
        tree_builder,
    };
    let page = page.strip_prefix('\u{feff}').unwrap_or(page);
    let dom = parse_document(RcDom::default(), options).one(page);
    let mut facts = BTreeSet::new();
    // the tree stays alive beside the walk: a node that is dropped empties all below it
    let mut open = vec![dom.document.clone()];
    while let Some(node) = open.pop() {
        open.extend(node.children.borrow().iter().cloned());
        let NodeData::Element { name, attrs, .. } = &node.data else {
            continue;
        };
        let attributes = attrs.borrow();
        let value = |wanted: &str| {
            let plain = attributes
                .iter()
                .filter(|attribute| attribute.name.ns == ns!());
            let mut named = plain.filter(|attribute| &*attribute.name.local == wanted);
            named.next().map(|attribute| attribute.value.to_string())
        };
        let Some(href) = value("href") else {
            continue;
        };
        match &*name.local {
            "a" => {
                let rel = value("rel").unwrap_or_default().to_ascii_lowercase();
                let nofollow = rel
                    .split_ascii_whitespace()
                    .any(|token| token == "nofollow");
                facts.insert(("a", href, nofollow, value("download").is_some()));
            }
            "base" if name.ns == ns!(html) => {
                facts.insert(("base", href, false, false));
            }
            _ => {}
        }
    }
    facts
}
