//! Random pages: nothing panics, and the documented limits hold. The seed is fixed, so failures are
//! reproducible.

use crawler_html::Metadata;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use crate::read;

#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "text", " ", "\n", "\0", "é", "\u{200b}", "😀", "&amp;", "&", "<", ">", "\"", "'", "{", "}", "[", "]",
    ",", ":", "|", " - ", " | Foo", "Foo", "By ", ";", "\\u00e9", "\\ud800", "1", "2024-01-02", "T03:04",
    "Jan 2, 2024", "+01:00", "é024-01-02", "1704164645",
    "<title>", "</title>", "<h1>", "</h1>", "<p>", "</p>", "<html lang=en>", "<html lang='é-ÉÉ'>",
    "<svg>", "</svg>", "<template>", "</template>", "<div class=comments>", "</div>",
    "<meta name=author content='", "<meta property=og:title content='", "'>",
    "<meta property=og:site_name content=Foo>", "<meta name=date content='",
    "<meta property=article:published_time content='", "<meta name=keywords content='",
    "<meta name=robots content='", "<meta property=og:image content='", "<meta property=og:locale content='",
    "<meta http-equiv=content-language content='", "<meta name=description content='",
    "<link rel=canonical href='", "<link rel=icon href='", "<link rel=alternate hreflang='", "' href='",
    "<link rel=alternate type=application/rss+xml href='", "<time pubdate>", "<time datetime='", "</time>",
    "<a rel=author>", "</a>", "<span itemprop='author name'>", "<span itemprop=datePublished>", "</span>",
    "<script type=application/ld+json>", "</script>", "<!--", "-->", "<![CDATA[", "]]>",
    "{\"@type\":\"Article\",\"headline\":\"", "\"}", "\",\"author\":{\"name\":\"", "\"@graph\":[",
    "\",\"datePublished\":\"", "{\"@type\":[\"WebSite\"],\"name\":\"Foo\"}", "{\"@id\":\"a\"}",
];

fn run(cases: u32, test: impl Fn(&str) -> Result<(), TestCaseError>) {
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..Config::default()
    };
    let page = prop::collection::vec(select(FRAGMENTS), 0..50).prop_map(|parts| parts.concat());
    TestRunner::new(config)
        .run(&page, |page| test(&page))
        .unwrap();
}

/// Every text in the metadata.
fn texts(found: &Metadata) -> Vec<&String> {
    let single = [
        &found.title,
        &found.description,
        &found.language,
        &found.canonical,
        &found.published,
        &found.modified,
        &found.site_name,
        &found.favicon,
        &found.image,
        &found.next,
    ];
    let lists = [
        &found.author,
        &found.keywords,
        &found.robots,
        &found.json_ld_types,
        &found.feeds,
    ];
    (single.into_iter().flatten())
        .chain(lists.into_iter().flatten())
        .chain(found.open_graph.values())
        .chain(found.twitter.values())
        .chain(found.alternates.iter().map(|(language, _)| language))
        .collect()
}

#[test]
fn limits_hold() {
    run(8_000, |page| {
        let found = read(page);
        for text in texts(&found) {
            prop_assert!(!text.is_empty() && text.len() <= 10 * 1024 + 16);
        }
        let lines = [
            &found.title,
            &found.description,
            &found.site_name,
            &found.published,
        ];
        for line in lines
            .into_iter()
            .flatten()
            .chain(&found.author)
            .chain(&found.keywords)
        {
            prop_assert_eq!(line.trim(), line.as_str());
            prop_assert!(!line.contains(|c: char| c.is_control()));
        }
        for directive in &found.robots {
            prop_assert_eq!(&directive.to_lowercase(), directive);
        }
        Ok(())
    });
}

#[test]
fn results_are_deterministic() {
    run(500, |page| {
        prop_assert_eq!(read(page), read(page));
        Ok(())
    });
}
