//! Mazes whose pages lead from one area of the site to another and back.

use super::super::UrlSpace;
use super::super::builder::{hash, link, paragraph, trap_page};
use super::super::prose::word;
use super::honest_part::honest_part_of;
use crate::pseudo_random::{below, mix};

/// Pages below several folders; `next` chooses the folder of a link from that of the page it is on.
fn areas(
    seed: u64,
    entrance: &str,
    folders: &'static [&'static str],
    next: impl Fn(usize, u64) -> usize + Send + Sync + 'static,
    text: impl Fn(u64) -> String + Send + Sync + 'static,
) -> UrlSpace {
    let builder = honest_part_of(seed, entrance, 2_000);
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let (folder, _) = requested.strip_prefix('/')?.split_once('/')?;
        let at = folders.iter().position(|other| *other == folder)?;
        let hash = hash(seed, requested);
        let mut content = text(hash);
        for index in 0..2 + mix(hash, 3) % 4 {
            let folder = folders[next(at, mix(hash, index + 40)) % folders.len()];
            let number = mix(hash, index) % 1_000_000_000;
            content.push_str(&link(&format!("/{folder}/{number}"), word(number)));
        }
        trap_page(layout.page(word(hash), &content))
    })
}

/// Songs lead to artists, artists to labels, labels to songs.
pub(super) fn three_areas(seed: u64) -> UrlSpace {
    areas(
        seed,
        "/songs/1",
        &["songs", "artists", "labels"],
        |at, _| at + 1,
        |hash| paragraph(hash, 40 + below(30, hash, 1)),
    )
}

/// Each link leads to any of five areas.
pub(super) fn five_areas(seed: u64) -> UrlSpace {
    areas(
        seed,
        "/plants/1",
        &["plants", "animals", "stones", "stars", "rivers"],
        |_, number| usize::try_from(number % 5).unwrap_or_default(),
        |hash| paragraph(hash, 50),
    )
}

/// Two areas whose pages all have the same text, but for a number.
pub(super) fn two_areas_of_templates(seed: u64) -> UrlSpace {
    areas(
        seed,
        "/listing/1",
        &["listing", "seller"],
        |at, _| at + 1,
        |hash| {
            format!(
                "<p>This listing was seen {} times. Ask the seller for the price and the terms of delivery.</p>",
                hash % 9_000
            )
        },
    )
}

/// Two areas whose pages have a link to the entrance and to a list of rules.
pub(super) fn two_areas_with_way_back(seed: u64) -> UrlSpace {
    areas(
        seed,
        "/letters/1",
        &["letters", "replies"],
        |at, _| at + 1,
        |hash| {
            paragraph(hash, 45)
                + &link("/letters/1", "First letter")
                + &link("/letters/rules", "Rules")
        },
    )
}
