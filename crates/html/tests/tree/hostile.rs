//! Time is linear in the page, on pages designed to break that.
//!
//! The limit is generous, for a slow machine and an unoptimized build; quadratic behavior exceeds it by
//! orders of magnitude.

use std::time::Duration;

use crawler_html::Tree;

use crate::numbered;
use crate::openers::OPENERS;
use crate::stopwatch::Stopwatch;

const BOUND: Duration = Duration::from_secs(10);
const SIZE: usize = 250_000;

/// Parses the page within the limit, on a small stack.
fn parse(page: String) {
    let head: String = page.chars().take(60).collect();
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let parsed = thread.spawn(move || {
        let start = Stopwatch::start();
        let tree = Tree::parse(&page);
        let deepest = tree.subtree(tree.root()).map(|id| tree.depth(id)).max();
        assert!(deepest < Some(640), "{deepest:?}");
        assert!(tree.len() <= 4_000_600);
        start.elapsed()
    });
    let took = parsed.unwrap().join();
    let took = took.unwrap_or_else(|_| panic!("{head}…"));
    assert!(took < BOUND, "{took:?} on {head}…");
}

fn repeat(head: &str, unit: &str) -> String {
    format!("{head}{}", unit.repeat(SIZE / unit.len()))
}

/// Numbered rows after `head`.
fn rows(head: &str, unit: &str) -> String {
    format!("{head}{}", numbered(unit, SIZE / (unit.len() + 4)))
}

#[test]
fn deep_nesting() {
    for unit in [
        "<div>",
        "<ul><li>",
        "<table><td>",
        "<table><tr><div>",
        "<template>",
        "<svg><g>",
        "<svg><desc>",
        "<svg><script>",
        "<svg><input>",
        "<math><mi>",
        "<select><option>",
        "<object>",
        "<button>",
        "<form><div></form>",
        "<x-y>",
        "<p><svg><font size=1>",
    ] {
        parse(repeat("", unit));
    }
}

#[test]
fn searches_at_full_depth() {
    for open in ["<span>", "<div>", "<b><span>"] {
        let deep = open.repeat(505);
        for unit in [
            "<p>",
            "<p></p>",
            "</x>",
            "</p>",
            "</b>",
            "</a>",
            "<li>",
            "<h1></h1>",
            "<a>x</a>",
            "<input>",
            "<button>",
            "<dd>",
            "<option>",
            "<table></table>",
            "<br>x",
        ] {
            parse(repeat(&deep, unit));
        }
    }
}

#[test]
fn formatting() {
    for unit in [
        "<a><i><b>",
        "<a><div>",
        "<b><div>",
        "<b><div></b>",
        "<b><p>x</b>",
        "<b><i><div></b></div>",
        "<nobr>x",
        "<object><b>",
        "<a><object>",
        "<marquee><b><div></b></marquee>",
        "<b><i><u><s><p></b></i>x",
        "<a><table><a><tr>",
        "<b><table><td></b><p></table>",
    ] {
        parse(repeat("", unit));
    }
    for unit in [
        "<p><font size=#>x",
        "<p><b id=#></p>",
        "<b id=#>",
        "<b id=#><p></b>",
        "<a id=#><div>",
        "<table><td><b id=#><object></table>",
        "<table><td><b id=#><object></table></b><i></i>",
        "<p><svg><font size=#></p>",
        "<b id=#><table>x<tr>",
        "<i id=#></p></b></a>",
    ] {
        parse(rows("", unit));
    }
    let many = numbered(" a#", 250);
    let open = numbered(&format!("<b id=#{many}>"), 60);
    for unit in ["<p>x", "<b></b>", "<b a></b>", "<table>x<tr>y</table>"] {
        parse(repeat(&open, unit));
        parse(repeat(&format!("<p>{open}</p>"), unit));
    }
}

#[test]
fn attributes() {
    parse(rows("<p ", "a# ") + ">");
    parse(rows("<p ", "a#='>' ") + "/>");
    parse(rows("<p ", "a# "));
    parse(rows("</p ", "a# ") + ">");
    parse(rows("<svg><script ", "a# ") + ">");
    parse(rows("", "<html a#>"));
    parse(rows("", "<body a#>"));
    parse(rows("", "<p a#>"));
    parse(rows("", "<x#></x#>"));
    parse(repeat("<p ", "a ") + ">");
    parse(format!("<p title='{}'>", "x".repeat(5_000_000)));
    parse(format!("<p title='{}'>", "&amp;\r\0".repeat(100_000)));
    parse(format!("<p {}>", "x".repeat(1_000_000)));
    parse(format!("<{}>", "x".repeat(1_000_000)));
}

#[test]
fn texts() {
    for unit in [
        "&amp;",
        "&",
        "&#",
        "&#x",
        "&#xg",
        "&notit",
        "&#1114112;",
        "\n",
        "\r",
        "\0",
        "é",
        " x",
    ] {
        parse(repeat("", unit));
        parse(repeat("<table>", unit));
        parse(repeat("<head>", unit));
        parse(repeat("<frameset>", unit));
        parse(repeat("<title>", unit));
    }
    parse(format!("&{}", "a".repeat(1_000_000)));
    parse(format!("&#{}", "1".repeat(1_000_000)));
    parse("&lt;".repeat(1_000_000));
    parse("x".repeat(10_000_000));
    parse(repeat("<table>", "x<tr>y"));
    parse(repeat("<table>", " <!---->"));
    parse(repeat("<body></body>", " x</body><!-- -->"));
}

#[test]
fn unclosed_constructs() {
    for opener in OPENERS {
        parse(repeat("", opener));
        parse(repeat("<script>", opener));
        parse(repeat("<svg>", opener));
        parse(repeat("<table>", opener));
    }
}
