//! The structure of a parsed page: repair, implied tags, tables, SVG and MathML.

use std::fmt::Write as _;

use crawler_html::{Tag, Tree, WalkEvent};

/// The content of the body in short form: `p[b["x"]]`, with SVG and MathML elements marked by `~`.
fn inside(page: &str, root: &str) -> String {
    let tree = Tree::parse(page);
    let id = tree
        .subtree(tree.root())
        .find(|id| tree.name(*id) == root)
        .unwrap();
    let mut out = String::new();
    for event in tree.walk(id) {
        match event {
            WalkEvent::Enter(node) | WalkEvent::Leave(node) if node == id => {}
            WalkEvent::Enter(node) => {
                if tree.prev_sibling(node).is_some() {
                    out.push(' ');
                }
                if let Some(text) = tree.text(node) {
                    write!(out, "{text:?}").unwrap();
                    continue;
                }
                out.push_str(if tree.is_html(node) { "" } else { "~" });
                out.push_str(tree.name(node));
                for (name, value) in tree.attrs(node) {
                    write!(out, ".{name}={value}").unwrap();
                }
                if tree.first_child(node).is_some() {
                    out.push('[');
                }
            }
            WalkEvent::Leave(node) if tree.first_child(node).is_some() => out.push(']'),
            WalkEvent::Leave(_) => {}
        }
    }
    out
}

#[track_caller]
fn table(rows: &[(&str, &str)]) {
    for (page, expected) in rows {
        assert_eq!(inside(page, "body"), *expected, "{page}");
    }
}

#[test]
fn every_page_has_html_head_and_body() {
    for page in [
        "",
        "x",
        "<p>",
        "<!-- -->",
        "</html>",
        "<body>",
        "<title>t</title>",
    ] {
        let tree = Tree::parse(page);
        let names: Vec<&str> = tree.subtree(tree.root()).map(|id| tree.name(id)).collect();
        assert_eq!(names[..3], ["", "html", "head"], "{page:?}");
        assert!(names.contains(&"body"), "{page:?}");
        assert!(!tree.is_empty() && !tree.is_truncated());
    }
}

#[test]
fn open_elements_are_closed() {
    table(&[
        ("<p>a<p>b", r#"p["a"] p["b"]"#),
        ("<ul><li>a<li>b</ul>c", r#"ul[li["a"] li["b"]] "c""#),
        ("<dl><dt>a<dd>b<dt>c", r#"dl[dt["a"] dd["b"] dt["c"]]"#),
        ("<p>a<div>b</div>c", r#"p["a"] div["b"] "c""#),
        ("<div><span>a</div>b", r#"div[span["a"]] "b""#),
        ("a</p>b", r#""a" p "b""#),
        ("a<br/>b</br>c<hr>d", r#""a" br "b" br "c" hr "d""#),
        (
            "<select><option>a<option>b</select>",
            r#"select[option["a"] option["b"]]"#,
        ),
        ("<h1>a<h2>b</h2>", r#"h1["a"] h2["b"]"#),
        ("<pre>\n\na</pre>", r#"pre["\na"]"#),
        ("<image src=i>", "img.src=i"),
    ]);
}

#[test]
fn formatting_reaches_across_blocks() {
    table(&[
        ("<b>a<p>b</b>c", r#"b["a"] p[b["b"] "c"]"#),
        ("<p><b>a<p>b", r#"p[b["a"]] p[b["b"]]"#),
        ("<p><b id=1>a<p>b", r#"p[b.id=1["a"]] p[b.id=1["b"]]"#),
        ("<a href=1>a<a href=2>b", r#"a.href=1["a"] a.href=2["b"]"#),
        ("<a href=1><div>a</div></a>", r#"a.href=1[div["a"]]"#),
        ("<b><i>a</b>b</i>c", r#"b[i["a"]] i["b"] "c""#),
        (
            "<p><b><b><b><b>a<p>b",
            r#"p[b[b[b[b["a"]]]]] p[b[b[b["b"]]]]"#,
        ),
        (
            "<p><b id=1 x><b id=1 x><b id=1 x><b id=1 x><p>b",
            r#"p[b.id=1.x=[b.id=1.x=[b.id=1.x=[b.id=1.x=]]]] p[b.id=1.x=[b.id=1.x=[b.id=1.x=["b"]]]]"#,
        ),
    ]);
}

#[test]
fn tables_are_completed_and_cleaned() {
    table(&[
        ("<table><td>a<td>b", r#"table[tbody[tr[td["a"] td["b"]]]]"#),
        (
            "<table>a<tr>b<td>c</table>",
            r#""ab" table[tbody[tr[td["c"]]]]"#,
        ),
        (
            "<table><a href=1>x</a><tr><td>y",
            r#"a.href=1["x"] table[tbody[tr[td["y"]]]]"#,
        ),
        (
            "<table><tr><td>a<table><td>b</table>c",
            r#"table[tbody[tr[td["a" table[tbody[tr[td["b"]]]] "c"]]]]"#,
        ),
        ("<tr><td>a", r#""a""#),
        (
            "<table><caption>a<tr><th>b",
            r#"table[caption["a"] tbody[tr[th["b"]]]]"#,
        ),
        ("<table><col><col></table>", "table[colgroup[col col]]"),
        ("a<table>b</table>c", r#""ab" table "c""#),
    ]);
}

#[test]
fn svg_and_math_are_kept_apart() {
    table(&[
        (
            "<svg><path d=1 /><title>a</title></svg>b",
            r#"~svg[~path.d=1 ~title["a"]] "b""#,
        ),
        (
            "<svg viewbox=1 xlink:href=2><g>",
            "~svg.viewBox=1.xlink:href=2[~g]",
        ),
        ("<svg><p>a", r#"~svg p["a"]"#),
        (
            "<svg><foreignobject><p>a</p></svg>b",
            r#"~svg[~foreignObject[p["a"]]] "b""#,
        ),
        ("<math><mi>x</mi></math>", r#"~math[~mi["x"]]"#),
        ("<svg><![CDATA[<b>]]></svg>", r#"~svg["<b>"]"#),
        (
            "<svg><a xlink:href=1 href=2>x</a></svg>",
            r#"~svg[~a.xlink:href=1.href=2["x"]]"#,
        ),
        ("<svg><font>x</font></svg>", r#"~svg[~font["x"]]"#),
        (
            "<svg><font size=1>x</font></svg>",
            r#"~svg font.size=1["x"]"#,
        ),
    ]);
    let tree = Tree::parse("<svg><title>t</title><a href=x></a><style>s</style></svg><title>u");
    let tags: Vec<_> = tree
        .subtree(tree.root())
        .filter_map(|id| tree.tag(id))
        .collect();
    assert_eq!(
        tags[3..],
        [Tag::Svg, Tag::Other, Tag::A, Tag::Other, Tag::Title]
    );
}

#[test]
fn invisible_content() {
    table(&[
        ("<p>a<!-- b -->c", r#"p["ac"]"#),
        ("<p><template><p>a</template>b", r#"p[template "b"]"#),
        (
            "<p>a<template><script></script></template><b>",
            "p[\"a\" template b]",
        ),
        (
            "<p><noscript><img src=i></noscript>",
            "p[noscript[img.src=i]]",
        ),
        ("<script>if (a < b) '<p>'</script>c", r#""c""#),
    ]);
    assert_eq!(
        inside(
            "<script type=application/ld+json>{\"a\": \"&amp;<b>\"}</script>",
            "head"
        ),
        r#"script.type=application/ld+json["{\"a\": \"&amp;<b>\"}"]"#
    );
    assert_eq!(
        inside(
            "<head><noscript><link rel=x></noscript><style>p{}</style>",
            "head"
        ),
        r#"noscript[link.rel=x] style["p{}"]"#
    );
}

#[test]
fn html_and_body_collect_attributes() {
    let tree = Tree::parse("<html a=1><body b=2><html a=3 c=4><body b=5 d=6>");
    let attributes = |name| {
        let id = tree.subtree(tree.root()).find(|id| tree.name(*id) == name);
        tree.attrs(id.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(attributes("html"), [("a", "1"), ("c", "4")]);
    assert_eq!(attributes("body"), [("b", "2"), ("d", "6")]);
}
