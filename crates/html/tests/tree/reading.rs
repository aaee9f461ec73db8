//! Reading a tree.

use crawler_html::{CharsetSource, Node, Tag, Tree};

#[test]
fn tags_names_attributes_and_text() {
    let tree = Tree::parse("<p CLASS=x class=y data-Z='&lt;é'>hi<x-el>");
    let p = tree.find(Tag::P).next().unwrap();
    assert_eq!(tree.node(p), Node::Element(Tag::P));
    assert_eq!(tree.name(p), "p");
    assert_eq!(tree.attr(p, "class"), Some("x"));
    assert_eq!(tree.attr(p, "data-z"), Some("<é"));
    assert_eq!(tree.attr(p, "id"), None);
    let text = tree.first_child(p).unwrap();
    assert_eq!(tree.node(text), Node::Text("hi"));
    assert_eq!((tree.tag(text), tree.name(text)), (None, ""));
    assert_eq!(tree.attrs(text).count(), 0);
    assert!(tree.is_html(text));
    let custom = tree.next_sibling(text).unwrap();
    assert_eq!(tree.node(custom), Node::Element(Tag::Other));
    assert_eq!(tree.name(custom), "x-el");
    assert_eq!(tree.node(tree.root()), Node::Document);
    assert_eq!(tree.text(tree.root()), None);
    assert_eq!(tree.parent(tree.root()), None);
    assert_eq!(tree.next_sibling(tree.root()), None);
}

#[test]
fn text_in_svg_is_not_html() {
    let tree = Tree::parse("<svg><text>a</text></svg>b");
    let html: Vec<bool> = tree
        .subtree(tree.root())
        .filter(|id| tree.text(*id).is_some())
        .map(|id| tree.is_html(id))
        .collect();
    assert_eq!(html, [false, true]);
}

#[test]
fn bytes_are_decoded_with_the_declared_charset() {
    let (tree, charset) = Tree::parse_bytes(b"<p>caf\xE9", Some("latin1"), None);
    assert_eq!(charset.source, CharsetSource::Header);
    let text: Vec<_> = tree
        .subtree(tree.root())
        .filter_map(|id| tree.text(id))
        .collect();
    assert_eq!(text, ["café"]);
    let (tree, charset) = Tree::parse_bytes(b"\xEF\xBB\xBF<p>\xC3\xA9\xFF", None, None);
    assert_eq!(charset.source, CharsetSource::Bom);
    let text: Vec<_> = tree
        .subtree(tree.root())
        .filter_map(|id| tree.text(id))
        .collect();
    assert_eq!(text, ["é\u{FFFD}"]);
}

#[test]
fn a_tree_is_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let tree = Tree::parse("<p>x");
    shared(&tree);
    assert_eq!(
        format!("{tree:?}"),
        "Tree { nodes: 6, text: 1, truncated: false, .. }"
    );
}
