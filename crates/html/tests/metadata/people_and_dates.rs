//! Authors and dates: the best source is used.

use crate::{list, optional};

#[test]
fn authors() {
    list(
        &[
            (
                r#"<meta name=author content=Meta><script type="application/ld+json">
                {"@type": "Article", "author": {"@type": "Person", "name": "Jane Doe"}}</script>"#,
                &["Jane Doe"],
            ),
            (
                r#"<script type="application/ld+json">{"@type": "Article", "author":
                [{"name": "Jane"}, "John", {"name": ["Kim"]}, {"givenName": "A", "familyName": "B"}]}
                </script>"#,
                &["Jane", "John", "Kim", "A B"],
            ),
            (
                r##"<script type="application/ld+json">{"@graph": [
                {"@type": "Article", "author": {"@id": "#jane"}},
                {"@type": "Person", "@id": "#jane", "name": "Jane"}]}</script>"##,
                &["Jane"],
            ),
            (
                r#"<meta name=author content=Meta><script type="application/ld+json">
                {"@type": "Article", "author": {"@id": "gone"}, "creator": null}</script>"#,
                &["Meta"],
            ),
            (
                r#"<script type="application/ld+json">
                {"@type": "Recipe", "name": "Soup", "creator": "Jane"}</script>"#,
                &["Jane"],
            ),
            (
                "<meta name=author content='By Jane Doe'><a rel=author>Else</a>",
                &["Jane Doe"],
            ),
            (
                "<meta name=author content=A><meta name=author content=B>",
                &["A", "B"],
            ),
            (
                "<meta name=citation_author content='Doe, J'><meta name=citation_author content='Roe, K'>",
                &["Doe, J", "Roe, K"],
            ),
            (
                "<meta property=article:author content='Jane Doe'>",
                &["Jane Doe"],
            ),
            (
                "<meta property=article:author content=https://f.x/jane><a rel=author href=/j>Jane</a>",
                &["Jane"],
            ),
            (
                "<a rel='author nofollow' href=/j> Jane\n Doe </a>",
                &["Jane Doe"],
            ),
            (
                "<span itemprop=author itemscope><img alt=x><span itemprop=name>Jane</span> (staff)</span>",
                &["Jane"],
            ),
            ("<meta itemprop=author content=Jane>", &["Jane"]),
            // The site itself is named only if no one else is.
            (
                "<meta property=og:site_name content=Foo><meta name=author content=foo>\
                 <a rel=author>Jane</a>",
                &["Jane"],
            ),
            (
                "<meta property=og:site_name content=Foo><meta name=author content=foo>",
                &["foo"],
            ),
            // Commenters did not write the page.
            (
                "<a rel=author>Jane</a><div id=comments><a rel=author>Reader</a></div>\
                 <article itemtype=https://schema.org/Comment><b itemprop=author>Troll</b></article>",
                &["Jane"],
            ),
            // A list of articles has no author.
            (
                "<a rel=author>A</a><a rel=author>B</a><a rel=author>C</a><a rel=author>D</a>\
                 <a rel=author>E</a>",
                &[],
            ),
        ],
        |found| found.author,
    );
}

#[test]
fn published() {
    optional(
        &[
            (
                r#"<meta property=article:published_time content=2020-01-01>
                <script type="application/ld+json">
                {"@type": "Article", "datePublished": "2024-01-02T03:04:05+01:00"}</script>"#,
                Some("2024-01-02T03:04:05+01:00"),
            ),
            (
                "<meta name=date content=2020-01-01>\
                 <meta property=article:published_time content='2024-01-02 03:04'>",
                Some("2024-01-02T03:04:00Z"),
            ),
            (
                "<meta name=DC.date.issued content=2024-01-02>",
                Some("2024-01-02"),
            ),
            (
                "<meta name=citation_publication_date content=2024/01/02>",
                Some("2024-01-02"),
            ),
            (
                "<meta itemprop=datePublished content='Jan 2, 2024'>",
                Some("2024-01-02"),
            ),
            (
                "<time pubdate datetime=2024-01-02>x</time>",
                Some("2024-01-02"),
            ),
            (
                "<time itemprop=datePublished>2 January 2024</time>",
                Some("2024-01-02"),
            ),
            (
                "<time class='entry-date published' datetime=2024-01-02>x</time>",
                Some("2024-01-02"),
            ),
            ("<time datetime=2024-01-02>x</time>", None),
            (
                "<meta name=date content='last week'><meta name=pubdate content=2024-01-02>",
                Some("2024-01-02"),
            ),
            (
                "<meta name=date content='2 de enero de 2024'>",
                Some("2 de enero de 2024"),
            ),
            ("<meta name=date content=soon>", None),
            ("<meta name=date content=0001-01-01T00:00:00Z>", None),
            (
                "<div class=comment><time itemprop=datePublished datetime=2024-01-02></time></div>",
                None,
            ),
            (
                r#"<time pubdate datetime=2024-01-02></time><script type="application/ld+json">
                {"@type": "VideoObject", "uploadDate": "2020-01-01"}</script>"#,
                Some("2024-01-02"),
            ),
            (
                r#"<script type="application/ld+json">
                {"@type": "VideoObject", "uploadDate": "2020-01-01"}</script>"#,
                Some("2020-01-01"),
            ),
        ],
        |found| found.published,
    );
}

#[test]
fn modified() {
    optional(
        &[
            (
                r#"<meta property=article:modified_time content=2020-01-01>
                <script type="application/ld+json">
                {"@type": "WebPage", "dateModified": "2024-01-02"}</script>"#,
                Some("2024-01-02"),
            ),
            (
                "<meta property=og:updated_time content=2020-01-01>\
                 <meta property=article:modified_time content=2024-01-02>",
                Some("2024-01-02"),
            ),
            (
                "<meta property=og:updated_time content=1704164645>",
                Some("2024-01-02T03:04:05Z"),
            ),
            (
                "<meta http-equiv=last-modified content='Tue, 02 Jan 2024 03:04:05 GMT'>",
                Some("2024-01-02T03:04:05Z"),
            ),
            (
                "<time itemprop=dateModified datetime=2024-01-02></time>",
                Some("2024-01-02"),
            ),
            (
                "<time class=dt-updated datetime=2024-01-02></time>",
                Some("2024-01-02"),
            ),
            ("<time class=published datetime=2024-01-02></time>", None),
        ],
        |found| found.modified,
    );
}
