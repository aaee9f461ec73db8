//! Minimized pages on which scanner and tree once differed.

use crate::compare;

const PAGES: &[&str] = &[
    // A frameset replaces the body together with the links before it.
    "<a href=1><frameset><a href=2>",
    "<frameset><script></frameset><a href=1></script>",
    "<base href=1><frameset><noframes><a href=2></noframes>",
    "<p><base href=1><frameset>",
    "<body><a href=1><frameset><a href=2>",
    "<template></template><frameset><a href=1>",
    // A `col` in a template makes it ignore what follows, including raw text.
    "<template><col><title></template><a href=1></title><a href=2>",
    // A marker left open in a template lets a link escape.
    "<template><a href=1><object></template>x<a href=2>",
    "<template><a href=1><table><td></template>x",
    "<template><a href=1><div><div><div><div><div><div><div><div><div></a><object></template>x",
    // End tags in svg that may close something around it.
    "<svg></div><title><a href=1></title>",
    "<div><svg></div><title><a href=1></title>",
    "<p><svg></section></svg><title><a href=1></title>",
    // Formatting reopened in a title, whose end tag then closes nothing.
    "<p><b></p><svg><title>x</title><style><a href=1></style>",
    "<p><b></p><svg><title>x</title></svg></b></title><style><a href=1></style>",
    // HTML in SVG and MathML.
    "<svg><foreignObject><p></foreignObject><style><a href=1></style>",
    "<math><mi><b></mi><style><a href=1></style>",
    "<math><annotation-xml encoding=text&#47;html><style><a href=1></style>",
    // A byte order mark that is text, so that a frameset no longer counts.
    "<script></script>\u{feff}<a href=1><frameset>",
    "\u{feff}\u{feff}<a href=1><frameset>",
    // Two spellings of one name.
    "<svg><g\0><title></title></g\u{fffd}></svg><title><a href=1></title>",
];

#[test]
fn regressions() {
    for page in PAGES {
        assert_eq!(compare(page.as_bytes()), None, "{page:?}");
    }
}
