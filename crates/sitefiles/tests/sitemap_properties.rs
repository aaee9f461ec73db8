//! Any bytes yield a result, and the summary agrees with what was reported.

use crawler_sitefiles::{SitemapLimits, read_sitemap};
use proptest::prelude::*;

fn check(body: &[u8]) -> Result<(), TestCaseError> {
    let limits = SitemapLimits {
        max_urls: 5,
        max_bytes: 3_000,
    };
    let mut found = 0;
    let summary = read_sitemap(body, limits, |_| found += 1);
    prop_assert!(found <= limits.max_urls);
    prop_assert_eq!(summary.map_or(0, |summary| summary.locations), found);
    Ok(())
}

/// Fragments that, in any order, come close to a sitemap.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "<urlset>",
        "</urlset>",
        "<sitemapindex>",
        "<url>",
        "</url>",
        "<loc>",
        "</loc>",
        "<loc/>",
        "http://a/",
        "&amp;",
        "&",
        "&#0;",
        "&#xFFFFFFFF;",
        ";",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<rss>",
        "<item>",
        "<link>",
        "</link>",
        "</item>",
        "<feed>",
        "<entry>",
        "<link href='http://b/'/>",
        "<link href=\"",
        "<?xml version='1.0'?>",
        "<!DOCTYPE x [",
        "]>",
        "<!ENTITY",
        "\n",
        " ",
        "é",
        "<",
        ">",
    ]);
    prop::collection::vec(fragment, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(body in prop::collection::vec(any::<u8>(), 0..4000)) {
        check(&body)?;
    }

    #[test]
    fn any_gzip(body in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&[&[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3][..], &body].concat())?;
    }

    #[test]
    fn nearly_xml(start in prop::sample::select(vec!["<urlset>", "<rss>", "<feed>", ""]), rest in fragments()) {
        check(format!("{start}{rest}").as_bytes())?;
    }

    /// The locations of a urlset are read as they were written.
    #[test]
    fn locations_survive(paths in prop::collection::vec("[!-~é]{1,20}", 1..30)) {
        let urls: Vec<String> = paths.iter().map(|path| format!("http://a/{path}")).collect();
        let escaped = urls.iter().map(|url| url.replace('&', "&amp;").replace('<', "&lt;"));
        let inner = escaped.map(|url| format!("<url><loc>\n{url}\n</loc></url>")).collect::<Vec<_>>().concat();
        let mut found = Vec::new();
        let body = format!("<urlset>{inner}</urlset>");
        let summary = read_sitemap(body.as_bytes(), SitemapLimits::default(), |item| {
            if let crawler_sitefiles::SitemapLocation::Page(url) = item {
                found.push(url.to_owned());
            }
        });
        prop_assert!(summary.is_ok_and(|summary| !summary.malformed && !summary.cut));
        prop_assert_eq!(found, urls);
    }
}
