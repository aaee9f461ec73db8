//! The links that a full HTML parser finds on the same page.
//!
//! Compared as sets. The parser's tree moves elements (links between table rows leave the table) and clones
//! them (an `a` left open across paragraphs appears in each), so order and number differ by design; our order
//! is that of the bytes.

use std::collections::BTreeSet;

use crawler_html::{ScanEvent, scan_links};
use encoding_rs::UTF_8;
use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, ns, parse_document};
use markup5ever_rcdom::{NodeData, RcDom};

/// A link or base in comparable form.
pub(crate) type LinkFact = (&'static str, String, bool, bool);

/// The links we find, in the order we report them.
pub(crate) fn in_order(page: &[u8]) -> Vec<LinkFact> {
    let mut facts = Vec::new();
    scan_links(page, UTF_8, |found| {
        facts.push(match found {
            ScanEvent::Base(href) => ("base", href.to_owned(), false, false),
            ScanEvent::Link(link) => ("a", link.href.to_owned(), link.nofollow, link.download),
        });
    });
    facts
}

/// The links the parser finds: every `a[href]`, and every HTML `base[href]`, outside templates.
pub(crate) fn theirs(page: &str) -> BTreeSet<LinkFact> {
    let tree_builder = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    // With this option the tokenizer would also drop a byte order mark after every script, where it is text.
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
    // Keep the tree alive during the walk: dropping a node empties everything below it.
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
