//! Paths that grow, and sites that have a page for every URL.

use super::super::UrlSpace;
use super::super::builder::{hash, link, trap_page};
use super::super::prose::{slug, token, word};
use super::honest_part::honest_part;
use crate::pseudo_random::mix;

/// A page with links that should have been absolute: each level is a folder with the same pages again.
pub(super) fn relative_links(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/help/");
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        if !requested.starts_with("/help/") {
            return None;
        }
        let mut content = String::from("<p>How can we help?</p>");
        for name in ["contact", "shipping", "returns"] {
            content.push_str(&link(&format!("{name}/"), name));
        }
        trap_page(layout.page("Help", &content))
    })
}

/// Every URL that does not exist shows the same page, with links to more of them.
pub(super) fn soft_404(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/old/start.html");
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        if honest.contains_key(requested) || requested == "/robots.txt" {
            return None;
        }
        let mut content = String::from("<p>We could not find this page. You may like these:</p>");
        for at in 0..4 {
            let number = mix(hash(seed, requested), at) % 100_000;
            content.push_str(&link(
                &format!("/old/{}-{number}.html", slug(seed, number % 20_000)),
                "This one",
            ));
        }
        trap_page(layout.page("Not found", &content))
    })
}

/// The same; the links lead below the page.
pub(super) fn soft_404_below(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/files/list");
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        if honest.contains_key(requested) || requested == "/robots.txt" {
            return None;
        }
        let mut content = String::from("<p>This page is not there. See also:</p>");
        let hash = hash(seed, requested);
        for at in 0..3 {
            let target = match mix(hash, at) % 3 {
                0 => format!(
                    "{}/{}",
                    requested.split('?').next()?.trim_end_matches('/'),
                    word(mix(hash, at + 10))
                ),
                1 => format!("/files/{}", token(seed, mix(hash, at + 20))),
                _ => format!(
                    "/files/{}?id={}",
                    word(mix(hash, at + 30)),
                    mix(hash, at) % 10_000
                ),
            };
            content.push_str(&link(&target, "This one"));
        }
        trap_page(layout.page("Not found", &content))
    })
}
