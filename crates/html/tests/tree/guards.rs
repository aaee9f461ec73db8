//! Limits for extreme pages: what is dropped and what is kept.

use crawler_html::{Tag, Tree};

use crate::numbered;
use crate::random_pages::check;

fn text(tree: &Tree) -> String {
    tree.subtree(tree.root())
        .filter_map(|id| tree.text(id))
        .collect()
}

fn count(tree: &Tree, tag: Tag) -> usize {
    tree.find(tag).count()
}

fn depth(tree: &Tree) -> u32 {
    tree.subtree(tree.root())
        .map(|id| tree.depth(id))
        .max()
        .unwrap_or_default()
}

/// Parses a page and checks the invariants of the tree.
fn parse(page: &str) -> Tree {
    let tree = Tree::parse(page);
    check(&tree).unwrap();
    assert!(depth(&tree) < 640, "{}", depth(&tree));
    tree
}

#[test]
fn five_hundred_levels_are_kept() {
    let tree = parse(&format!(
        "{}x{}y",
        "<div>".repeat(500),
        "</div>".repeat(500)
    ));
    assert!(!tree.is_truncated());
    assert_eq!(count(&tree, Tag::Div), 500);
    assert_eq!(text(&tree), "xy");
}

#[test]
fn beyond_the_depth_text_links_and_images_stay() {
    let deep = "<div>".repeat(10_000);
    let close = "</div>".repeat(10_000);
    let page = format!("{deep}a<a href=1>b</a><p>c<img src=2><br>{close}<p id=after>d");
    let tree = parse(&page);
    assert!(tree.is_truncated());
    assert_eq!(text(&tree), "abcd");
    assert_eq!(count(&tree, Tag::A), 1);
    assert_eq!(count(&tree, Tag::Img), 1);
    assert!(count(&tree, Tag::Div) > 500);
    // The end tags of dropped elements were dropped too: after them we are at the top level again.
    let after = tree.find(Tag::P).find(|id| tree.attr(*id, "id").is_some());
    assert_eq!(tree.depth(after.unwrap()), 3);
}

#[test]
fn beyond_the_depth_end_tags_match_their_elements() {
    // A dropped element that is never closed ends with the element it is in.
    let deep = "<div>".repeat(505);
    let page = format!(
        "{deep}<section><i><ul><li><b><p>a</section>{}<p>b",
        "</div>".repeat(505)
    );
    let tree = parse(&page);
    let last = tree.find(Tag::P).last().unwrap();
    assert_eq!(tree.depth(last), 3);
    assert_eq!(text(&tree), "ab");
}

#[test]
fn beyond_the_depth_scripts_are_still_scripts() {
    let deep = "<div>".repeat(600);
    let tree = parse(&format!("{deep}<script>'<p>'</script><style><p></style>x"));
    assert_eq!(count(&tree, Tag::P), 0);
    assert_eq!(count(&tree, Tag::Script), 1);
    assert_eq!(text(&tree), "'<p>'<p>x");
}

#[test]
fn beyond_the_depth_templates_stay_hidden() {
    let deep = "<div>".repeat(600);
    let inside = "a<template>b</template><script>'</template>'</script>c";
    let tree = parse(&format!("{deep}<template>{inside}</template>d"));
    assert_eq!(text(&tree), "d");
    let tree = parse(&format!("{}a", "<template>".repeat(10_000)));
    assert_eq!(text(&tree), "");
}

#[test]
fn nesting_in_svg_is_limited() {
    for name in ["script", "input", "g", "a", "foreignObject"] {
        let tree = parse(&format!("<svg>{}x", format!("<{name}>").repeat(5_000)));
        assert!(tree.is_truncated(), "{name}");
    }
}

#[test]
fn nesting_of_tables_is_limited() {
    let tree = parse(&"<table><tr>x<td>".repeat(5_000));
    assert!(tree.is_truncated());
    assert_eq!(text(&tree).len(), 5_000);
}

#[test]
fn attributes_beyond_256_are_dropped() {
    let many = numbered(" a#='>'", 1_000);
    let tree = parse(&format!("x<p{many} /><b>y</b{many}>z<img{many}"));
    assert!(tree.is_truncated());
    let p = tree.find(Tag::P).next().unwrap();
    assert_eq!(tree.attrs(p).count(), 256);
    assert_eq!(tree.attr(p, "a255"), Some(">"));
    assert_eq!(text(&tree), "xyz");
    assert_eq!(count(&tree, Tag::Img), 0);

    let exactly = numbered(" a#", 256);
    let tree = parse(&format!("<p{exactly}>x"));
    assert!(!tree.is_truncated());
    // Not a tag, so there is nothing to drop.
    let tree = parse(&format!("<!-- <p{many}> --><script>'<p{many}>'</script>"));
    assert!(!tree.is_truncated());
    let tree = parse(&format!("<svg><![CDATA[<p{many}>]]></svg>"));
    assert!(!tree.is_truncated());
    assert!(text(&tree).contains("a999"));
}

#[test]
fn html_tags_add_no_more_than_256_attributes() {
    let tree = parse(&numbered("<html a#>", 1_000));
    assert!(tree.is_truncated());
    let html = tree.find(Tag::Html).next().unwrap();
    assert_eq!(tree.attrs(html).count(), 256);
}

#[test]
fn formatting_nests_no_deeper_than_64() {
    let tree = parse(&format!("{}x", "<i><b>".repeat(1_000)));
    assert!(tree.is_truncated());
    assert_eq!(count(&tree, Tag::I) + count(&tree, Tag::B), 64);
    assert_eq!(text(&tree), "x");
    // In a cell the count starts again.
    let cell = format!("{}<table><td>", "<i>".repeat(40));
    let tree = parse(&cell.repeat(4));
    assert!(!tree.is_truncated());
    assert_eq!(count(&tree, Tag::I), 160);
}

#[test]
fn clones_of_formatting_do_not_outgrow_the_page() {
    let open = numbered("<b id=#>", 60);
    let page = format!("<p>{open}</p>{}", "<p>x".repeat(100_000));
    let tree = parse(&page);
    assert!(tree.is_truncated());
    assert!(count(&tree, Tag::B) < 400_000);
    assert_eq!(text(&tree).len(), 100_000);
    assert_eq!(count(&tree, Tag::P), 100_001);
}

#[test]
fn a_normal_page_is_not_truncated() {
    // Old pages leave formatting open: it is reopened in every paragraph.
    let seven = numbered("<p><font size=#>text <b>bold", 7);
    let tree = parse(&seven.repeat(70));
    assert!(!tree.is_truncated());
    assert_eq!(text(&tree), "text bold".repeat(490));
}
