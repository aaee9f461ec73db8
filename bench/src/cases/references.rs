//! Resolving a raw `href`: the common forms, and those (`hard-…`) that are passed on to the `url` crate.

use std::hint::black_box;

use crawler_weburl::Resolver;

use crate::case::Case;
use crate::pages::{R, url};

/// Name, raw reference, and the URL it resolves to on [`R`].
const FORMS: [(&str, &str, &str); 11] = [
    (
        "root",
        "/docs/reference/copper-orbit-77/",
        "https://docs.example.org/docs/reference/copper-orbit-77/",
    ),
    (
        "relative",
        "meadow-paper-81/",
        "https://docs.example.org/docs/guides/copper-winter-41/meadow-paper-81/",
    ),
    (
        "parent",
        "../harbour-river-12/",
        "https://docs.example.org/docs/guides/harbour-river-12/",
    ),
    (
        "same-host",
        "https://docs.example.org/docs/recipes/timber-9/",
        "https://docs.example.org/docs/recipes/timber-9/",
    ),
    (
        "other-host",
        "https://elsewhere.example/a/long/enough/path",
        "https://elsewhere.example/a/long/enough/path",
    ),
    (
        "query",
        "?page=2",
        "https://docs.example.org/docs/guides/copper-winter-41/?page=2",
    ),
    (
        "fragment",
        "#section-3",
        "https://docs.example.org/docs/guides/copper-winter-41/#section-3",
    ),
    (
        "hard-letters",
        "/s\u{f8}k/bl\u{e5}b\u{e6}r?q=gr\u{f8}t",
        "https://docs.example.org/s%C3%B8k/bl%C3%A5b%C3%A6r?q=gr%C3%B8t",
    ),
    (
        "dots",
        "/docs/./guides/x/../winter-3/",
        "https://docs.example.org/docs/guides/winter-3/",
    ),
    (
        "other-scheme",
        "mailto:team@elsewhere.example",
        "mailto:team@elsewhere.example",
    ),
    (
        "hard-dots",
        "/docs/%2e/guides/x/%2E%2e/winter-3/",
        "https://docs.example.org/docs/guides/winter-3/",
    ),
];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = FORMS
        .map(|(name, href, resolved)| {
            Case::new(
                format!("resolve-{name}"),
                1_000,
                resolved.len(),
                move |_| {
                    let resolver = Resolver::new(&url(R.url));
                    let mut out = String::with_capacity(1_024);
                    Box::new(move || {
                        out.clear();
                        resolver.resolve(black_box(href), &mut out);
                        out.len()
                    })
                },
            )
        })
        .into();
    // A resolver is created once per page.
    cases.push(Case::new("resolver-new", 500, 1, |_| {
        let page = url(R.url);
        Box::new(move || {
            black_box(Resolver::new(black_box(&page)));
            1
        })
    }));
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_resolves_as_listed() {
        let resolver = Resolver::new(&url(R.url));
        for (name, href, resolved) in FORMS {
            let mut out = String::new();
            resolver.resolve(href, &mut out);
            assert_eq!(out, resolved, "{name}");
        }
    }
}
