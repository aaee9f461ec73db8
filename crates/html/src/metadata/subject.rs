//! Decides which of the things in a page's JSON-LD the page is about.
//!
//! Articles come before other works and products, and those before the page itself; a site, a breadcrumb trail
//! or a company is what the page belongs to, not what it is about. If several things of one type have
//! different names, the page is a list and none of them describes it, except the one with the page's own URL.
//! Of several works of different types the first counts.

use std::collections::HashMap;

use serde_json::Value;

use super::json_ld::{Thing, types};

/// How well a thing describes the page it is on, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SubjectRank {
    Article,
    Work,
    Page,
    Site,
}

#[rustfmt::skip]
const WORKS: &[&str] = &[
    "Recipe", "HowTo", "Product", "ProductGroup", "VideoObject", "PodcastEpisode", "Podcast",
    "Book", "Course", "Event", "Movie", "TVSeries", "TVEpisode", "MusicRecording", "MusicAlbum",
    "SoftwareApplication", "MobileApplication", "WebApplication", "VideoGame", "Dataset",
    "CreativeWork", "JobPosting", "Question", "Review", "Quiz", "SoftwareSourceCode",
    "LearningResource", "Thesis", "Chapter",
];

/// The best rank among a thing's types.
pub(super) fn rank(thing: &Thing) -> Option<SubjectRank> {
    types(thing).filter_map(rank_of_type).min()
}

fn rank_of_type(name: &str) -> Option<SubjectRank> {
    if WORKS.contains(&name) {
        Some(SubjectRank::Work)
    } else if name.ends_with("Article") || name.ends_with("Posting") || name == "Report" {
        Some(SubjectRank::Article)
    } else if name.ends_with("Page") {
        Some(SubjectRank::Page)
    } else {
        (name == "WebSite").then_some(SubjectRank::Site)
    }
}

/// The things the page is about, best first, limited to those that describe the whole page.
pub(super) fn subjects<'v>(things: &[&'v Thing], own: &dyn Fn(&Thing) -> bool) -> Vec<&'v Thing> {
    let mut names = HashMap::new();
    let mut listed: Vec<&str> = Vec::new();
    for thing in things {
        let kind = types(thing).next().unwrap_or_default();
        if let Some(name) = name(thing)
            && *names.entry(kind).or_insert(name) != name
        {
            listed.push(kind);
        }
    }
    listed.sort_unstable();
    listed.dedup();
    let mut subjects: Vec<(SubjectRank, &Thing)> = Vec::new();
    for thing in things {
        let kind = types(thing).next().unwrap_or_default();
        let describes_page = listed.binary_search(&kind).is_err() || own(thing);
        match rank(thing) {
            Some(rank) if rank < SubjectRank::Site && describes_page => {
                subjects.push((rank, *thing));
            }
            _ => {}
        }
    }
    subjects.sort_by_key(|(rank, _)| *rank);
    // The author of a product review did not write the product page.
    subjects
        .dedup_by(|second, first| second.0 == SubjectRank::Work && first.0 == SubjectRank::Work);
    subjects
        .into_iter()
        .map(|(_, thing)| thing)
        .take(16)
        .collect()
}

fn name(thing: &Thing) -> Option<&str> {
    let text = |name| thing.get(name).and_then(Value::as_str);
    text("headline").or_else(|| text("name"))
}

/// Whether the thing gives this URL as its own.
pub(super) fn has_url(thing: &Thing, own: &str, url: &dyn Fn(&str) -> Option<String>) -> bool {
    ["url", "mainEntityOfPage", "@id"].iter().any(|name| {
        let text = match thing.get(*name) {
            Some(Value::Object(page)) => page.get("@id").or_else(|| page.get("url")),
            value => value,
        };
        let reference = text.and_then(Value::as_str).and_then(url);
        // An `@id` is often the page's URL with a fragment.
        reference.is_some_and(|url| url.split('#').next() == own.split('#').next())
    })
}
