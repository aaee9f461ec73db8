//! The thresholds between the results.

use crawler_html::render_need;
use crawler_model::RenderNeed::{self, Certain, Likely, Plain};
use crawler_model::RenderReason::{EmptyRoot, Noscript};

use crate::HTML;

fn words(count: usize) -> String {
    "abcdefghi ".repeat(count)
}

fn need(page: &str) -> RenderNeed {
    render_need(page.as_bytes(), HTML)
}

#[test]
fn more_text_beside_an_empty_root_lowers_the_need() {
    let page = |count| {
        let words = words(count);
        need(&format!(
            "<p>{words}</p><div id=app></div><script src=x.js></script>"
        ))
    };
    assert_eq!(page(0), Certain(EmptyRoot));
    assert_eq!(page(20), Certain(EmptyRoot));
    assert_eq!(page(50), Likely(EmptyRoot));
    assert_eq!(page(150), Plain);
    assert_eq!(page(1_000), Plain);
}

#[test]
fn more_text_beside_a_notice_lowers_the_need() {
    let page = |count| {
        let words = words(count);
        need(&format!(
            "<noscript>JavaScript is required</noscript><p>{words}</p><script src=x.js></script>"
        ))
    };
    assert_eq!(page(10), Certain(Noscript));
    assert_eq!(page(50), Likely(Noscript));
    assert_eq!(page(150), Plain);
}

#[test]
fn pages_without_scripts_are_plain() {
    for page in [
        "<div id=root></div>",
        "<noscript>enable JavaScript</noscript>",
        "<p>Please enable JavaScript",
        "<div class=skeleton></div><div class=skeleton></div>",
        "<div id=app>Loading…</div><script type=application/ld+json>{}</script>",
        "<div id=app></div><!-- <script src=app.js></script> -->",
        "<div id=app></div><template><script src=app.js></script></template>",
        "<div id=app></div><noscript><script src=app.js></script></noscript>",
    ] {
        assert_eq!(need(page), Plain, "{page}");
    }
}

#[test]
fn a_root_with_anything_in_it_is_not_empty() {
    let script = "<script src=/static/js/main.js></script>";
    for inside in [
        "<h1>Hello</h1><p>world, and all who sail in her; there is room for everyone on deck</p>",
        "<a href=/a>a</a><a href=/b>b</a>",
        "<input><input><input>",
        "<div><div><div>some words of its own, deep down</div></div></div>",
    ] {
        let got = need(&format!("<div id=root>{inside}</div>{script}"));
        assert!(!matches!(got, Certain(EmptyRoot)), "{inside}: {got:?}");
    }
    for inside in [
        "",
        " \n ",
        "<!-- -->",
        "<div><div></div></div>",
        "<svg></svg>",
        "&nbsp;",
    ] {
        let got = need(&format!("<div id=root>{inside}</div>{script}"));
        assert_eq!(got, Certain(EmptyRoot), "{inside:?}");
    }
}

/// Invisible text does not count.
#[test]
fn invisible_text_does_not_count() {
    let words = words(300);
    for hidden in [
        format!("<style>{words}</style>"),
        format!("<title>{words}</title>"),
        format!("<template>{words}</template>"),
        format!("<!-- {words} -->"),
        format!("<script type=application/json>\"{words}\"</script>"),
        format!("<textarea>{words}</textarea>"),
    ] {
        let page = format!("{hidden}<div id=root></div><script src=app.js></script>");
        assert_eq!(need(&page), Certain(EmptyRoot), "{}", &hidden[..12]);
    }
}
