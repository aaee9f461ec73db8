//! Mazes for crawlers: pages of random text that lead to more of them.

use super::super::UrlSpace;
use super::super::builder::{hash, link, paragraph, parameter, trap_page};
use super::super::prose::{token, word};
use super::honest_part::honest_part;
use crate::pseudo_random::{below, mix};

/// Pages whose links are computed from their own target by `next`.
fn maze(
    seed: u64,
    entrance: &str,
    is_inside: fn(&str) -> bool,
    next: impl Fn(&str, u64) -> String + Send + Sync + 'static,
) -> UrlSpace {
    let builder = honest_part(seed, entrance);
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        if !is_inside(requested) {
            return None;
        }
        let hash = hash(seed, requested);
        let mut content = paragraph(hash, 40 + below(60, hash, 1));
        for at in 0..3 + mix(hash, 2) % 4 {
            content.push_str(&link(
                &next(requested, mix(hash, at + 10)),
                word(mix(hash, at + 90)),
            ));
        }
        trap_page(layout.page(word(hash), &content))
    })
}

pub(super) fn token_maze(seed: u64) -> UrlSpace {
    let next = move |_: &str, number: u64| format!("/t/{}", token(seed, number));
    maze(
        seed,
        "/t/8f3ac91be0",
        |target| target.starts_with("/t/"),
        next,
    )
}

pub(super) fn word_maze(seed: u64) -> UrlSpace {
    let next = |_: &str, number: u64| {
        format!(
            "/maze/{}-{}-{}",
            word(number),
            word(number / 200),
            word(number / 40_000)
        )
    };
    maze(
        seed,
        "/maze/enter",
        |target| target.starts_with("/maze/"),
        next,
    )
}

pub(super) fn query_maze(seed: u64) -> UrlSpace {
    let next = move |_: &str, number: u64| format!("/read?key={}", token(seed, number));
    maze(
        seed,
        "/read?key=8f3ac91be0",
        |target| parameter(target, "key").is_some(),
        next,
    )
}

/// Each page is a folder for the next ones, up to five levels.
pub(super) fn nested_maze(seed: u64) -> UrlSpace {
    let next = |target: &str, number: u64| {
        let levels = target.matches('/').count();
        let folder = if levels > 6 { "/library" } else { target };
        format!("{folder}/{}-{}", word(number), word(number / 200))
    };
    maze(
        seed,
        "/library/entry",
        |target| target.starts_with("/library/"),
        next,
    )
}
