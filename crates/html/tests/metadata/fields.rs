//! The simple fields: which source is used, and how its value is normalized.

use crawler_html::Metadata;

use crate::{list, optional, read, table};

#[test]
fn description() {
    optional(
        &[
            (
                "<meta property=og:description content=Og><meta name=description content='A\n b'>",
                Some("A b"),
            ),
            (
                "<meta name=description content=''><meta property=og:description content=Og>",
                Some("Og"),
            ),
            ("<meta name=twitter:description content=Tw>", Some("Tw")),
            (
                r#"<script type="application/ld+json">
                {"@type": "Product", "name": "X", "description": "From JSON"}</script>"#,
                Some("From JSON"),
            ),
            ("<meta name=DC.description content=Dc>", Some("Dc")),
            ("<meta name=description>", None),
        ],
        |found| found.description,
    );
}

#[test]
fn language() {
    optional(
        &[
            (
                "<html lang=en-us><meta property=og:locale content=de_DE>",
                Some("en-US"),
            ),
            ("<html xml:lang=fr>", Some("fr")),
            (
                "<html lang=''><meta http-equiv=Content-Language content='de, en'>",
                Some("de"),
            ),
            (
                "<html lang=english><meta property=og:locale content=pt_BR>",
                Some("pt-BR"),
            ),
            (
                r#"<script type="application/ld+json">
                {"@type": "WebPage", "inLanguage": "sv-SE"}</script>"#,
                Some("sv-SE"),
            ),
            ("<html lang='{{ lang }}'>", None),
        ],
        |found| found.language,
    );
}

#[test]
fn canonical() {
    optional(
        &[
            (
                "<meta property=og:url content=/og><link rel=canonical href=' /a '>",
                Some("https://e.x/a"),
            ),
            (
                "<link rel=Canonical href=https://o.x/b>",
                Some("https://o.x/b"),
            ),
            (
                "<link rel=canonical href=''><meta property=og:url content=/og>",
                Some("https://e.x/og"),
            ),
            (
                "<link rel=canonical href=javascript:x><link rel=canonical href=/b>",
                Some("https://e.x/b"),
            ),
            ("<link rel=canonical>", None),
        ],
        |found| found.canonical,
    );
}

#[test]
fn site_name() {
    optional(
        &[
            (
                r#"<meta name=application-name content=App><meta property=og:site_name content=Og>
                <script type="application/ld+json">{"@type": "WebSite", "name": "Ld"}</script>"#,
                Some("Og"),
            ),
            (
                r#"<meta name=application-name content=App><script type="application/ld+json">
                [{"@type": "Article", "publisher": {"name": "Pub"}}, {"@type": "WebSite", "name": "Ld"}]
                </script>"#,
                Some("Ld"),
            ),
            (
                r#"<meta name=application-name content=App><script type="application/ld+json">
                {"@type": "Article", "publisher": {"@type": "Organization", "name": "Pub"}}</script>"#,
                Some("Pub"),
            ),
            ("<meta name=application-name content=App>", Some("App")),
        ],
        |found| found.site_name,
    );
}

#[test]
fn icons_and_pictures() {
    optional(
        &[
            (
                "<link rel='shortcut icon' href=/f.ico><link rel=icon href=/g.png>",
                Some("https://e.x/f.ico"),
            ),
            (
                "<link rel=apple-touch-icon href=/t.png><link rel=icon href=/g.png>",
                Some("https://e.x/g.png"),
            ),
            (
                "<link rel=icon href=data:,x><link rel=apple-touch-icon href=t.png>",
                Some("https://e.x/t.png"),
            ),
            ("<link rel=mask-icon href=/m.svg>", None),
        ],
        |found| found.favicon,
    );
    optional(
        &[
            (
                "<meta name=twitter:image content=/t><meta property=og:image content=/o>",
                Some("https://e.x/o"),
            ),
            (
                "<meta property=og:image content=''><meta name=twitter:image:src content=/t>",
                Some("https://e.x/t"),
            ),
            (
                r#"<script type="application/ld+json">
                {"@type": "Article", "image": [{"@type": "ImageObject", "url": "/ld.jpg"}]}</script>"#,
                Some("https://e.x/ld.jpg"),
            ),
            ("<link rel=image_src href=/l>", Some("https://e.x/l")),
            ("<img itemprop=image src=/i>", Some("https://e.x/i")),
            ("<img src=/i>", None),
        ],
        |found| found.image,
    );
}

#[test]
fn keywords_and_robots() {
    list(
        &[
            (
                "<meta name=keywords content='a,  b c ;a,,'><meta name=news_keywords content=n>",
                &["a", "b c"],
            ),
            ("<meta name=news_keywords content='n, m'>", &["n", "m"]),
            (
                "<meta property=article:tag content=x><meta property=article:tag content=y>",
                &["x", "y"],
            ),
            (
                r#"<script type="application/ld+json">
                {"@type": "Article", "keywords": ["p", "q, r"]}</script>"#,
                &["p", "q", "r"],
            ),
        ],
        |found| found.keywords,
    );
    list(
        &[
            (
                "<meta name=ROBOTS content='NoIndex, Follow'>",
                &["noindex", "follow"],
            ),
            (
                "<meta name=robots content='max-image-preview: large,noindex'>\
                 <meta name=robots content='noindex,,max-snippet:-1'>",
                &["max-image-preview:large", "noindex", "max-snippet:-1"],
            ),
            ("<meta name=googlebot content=noindex>", &[]),
        ],
        |found| found.robots,
    );
}

#[test]
fn feeds_alternates_and_series() {
    let page = "<link rel=alternate type=application/rss+xml href=/rss title=x>
        <link rel=alternate type='application/atom+xml; charset=utf-8' href=/atom>
        <link rel=alternate type=application/rss+xml href=/rss>
        <link rel=alternate type=application/json href=/wp-json>
        <link rel='alternate stylesheet' href=/style.css>
        <link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=x-default href=/>
        <link rel=alternate hreflang='' href=/none>
        <link rel=prev href=/1><link rel=next href=/3>";
    let found = read(page);
    assert_eq!(found.feeds, ["https://e.x/rss", "https://e.x/atom"]);
    let pair = |language: &str, url: &str| (language.to_owned(), url.to_owned());
    assert_eq!(
        found.alternates,
        [
            pair("de", "https://e.x/de"),
            pair("x-default", "https://e.x/")
        ]
    );
    assert_eq!(found.previous.as_deref(), Some("https://e.x/1"));
    assert_eq!(found.next.as_deref(), Some("https://e.x/3"));
}

#[test]
fn properties_are_kept_by_name() {
    let page = "<meta property=og:image content=/a.png><meta property=og:image content=/b.png>
        <meta property=og:image:width content=600><meta property=og:type content=article>
        <meta property='og:title twitter:title' content=T><meta property=og:empty content=' '>
        <meta property=article:section content=Tech><meta name=twitter:image content=/t.png>
        <meta name=twitter:card content=summary><meta property=og:video:url content=javascript:x>
        <meta property=fb:app_id content=1>";
    let map = |found: &std::collections::BTreeMap<String, String>| -> Vec<String> {
        found
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    };
    let found = read(page);
    assert_eq!(
        map(&found.open_graph),
        [
            "article:section=Tech",
            "og:image=https://e.x/a.png",
            "og:image:width=600",
            "og:title=T",
            "og:type=article",
        ]
    );
    assert_eq!(
        map(&found.twitter),
        [
            "twitter:card=summary",
            "twitter:image=https://e.x/t.png",
            "twitter:title=T"
        ]
    );
}

#[test]
fn an_empty_page_has_no_metadata() {
    let pages = [
        "",
        "<p>text",
        "<template><title>x</title><meta name=author content=y></template>",
        "<!-- <title>x</title> -->",
        "<svg><meta name=author content=y /></svg><svg><title>x</title></svg>",
    ];
    table(pages.map(|page| (page, Metadata::default())), |found| {
        Metadata {
            // A meta breaks out of svg, as in a browser.
            author: Vec::new(),
            ..found
        }
    });
}
