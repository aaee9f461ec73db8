//! The rules of SVG and MathML: what a tag means there, and where they end.

use crate::rules::{check, summary};

#[test]
fn links_and_bases_in_svg() {
    check(&[
        ("<svg><a href=1></a></svg><a href=2>", "1 2"),
        ("<svg><a xlink:href=1></a></svg>", ""),
        ("<math><a href=1>", "1"),
        ("<svg><base href=1></svg><base href=2>", "[2]"),
        (
            "<svg><template><a href=1></template></svg><a href=2>",
            "1 2",
        ),
        ("<svg/><base href=1>", "[1]"),
        ("<svg><g/><base href=1></svg>", ""),
        ("<template><svg><a href=1></svg></template><a href=2>", "2"),
        ("<template><svg><g></template><base href=1>", "[1]"),
    ]);
}

#[test]
fn raw_text_elements_hold_markup_in_svg() {
    check(&[
        (
            "<svg><title><a href=1></title></svg><title><a href=2></title><a href=3>",
            "1 3",
        ),
        ("<svg><style><a href=1></style></svg><a href=2>", "1 2"),
        ("<svg><script><a href=1></script></svg><a href=2>", "1 2"),
        (
            "<svg><plaintext><a href=1></plaintext></svg><a href=2>",
            "1 2",
        ),
        ("<svg><script/><a href=1></svg>", "1"),
        (
            "<svg><foreignObject><style><a href=1></style></foreignObject></svg>",
            "",
        ),
        (
            "<svg><foreignobject><style></style></foreignobject><style><a href=1></style>",
            "1",
        ),
        (
            "<svg><desc><title><a href=1></title></desc><title><a href=2>",
            "2",
        ),
        (
            "<math><mi><style><a href=1></style></mi><style><a href=2></style></math>",
            "2",
        ),
        ("<math><annotation-xml><style><a href=1></style>", "1"),
        (
            "<math><annotation-xml encoding='TEXT/html'><style><a href=1></style>",
            "",
        ),
        ("<math><annotation-xml><svg><desc><style><a href=1>", ""),
        ("<math><mi><mglyph><style><a href=1></style>", "1"),
    ]);
}

#[test]
fn cdata_in_svg() {
    check(&[
        ("<svg><![CDATA[<a href=1>]]><a href=2>", "2"),
        ("<svg><![CDATA[ > ]] > <a href=1>]]></svg><a href=2>", "2"),
        ("<svg><desc><![CDATA[<a href=1>]]></desc>", ""),
        ("<svg><desc><p><![CDATA[ > <a href=1>]]></desc>", "1"),
        ("<math><mi><![CDATA[ > <a href=1>]]><a href=2>", "2"),
        ("<svg></svg><![CDATA[ > <a href=1>]]>", "1"),
        ("<svg><![CDATA[<a href=1>", ""),
    ]);
}

#[test]
fn where_svg_ends() {
    // A `<title>` shows it: in svg its link counts, in HTML it is text.
    check(&[
        ("<svg></svg><title><a href=1>", ""),
        ("<svg><g></g><title><a href=1>", "1"),
        ("<svg><g></svg><title><a href=1>", ""),
        ("<svg></x><title><a href=1>", "1"),
        ("<svg></body><title><a href=1>", "1"),
        ("<svg><p><title><a href=1>", ""),
        ("<svg></p><title><a href=1>", ""),
        ("<svg><g></br><title><a href=1>", ""),
        ("<svg><font><title><a href=1>", "1"),
        ("<svg><font size=1><title><a href=1>", ""),
        ("<div><svg><g></div><title><a href=1>", ""),
        ("<span><svg><g></span><title><a href=1>", ""),
        ("<a href=0><svg><g></a><title><a href=1>", "0"),
        ("<svg><desc><p></desc></svg><svg><title><a href=1>", "1"),
        ("<svg><desc><p>a<p>b</p></desc><title><a href=1>", "1"),
        ("<svg><desc><div></div></desc></svg><title><a href=1>", ""),
        ("<svg><title><title></title><style><a href=1></style>", ""),
        ("<svg><desc><br></desc></svg><title><a href=1>", ""),
        ("<svg><desc><svg></svg></desc><title><a href=1>", "1"),
        (
            "<svg><desc><ul><li>1<li>2</ul></desc><style><a href=1>",
            "1",
        ),
        (
            "<svg><desc><template></desc></template></desc><style><a href=1>",
            "1",
        ),
    ]);
}

#[test]
fn depth_is_counted_beyond_the_limit() {
    let deep = 10_000;
    let (open, close) = ("<g>".repeat(deep), "</g>".repeat(deep));
    let page =
        format!("<svg>{open}<a href=1>{close}<style><a href=2></style></svg><title><a href=3>");
    // The `a` is left open, so one of the end tags closes it.
    assert_eq!(summary(&page), "1 2");
}
