//! The same page in html5ever's own tree, without limits.
//!
//! Both trees are written in the same form: one line per node, indented by depth, adjacent texts joined,
//! comments and contents of templates left out.

use std::fmt::Write as _;

use crawler_html::{Node, Tree};
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, QualName, ns, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// The tree we build.
pub(crate) fn ours(page: &str) -> String {
    let tree = Tree::parse(page);
    let mut out = String::new();
    for id in tree.subtree(tree.root()) {
        let indent = tree.depth(id) as usize;
        match tree.node(id) {
            Node::Document => {}
            Node::Element(_) => {
                let marker = if tree.is_html(id) { "" } else { "~" };
                let attributes = tree
                    .attrs(id)
                    .map(|(name, value)| (name.to_owned(), value.to_owned()));
                element(
                    &mut out,
                    indent,
                    marker,
                    tree.name(id),
                    attributes.collect(),
                );
            }
            Node::Text(text) => writeln!(out, "{:indent$}{text:?}", "").unwrap(),
        }
    }
    out
}

/// The tree html5ever builds.
pub(crate) fn theirs(page: &str) -> String {
    let tree_builder = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let options = ParseOpts {
        tree_builder,
        ..ParseOpts::default()
    };
    let dom = parse_document(RcDom::default(), options).one(page);
    let mut out = String::new();
    let mut open = vec![(dom.document.clone(), 0)];
    let mut text: Option<(String, usize)> = None;
    while let Some((node, depth)) = open.pop() {
        if let NodeData::Text { contents } = &node.data {
            match &mut text {
                Some((joined, at)) if *at == depth => joined.push_str(&contents.borrow()),
                _ => {
                    flush(&mut out, &mut text);
                    text = Some((contents.borrow().to_string(), depth));
                }
            }
            continue;
        }
        if matches!(
            node.data,
            NodeData::Comment { .. } | NodeData::Doctype { .. }
        ) {
            continue;
        }
        flush(&mut out, &mut text);
        describe(&mut out, &node, depth);
        let children = node.children.borrow();
        open.extend(
            children
                .iter()
                .rev()
                .map(|child| (child.clone(), depth + 1)),
        );
    }
    flush(&mut out, &mut text);
    out
}

fn flush(out: &mut String, text: &mut Option<(String, usize)>) {
    if let Some((text, depth)) = text.take() {
        writeln!(out, "{:depth$}{text:?}", "").unwrap();
    }
}

fn describe(out: &mut String, node: &Handle, depth: usize) {
    let NodeData::Element { name, attrs, .. } = &node.data else {
        return;
    };
    let marker = if name.ns == ns!(html) { "" } else { "~" };
    let attributes = attrs
        .borrow()
        .iter()
        .map(|attribute| (spelling(&attribute.name), attribute.value.to_string()))
        .collect();
    element(out, depth, marker, &name.local, attributes);
}

fn spelling(name: &QualName) -> String {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => format!("{prefix}:{}", name.local),
        _ => name.local.to_string(),
    }
}

fn element(
    out: &mut String,
    indent: usize,
    marker: &str,
    name: &str,
    attributes: Vec<(String, String)>,
) {
    write!(out, "{:indent$}{marker}<{name}>", "").unwrap();
    for (name, value) in attributes {
        write!(out, " {name}={value:?}").unwrap();
    }
    out.push('\n');
}
