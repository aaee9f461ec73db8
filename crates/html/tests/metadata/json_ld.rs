//! JSON-LD as found on real pages.

use crate::{list, optional, read};

fn page(block: &str) -> String {
    format!("<script type=application/ld+json>{block}</script>")
}

#[test]
fn wrapped_blocks_are_read() {
    let blocks = [
        r#"{"@type": "Article", "headline": "A b"}"#,
        r#"[{"@type": "Article", "headline": "A b"}]"#,
        r#"{"@graph": [{"@type": "Article", "headline": "A b"}]}"#,
        r#"[[{"@graph": {"@graph": [{"@type": ["Article"], "headline": "A b"}]}}]]"#,
        r#"{"@type": "BreadcrumbList", "mainEntity": {"@type": "Article", "headline": "A b"}}"#,
        r#"{"@type": "https://schema.org/Article", "headline": "A b"}"#,
        r#"{"@type": "Article", "name": "A b"}"#,
        "<!-- {\"@type\": \"Article\", \"headline\": \"A b\"} -->",
        "<![CDATA[ {\"@type\": \"Article\", \"headline\": \"A b\"} ]]>",
        "//<![CDATA[\n{\"@type\": \"Article\", \"headline\": \"A b\"}\n//]]>",
        "/*<![CDATA[*/ {\"@type\": \"Article\", \"headline\": \"A b\"} /*]]>*/",
        "\u{feff}{\"@type\": \"Article\", \"headline\": \"A b\"};",
        "{\"@type\": \"Article\", \"headline\": \"A\nb\"}",
        "{\"@type\": \"Article\", \"headline\": \"A\t\u{1}b\"}",
        "{\"@type\": \"WebSite\"} {\"@type\": \"Article\", \"headline\": \"A b\"}",
    ];
    for block in blocks {
        assert_eq!(read(&page(block)).title.as_deref(), Some("A b"), "{block}");
    }
}

#[test]
fn invalid_json_is_ignored() {
    let blocks = [
        "",
        "null",
        "\"text\"",
        "{",
        "{\"@type\": \"Article\", \"headline\": }",
        "{'@type': 'Article', 'headline': 'A'}",
        "{\"@type\": 1, \"headline\": \"A\"}",
        "{\"@type\": \"Article\", \"headline\": {\"x\": 1}, \"author\": 7e999}",
    ];
    for block in blocks {
        assert_eq!(read(&page(block)).title, None, "{block}");
    }
    assert_eq!(
        read("<script>{\"@type\": \"Article\", \"headline\": \"A\"}</script>").title,
        None
    );
}

#[test]
fn a_list_of_things_does_not_describe_the_page() {
    optional(
        &[
            (
                r#"<title>News</title><script type=application/ld+json>[
                {"@type": "Article", "headline": "A", "url": "/a"},
                {"@type": "Article", "headline": "B", "url": "/b"}]</script>"#,
                Some("News"),
            ),
            (
                r#"<title>News</title><link rel=canonical href=/b><script type=application/ld+json>[
                {"@type": "Article", "headline": "A", "url": "/a"},
                {"@type": "Article", "headline": "B", "mainEntityOfPage": {"@id": "/b#page"}}]</script>"#,
                Some("B"),
            ),
            (
                r#"<title>News</title><script type=application/ld+json>[
                {"@type": "WebPage", "name": "Page"}, {"@type": "Product", "name": "Ware"},
                {"@type": "Review", "name": "Good"}, {"@type": "BlogPosting", "headline": "Post"}]
                </script>"#,
                Some("Post"),
            ),
            (
                r#"<title>News</title><script type=application/ld+json>
                {"@type": "ItemList", "itemListElement": [{"@type": "Article", "headline": "A"}]}
                </script>"#,
                Some("News"),
            ),
        ],
        |found| found.title,
    );
}

#[test]
fn types_are_those_of_the_described_things() {
    list(
        &[
            (
                r#"<script type="application/ld+json">{"@graph": [
                {"@type": ["Article", "BlogPosting"], "author": {"@type": "Person"}},
                {"@type": "http://schema.org/WebSite"}, {"@type": "Article"}]}</script>
                <script type="APPLICATION/LD+JSON; charset=utf-8">{"@type": "FAQPage",
                "mainEntity": [{"@type": "Question"}]}</script>"#,
                &["Article", "BlogPosting", "WebSite", "FAQPage", "Question"],
            ),
            (
                "<script type=application/json>{\"@type\": \"X\"}</script>",
                &[],
            ),
        ],
        |found| found.json_ld_types,
    );
}

#[test]
fn a_broken_block_does_not_affect_the_next() {
    let found = read(&(page("{oops") + &page(r#"{"@type": "Article", "headline": "A"}"#)));
    assert_eq!(found.title.as_deref(), Some("A"));
}

#[test]
fn blocks_are_bounded() {
    let article = r#"{"@type": "Article", "headline": "A"}"#;
    let long = " ".repeat(1024 * 1024 + 1);
    assert_eq!(read(&page(&format!("{article}{long}"))).title, None);
    let many = page("{}").repeat(64) + &page(article);
    assert_eq!(read(&many).title, None);
    let few = page("{}").repeat(63) + &page(article);
    assert_eq!(read(&few).title.as_deref(), Some("A"));
}
