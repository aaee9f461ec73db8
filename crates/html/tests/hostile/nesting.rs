//! A hundred thousand nested elements; ten thousand where end tags are written too.

use crate::survives;

const DEEP: usize = 100_000;

/// Opens all, writes some text, and closes all or none.
fn nested(name: &str, open: &str, close: &str) {
    let opened = open.repeat(DEEP);
    survives(&format!("{name}, left open"), format!("{opened}text"));
    let (opened, closed) = (open.repeat(DEEP / 10), close.repeat(DEEP / 10));
    survives(&format!("{name}, closed"), format!("{opened}text{closed}"));
}

#[test]
fn blocks() {
    nested("div", "<div>", "</div>");
    nested("blockquote", "<blockquote>", "</blockquote>");
    nested("div with text", "<div>some words. ", "</div>");
    nested("section", "<section><h2>T</h2>", "</section>");
}

#[test]
fn marks() {
    nested("b", "<b>", "</b>");
    nested("i", "<i>", "</i>");
    nested("a", "<a href=x>", "</a>");
    nested("font", "<font size=1>", "</font>");
    nested("b, i, font", "<b><i><font>", "</font></i></b>");
    nested("span", "<span>a ", "</span>");
    nested("sup", "<sup>a", "</sup>");
}

#[test]
fn lists() {
    nested("ul", "<ul><li>", "</ul>");
    nested("ol with words", "<ol start=9><li>a", "</li></ol>");
    nested("dl", "<dl><dt>a<dd>", "</dl>");
    nested("ul alone", "<ul>", "</ul>");
    nested("li alone", "<li>", "</li>");
}

#[test]
fn forms() {
    nested("select", "<select>", "</select>");
    nested("select with option", "<select><option>a", "</select>");
    nested("p in button", "<p><button>", "</button></p>");
    nested("form", "<form>", "</form>");
    nested("fieldset", "<fieldset><legend>a", "</fieldset>");
}

#[test]
fn foreign() {
    nested("svg", "<svg>", "</svg>");
    nested("g", "<svg><g>", "</g>");
    nested("svg with html", "<svg><foreignObject><p>a", "</p></svg>");
    nested("math", "<math>", "</math>");
    nested("mrow", "<math><mrow><mi>x</mi>", "</mrow>");
    nested("msup", "<math><msup><mi>x</mi>", "</msup>");
    nested(
        "annotation",
        "<math><annotation-xml encoding=text/html><p>",
        "</math>",
    );
}

#[test]
fn other_elements() {
    nested("template", "<template>", "</template>");
    nested("table", "<table><tr><td>", "</table>");
    nested("object", "<object>", "</object>");
    nested("ruby", "<ruby>a<rt>", "</ruby>");
    nested("details", "<details><summary>a</summary>", "</details>");
    nested("figure", "<figure><figcaption>a", "</figure>");
    nested("pre", "<pre>a\n", "</pre>");
    nested("code", "<code>`", "</code>");
    nested("noscript", "<noscript>", "</noscript>");
    nested("custom", "<x-y>", "</x-y>");
}
