//! Plain text and selections.

use crawler_html::{Selection, Tag, Tree, to_inert_html, to_markdown, to_text};

use crate::{plain_text, resolve};

#[test]
fn text_has_line_breaks_where_needed() {
    for (html, expected) in [
        ("<h1>A</h1><p>b<br>c</p>", "A\n\nb\nc\n"),
        (
            "<ul><li>a<ol><li>b<li>c</ol><li>d</ul>",
            "- a\n  1. b\n  2. c\n- d\n",
        ),
        (
            "<table><tr><th>a<th>b<tr><td>c<td>d<br>e</table>",
            "a\tb\nc\td e\n",
        ),
        ("<pre>  a\n\tb  c</pre>", "  a\n\tb  c\n"),
        ("<blockquote><p>a<p>b</blockquote>", "a\n\nb\n"),
        ("<p>*a* _b_ &lt;c> [d](e)</p>", "*a* _b_ <c> [d](e)\n"),
        (
            "<p><a href=/x>link</a> <img src=/i alt=A> <b>b</b></p>",
            "link b\n",
        ),
        ("", ""),
    ] {
        assert_eq!(plain_text(html), expected, "{html}");
    }
}

#[test]
fn a_selection_decides_what_is_written() {
    let tree = Tree::parse("<div><p>a</p><p>b <i>c</i></p><p>d</p></div><ul><li>e<li>f</ul>");
    let paragraphs: Vec<_> = tree.find(Tag::P).collect();
    let emphasis = tree.find(Tag::I).next().unwrap();
    let entries: Vec<_> = tree.find(Tag::Li).collect();
    let root = tree.root();

    let selected = Selection::of(vec![paragraphs[1], paragraphs[0]], vec![emphasis]);
    assert_eq!(to_markdown(&tree, &selected, &resolve), "a\n\nb\n");
    assert_eq!(to_text(&tree, &selected), "a\n\nb\n");
    assert_eq!(
        to_inert_html(&tree, &selected, &resolve),
        "<p>a</p><p>b </p>\n"
    );

    let without = Selection::of(vec![root], vec![paragraphs[0], paragraphs[2], entries[0]]);
    assert_eq!(to_markdown(&tree, &without, &resolve), "b *c*\n\n- f\n");

    // A root inside a root is written once; an excluded root is not written.
    let nested = Selection::of(vec![root, paragraphs[1], emphasis], vec![]);
    assert_eq!(
        to_markdown(&tree, &nested, &resolve),
        to_markdown(&tree, &Selection::whole(root), &resolve)
    );
    let nothing = Selection::of(vec![paragraphs[0]], vec![paragraphs[0]]);
    assert_eq!(to_markdown(&tree, &nothing, &resolve), "");
    assert_eq!(
        to_markdown(&tree, &Selection::of(vec![], vec![]), &resolve),
        ""
    );

    // Parts of lists and tables can be written on their own.
    let entry = Selection::of(vec![entries[1]], vec![]);
    assert_eq!(to_markdown(&tree, &entry, &resolve), "- f\n");
    assert_eq!(
        to_text(&tree, &Selection::of(entries, vec![])),
        "- e\n- f\n"
    );
}

#[test]
fn unresolved_links_are_not_written() {
    let tree = Tree::parse("<p><a href=/x>a</a> <img src=/i alt=b> <video src=/v>c</video>");
    let whole = Selection::whole(tree.root());
    assert_eq!(to_markdown(&tree, &whole, &|_| None), "a b\n");
    assert_eq!(to_inert_html(&tree, &whole, &|_| None), "<p>a b </p>\n");
    // Not even if the resolver returns it.
    let run = |_: &str| Some("JavaScript:x".to_owned());
    assert_eq!(to_markdown(&tree, &whole, &run), "a b\n");
    assert_eq!(to_inert_html(&tree, &whole, &run), "<p>a b </p>\n");
}
