//! Extreme numbers of attributes.

use crate::{numbered, survives};

#[test]
fn on_one_tag() {
    for tag in [
        "p",
        "a href=x",
        "img src=x",
        "html",
        "body",
        "meta",
        "table",
        "svg",
        "td",
    ] {
        let page = format!("<{tag}{}>text", numbered(" a#=v#", 20_000));
        survives(&format!("20,000 on {tag}"), page);
    }
    survives("the same", format!("<p{}>text", " a=b".repeat(20_000)));
    survives(
        "in an end tag",
        format!("<p>text</p{}>", numbered(" a#=b", 20_000)),
    );
    survives(
        "without values",
        format!("<p{}>text", numbered(" a#", 200_000)),
    );
    survives("unclosed values", format!("<p{}", " a='".repeat(100_000)));
}

#[test]
fn on_a_thousand_tags() {
    let names = numbered(" a#", 20);
    for tag in ["p", "a href=x", "b", "li", "td", "font"] {
        survives(
            &format!("20 on each of 1,000 {tag}"),
            format!("<{tag}{names}>text").repeat(1_000),
        );
    }
    let many = numbered(" a#", 20_000);
    survives("20,000 on each of 60", format!("<p{many}>text").repeat(60));
    survives(
        "20,000 on each of 60 b",
        format!("<b{many}>text<p>").repeat(60),
    );
    survives(
        "all names different",
        numbered("<p a#=1 b#=2 c#=3>t", 30_000),
    );
    survives("all elements different", numbered("<x#>t</x#>", 60_000));
    survives(
        "all classes different",
        numbered("<p class='c# d#'>t", 40_000),
    );
}
