//! Random pages, compared with the oracle.
//!
//! Pages are sequences of fragments that open, close or break something. Every link has a unique name, so sets
//! compare exactly. The seed is fixed, so failures are reproducible. Nothing is left out; `tests/agree`
//! generates many more pages of more kinds.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use crate::agreement::ours;
use crate::link_tags::{LINKS, number_links};
use crate::oracle::theirs;

#[rustfmt::skip]
const TAGS: &[&str] = &[
    "</a>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<span title='>'>",
    "</span>",
    "<b>",
    "</b>",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "</td>",
    "<ul>",
    "<li>",
    "</ul>",
    "<select>",
    "</select>",
    "<option>",
    "<noscript>",
    "</noscript>",
    "<button>",
    "<h1>",
    "</h1>",
    "<br/>",
    "<template>",
    "</template>",
    "<html>",
    "<head>",
    "</head>",
    "<body>",
    "</body>",
    "</html>",
    "<form>",
    "<object>",
    "<input>",
    "<img alt=\"<a href=no>\">",
    "<nobr>",
    "<caption>",
    "<col>",
    "<frameset>",
    "</object>",
    "<marquee>",
    "<svg>",
    "</svg>",
];

#[rustfmt::skip]
const RAW: &[&str] = &[
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<xmp>",
    "</xmp>",
    "<iframe>",
    "</iframe>",
    "<noembed>",
    "</noembed>",
    "<noframes>",
    "</noframes>",
    "<SCRIPT x='>'/>",
    "</script x>",
    "</style/>",
    "</titlex>",
];

#[rustfmt::skip]
const SNIPPETS: &[&str] = &[
    "<!--",
    "-->",
    "--!>",
    "--",
    "<!-->",
    "<!--->",
    "<!doctype html>",
    "<!x ",
    "<?x ",
    "</ ",
    "</>",
    "<![CDATA[",
    "]]>",
    ">",
    "<",
    "</",
    "/",
    "\"",
    "'",
    "=",
    " ",
    "\n",
    "\r\n",
    "\0",
    "&amp;",
    "&#",
    "text",
    "é",
    "!",
    "-",
    "a",
    "<a ",
    "href=",
    "<a href=\"",
    "<a href='",
];

/// Elements inside SVG and MathML without children.
#[rustfmt::skip]
const FOREIGN: &[&str] = &[
    "<path/>", "<textarea/>", "<use href='#x'/>", "</x>", "</body>", "text", "<!--<a href=no>-->",
    "<![CDATA[<a href=no>]]>", "<![CDATA[ > <a href=u#></a>]]>", "<g/>", "<script/>", "<mglyph/>",
    "<font></font>",
];

/// Elements with children: of SVG and MathML, and of HTML where it may occur inside them.
#[rustfmt::skip]
const CONTAINERS: &[&str] = &[
    "g", "title", "desc", "foreignObject", "style", "script", "mi", "template", "plaintext", "xmp",
    "annotation-xml", "mglyph", "noembed",
];

/// HTML that ends SVG and MathML.
const BREAKOUT: &[&str] = &[
    "<p>",
    "</p>",
    "<div>",
    "</br>",
    "<font color=x>",
    "<img>",
    "<b>",
    "</div>",
    "</section>",
    "</b>",
    "</td>",
    "",
];

/// A balanced piece of SVG or MathML; only its outer tags are certain to be closed.
fn foreign_piece() -> impl Strategy<Value = String> {
    let link = (select(LINKS), any::<bool>()).prop_map(|(link, closed)| {
        let close = if closed { "</a>" } else { "" };
        format!("{link}{close}")
    });
    let leaf = prop_oneof![link, select(FOREIGN).prop_map(str::to_owned)];
    let tree = leaf.prop_recursive(6, 40, 5, |inner| {
        let inside = || prop::collection::vec(inner.clone(), 0..5).prop_map(|all| all.concat());
        prop_oneof![
            1 => (select(&["svg", "math"][..]), inside())
                .prop_map(|(name, inside)| format!("<{name}>{inside}</{name}>")),
            4 => (select(CONTAINERS), inside(), prop::bool::weighted(0.8)).prop_map(
                |(name, inside, closed)| {
                    let close = if closed { format!("</{name}>") } else { String::new() };
                    format!("<{name}>{inside}{close}")
                }
            ),
        ]
    });
    (
        select(&["svg", "math"][..]),
        prop::collection::vec(tree, 1..6),
        select(BREAKOUT),
        any::<bool>(),
    )
        .prop_map(|(name, inside, breaking, closed)| {
            let close = if closed {
                format!("</{name}>")
            } else {
                String::new()
            };
            format!("<{name}>{}{breaking}{close}", inside.concat())
        })
}

fn rows(
    fragment: impl Strategy<Value = &'static str>,
    longest: usize,
) -> impl Strategy<Value = String> {
    prop::collection::vec(fragment, 0..longest).prop_map(|fragments| fragments.concat())
}

fn compare(cases: u32, pages: &impl Strategy<Value = String>) {
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(20_250_101),
        failure_persistence: None,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(pages, |page| {
        let page = number_links(&page);
        let (ours, theirs) = (ours(&page), theirs(&page));
        if ours == theirs {
            Ok(())
        } else {
            Err(TestCaseError::fail(format!(
                "{page:?}\nours   {ours:?}\ntheirs {theirs:?}"
            )))
        }
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn tags_and_links() {
    let fragment = prop_oneof![3 => select(LINKS), 4 => select(TAGS)];
    compare(3000, &rows(fragment, 40));
}

#[test]
fn raw_text_and_comments() {
    let fragment =
        prop_oneof![4 => select(LINKS), 2 => select(TAGS), 4 => select(RAW), 2 => select(SNIPPETS)];
    compare(4000, &rows(fragment, 40));
}

#[test]
fn script_levels() {
    let pieces: &[&str] = &[
        "<!--",
        "-->",
        "--",
        ">",
        "<script>",
        "</script>",
        "<script",
        "</script ",
    ];
    let fragment = prop_oneof![1 => select(LINKS), 5 => select(pieces)];
    compare(3000, &rows(fragment, 30));
}

#[test]
fn broken_pieces() {
    let fragment = prop_oneof![1 => select(LINKS), 4 => select(SNIPPETS)];
    compare(4000, &rows(fragment, 40));
}

#[test]
fn svg_and_math() {
    // The tail reveals the scanner's state: only in HTML is the content of a title text.
    let tail = "<a href=u#><title><a href=u#></title><base href=u#><a href=u#>";
    compare(
        4000,
        &foreign_piece().prop_map(move |foreign_piece| foreign_piece + tail),
    );
}
