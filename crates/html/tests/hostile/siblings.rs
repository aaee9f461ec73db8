//! A hundred thousand equal siblings; fewer of the less common kinds.

use crate::{numbered, survives};

const MANY: usize = 100_000;

#[test]
fn blocks() {
    for unit in [
        "<p>a",
        "<p></p>",
        "<p>One two three, four five six seven eight.</p>",
        "<li>a",
        "<ul><li>a</ul>",
        "<h2>a</h2>",
        "<h1>Title words</h1>",
        "<blockquote>a</blockquote>",
        "<pre>a</pre>",
        "<hr>",
        "<dt>a<dd>b",
        "<div>a</div>",
        "<article>a</article>",
        "<figure><img src=x><figcaption>a</figcaption></figure>",
    ] {
        let common = matches!(unit, "<p>a" | "<li>a" | "<h2>a</h2>" | "<a href=x>a</a> ");
        survives(unit, unit.repeat(if common { MANY } else { MANY / 10 }));
    }
    survives("items of one list", format!("<ol>{}", "<li>a".repeat(MANY)));
    survives(
        "headings of all levels",
        numbered("<h1>#</h1><h3>#</h3><h6>#</h6>", MANY / 3),
    );
}

#[test]
fn words() {
    for unit in [
        "<a href=x>a</a> ",
        "<a href=x></a>",
        "<a href=x><img src=y></a>",
        "<b>a</b>",
        "<b>a</b> <i>b</i> ",
        "<code>a</code>",
        "<img src=x alt=y>",
        "<sup>1</sup>",
        "<q>a</q>",
        "<input type=checkbox>",
        "<ruby>a<rt>b</ruby>",
        "<math><mi>a</mi></math>",
        "<svg><title>a</title></svg>",
    ] {
        let common = matches!(unit, "<p>a" | "<li>a" | "<h2>a</h2>" | "<a href=x>a</a> ");
        survives(unit, unit.repeat(if common { MANY } else { MANY / 10 }));
    }
    survives("all different", numbered("<a href=/p/#>page #</a>\n", MANY));
    survives("a million breaks", "<br>".repeat(MANY * 10));
    survives("breaks and words", "a<br>".repeat(MANY));
    survives(
        "breaks in a cell",
        format!("<table><tr><td>{}", "a<br>".repeat(MANY)),
    );
    survives("wbr", "a<wbr>".repeat(MANY));
}

#[test]
fn head_elements() {
    for unit in [
        "<meta name=author content=a#>",
        "<meta property=og:title content=t#>",
        "<meta property=article:tag content=t#>",
        "<meta n#=v>",
        "<link rel=alternate hreflang=en href=#>",
        "<link rel=icon href=#>",
        "<link rel='a b c d e' href=#>",
        "<title>t#</title>",
        "<base href=#>",
        "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":\"a#\"}</script>",
        "<time datetime=2024-01-01>#</time>",
        "<span itemprop=author>a#</span>",
        "<meta charset=x#>",
    ] {
        let common = unit.starts_with("<meta name");
        survives(unit, numbered(unit, if common { MANY } else { MANY / 5 }));
    }
}

#[test]
fn footnotes() {
    survives(
        "footnotes",
        format!(
            "{}<ol class=footnotes>{}",
            numbered("<a href='&num;f#'>1</a>", 5_000),
            numbered("<li id=f#>a", 5_000)
        ),
    );
    survives(
        "one footnote, referenced often",
        "<p>a<sup><a href='#n'>1</a></sup>".repeat(10_000) + "<ol class=footnotes><li id=n>b",
    );
    survives("one id", "<li id=n><a href='#n'>1</a>".repeat(10_000));
}
