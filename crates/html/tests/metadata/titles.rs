//! The title: which source is used, and what is removed from it.

use crate::optional;

#[test]
fn the_best_source_provides_the_title() {
    optional(
        &[
            ("", None),
            ("<title> </title><h1></h1>", None),
            ("<title> A\n  story </title>", Some("A story")),
            ("<title>A &amp; B</title>", Some("A & B")),
            ("<title>A</title><h1>B</h1>", Some("A")),
            (
                "<h1></h1><h1>A <em>b</em><br>c<style>d</style></h1><h1>E</h1>",
                Some("A b c"),
            ),
            ("<svg><title>Icon</title></svg><title>A</title>", Some("A")),
            ("<title>A</title><title>B</title>", Some("A")),
            (
                "<meta property=og:title content=Og><title>A</title><h1>B</h1>",
                Some("Og"),
            ),
            (
                "<meta name=OG:Title content=Og><title>A</title>",
                Some("Og"),
            ),
            (
                "<meta property=og:title content=' '><title>A</title>",
                Some("A"),
            ),
            (
                "<meta name=twitter:title content=Tw><title>A</title>",
                Some("A"),
            ),
            ("<meta name=twitter:title content=Tw><h1>A</h1>", Some("Tw")),
            (
                r#"<title>A</title><script type=application/ld+json>
                {"@type": "NewsArticle", "headline": "Head &amp; line"}</script>"#,
                Some("Head & line"),
            ),
            (
                r#"<title>A</title><script type=application/ld+json>
                {"@type": "Organization", "name": "Company"}</script>"#,
                Some("A"),
            ),
        ],
        |found| found.title,
    );
}

#[test]
fn a_certain_site_name_is_removed() {
    optional(
        &[
            (
                "<meta property=og:site_name content='Foo News'><title>A story | Foo News</title>",
                Some("A story"),
            ),
            (
                "<meta property=og:site_name content='Foo News'><title>foo news - A story</title>",
                Some("A story"),
            ),
            (
                "<meta property=og:site_name content=Foo><title>Tea - Coffee</title>",
                Some("Tea - Coffee"),
            ),
            (
                "<title>A longer story – Foo</title><h1>A longer story</h1>",
                Some("A longer story"),
            ),
            (
                "<title>A longer story – Foo</title><h1>Foo</h1>",
                Some("A longer story – Foo"),
            ),
            (
                r#"<title>A story — Foo</title><script type=application/ld+json>
                {"@type": "WebSite", "name": "Foo"}</script>"#,
                Some("A story"),
            ),
            (
                "<meta name=application-name content=Foo><title>A story: Foo</title>",
                Some("A story"),
            ),
            // A title that is only the site's name says nothing about the page.
            (
                "<meta property=og:site_name content=Foo><meta property=og:title content=Foo>\
                 <title>A story | Foo</title>",
                Some("A story"),
            ),
            (
                "<meta property=og:site_name content=Foo><title>Foo</title>",
                Some("Foo"),
            ),
            // On the home page it is the title.
            (
                "<link rel=canonical href=/><meta property=og:site_name content=Foo>\
                 <title>Foo | Good things</title>",
                Some("Foo | Good things"),
            ),
        ],
        |found| found.title,
    );
}
