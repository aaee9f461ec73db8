//! Lists that can be narrowed down, sorted and shown in more ways than they have entries.

use std::fmt::Write as _;

use super::super::builder::{hash, link, parameter, trap_page};
use super::super::prose::word;
use super::super::{SpacePage, UrlSpace};
use super::honest_part::honest_part_of;
use crate::pseudo_random::mix;

/// Some of the articles, as a list.
fn some_articles<'h>(keys: impl Iterator<Item = &'h String>, seed: u64) -> String {
    let articles: Vec<&String> = keys.filter(|key| key.starts_with("/articles/")).collect();
    let mut list = String::new();
    for at in 0..8 {
        let number = usize::try_from(mix(seed, at)).unwrap_or_default() % articles.len();
        let target = articles[number];
        list.push_str(&link(target, &target[10..].replace('-', " ")));
    }
    list
}

/// Facets that can be combined without a limit, each numbered: `?f[0]=color:red&f[1]=size:l`.
pub(super) fn numbered_facets(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/catalog", 2_400);
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        let query = match requested.strip_prefix("/catalog")? {
            "" => "",
            rest => rest.strip_prefix('?')?,
        };
        let chosen: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
        let mut content = some_articles(honest.keys(), hash(seed, query));
        for facet in ["color", "size", "brand", "material", "price"] {
            for value in 0..5 {
                let value = format!("{facet}%3A{}", word(value + 40));
                if chosen.iter().all(|pair| !pair.ends_with(&value)) {
                    let mark = if chosen.is_empty() { "" } else { "&" };
                    let target = format!("/catalog?{query}{mark}f%5B{}%5D={value}", chosen.len());
                    content.push_str(&link(&target, &value));
                }
            }
        }
        trap_page(layout.page("Catalog", &content))
    })
}

/// One list of ten pages that can be shown in four orders, two directions, three views and four lengths; each page links to all choices.
pub(super) fn views_of_a_list(seed: u64) -> UrlSpace {
    views(seed, 2_800)
}

/// The same on a small site.
pub(super) fn views_of_a_list_of_a_small_site(seed: u64) -> UrlSpace {
    views(seed, 350)
}

fn views(seed: u64, articles: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/list", articles);
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        if requested != "/list" && !requested.starts_with("/list?") {
            return None;
        }
        let choices: [(&str, &[&str]); 5] = [
            ("sort", &["name", "price", "date", "rating"]),
            ("order", &["asc", "desc"]),
            ("view", &["grid", "list", "gallery"]),
            ("perpage", &["12", "24", "48", "96"]),
            ("page", &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]),
        ];
        let chosen = choices.map(|(name, values)| parameter(requested, name).unwrap_or(values[0]));
        let page = chosen[4].parse::<u64>().unwrap_or(1);
        let mut content = some_articles(honest.keys(), mix(hash(seed, chosen[0]), page));
        for (at, (_, values)) in choices.iter().enumerate() {
            for value in *values {
                let pairs: Vec<String> = choices
                    .iter()
                    .zip(chosen)
                    .enumerate()
                    .map(|(other, ((name, _), chosen))| {
                        format!("{name}={}", if other == at { value } else { chosen })
                    })
                    .collect();
                content.push_str(&link(&format!("/list?{}", pairs.join("&")), value));
            }
        }
        trap_page(layout.page("All articles", &content))
    })
}

/// Every link says where it stands: `?ref=section-3`, `?ref=article-12`. The pages are those without it.
pub(super) fn referrers(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/", 2_000);
    builder.with_trap(move |requested, honest| {
        let at = requested.find("?ref=").or_else(|| requested.find("&ref="));
        let shown = at.map_or(requested, |at| &requested[..at]);
        let html = honest.get(shown)?;
        let name = hash(seed, shown) % 100_000;
        let mut parts = html.split("href=\"");
        let mut marked = parts.next()?.to_owned();
        for (position, part) in parts.enumerate() {
            let (target, rest) = part.split_once('"')?;
            let mark = if target.contains('?') { "&amp;" } else { "?" };
            let _ = write!(marked, "href=\"{target}{mark}ref={name}-{position}\"{rest}");
        }
        Some(SpacePage {
            html: marked,
            shows: Some(shown.to_owned()),
        })
    })
}

/// Tags that are folders and can be put behind each other in any order: `/tagged/blue/round/`.
pub(super) fn tag_folders(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/tagged/", 2_500);
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        let chosen = requested.strip_prefix("/tagged/")?;
        let mut content = some_articles(honest.keys(), hash(seed, chosen));
        for tag in 0..15 {
            let tag = word(tag);
            if !chosen.split('/').any(|other| other == tag) {
                content.push_str(&link(&format!("/tagged/{chosen}{tag}/"), tag));
            }
        }
        trap_page(layout.page("Tagged", &content))
    })
}
