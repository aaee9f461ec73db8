//! Pages that always have a next one: lists that start again, searches that suggest others, dates with made-up text.

use std::fmt::Write as _;

use super::super::builder::{hash, link, links, paragraph, parameter, trap_page};
use super::super::calendar_date::CalendarDate;
use super::super::prose::word;
use super::super::{SpacePage, UrlSpace};
use super::honest_part::honest_part_of;
use crate::pseudo_random::mix;

/// A list that starts again when it is at its end: `/latest?offset=20`.
pub(super) fn list_that_starts_again(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/latest?offset=0", 1_600);
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        let offset: usize = parameter(requested, "offset")
            .filter(|_| requested.starts_with("/latest?"))?
            .parse()
            .ok()?;
        let articles: Vec<&String> = honest
            .keys()
            .filter(|key| key.starts_with("/articles/"))
            .take(60)
            .collect();
        let mut content = String::new();
        for at in offset..offset + 10 {
            let target = articles[at % articles.len()];
            content.push_str(&link(target, &target[10..].replace('-', " ")));
        }
        content.push_str(&link(
            &format!("/latest?offset={}", offset + 10),
            "Load more",
        ));
        trap_page(layout.page("Latest", &content))
    })
}

/// A search that suggests longer and other searches, whatever was searched for; it finds a few articles.
pub(super) fn suggestions(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/search?q=harbor", 2_300);
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        let query = parameter(requested, "q").filter(|_| requested.starts_with("/search?"))?;
        let hash = hash(seed, query);
        let articles: Vec<&String> = honest
            .keys()
            .filter(|key| key.starts_with("/articles/"))
            .collect();
        let mut content = format!("<p>Results for {}</p>", query.replace('+', " "));
        for at in 0..3 {
            let target =
                articles[usize::try_from(mix(hash, at)).unwrap_or_default() % articles.len()];
            content.push_str(&link(target, &target[10..].replace('-', " ")));
        }
        content.push_str("<h2>People also searched for</h2>");
        let last = query.rsplit('+').next()?;
        for at in 0..5 {
            let more = word(mix(hash, at + 10));
            content.push_str(&link(
                &format!("/search?q={last}+{more}+{}", word(mix(hash, at + 20))),
                more,
            ));
        }
        trap_page(layout.page("Search", &content))
    })
}

/// A page for every date, in the past and in the future, each with other made-up sentences.
pub(super) fn dates_with_new_text(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/daily/2024-11-16", 2_000);
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let day = CalendarDate::parse(requested.strip_prefix("/daily/")?)?;
        let mut content = paragraph(mix(seed, day.0.unsigned_abs() + 700_000), 40);
        let (before, after) = (
            format!("/daily/{}", day.plus(-1)),
            format!("/daily/{}", day.plus(1)),
        );
        content.push_str(&links([(&*before, "Yesterday"), (&*after, "Tomorrow")]));
        trap_page(layout.page(&day.long(), &content))
    })
}

/// A page that was not found is shown with status 200 and relative links of its own, and some articles that might be meant.
pub(super) fn not_found_with_advice(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/service/contact", 1_900);
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        if honest.contains_key(requested) || !requested.starts_with("/service/") {
            return None;
        }
        let articles: Vec<&String> = honest.keys().filter(|key| key.starts_with("/articles/")).collect();
        let mut content = "<p>Unfortunately this page does not exist any more. Perhaps one of these is of interest to you.</p>".to_owned();
        for at in 0..4 {
            let target = articles[usize::try_from(mix(hash(seed, requested), at)).unwrap_or_default() % articles.len()];
            content.push_str(&link(target, &target[10..].replace('-', " ")));
        }
        for name in ["imprint", "contact/form", "directions/map"] {
            let _ = write!(content, "<a href=\"{name}\">{name}</a> ");
        }
        trap_page(layout.page("Page not found", &content))
    })
}

/// Two areas that send the visitor to and fro: each page of one leads to three new pages of the other.
pub(super) fn two_areas(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/stories/1", 2_100);
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let (other, id) = match requested.strip_prefix("/stories/") {
            Some(id) => ("authors", id),
            None => ("stories", requested.strip_prefix("/authors/")?),
        };
        let hash = hash(seed, requested);
        let mut content = paragraph(mix(hash, id.len() as u64), 45);
        for at in 0..3 {
            content.push_str(&link(
                &format!("/{other}/{}", mix(hash, at) % 1_000_000_000),
                word(mix(hash, at + 5)),
            ));
        }
        trap_page(layout.page(word(hash), &content))
    })
}

/// Links to a counter, which redirects to a page with the next one.
pub(super) fn redirect_hops(seed: u64) -> UrlSpace {
    let mut builder = honest_part_of(seed, "/go/1", 2_000);
    let layout = builder.layout();
    builder.redirect(|requested| {
        let number: u64 = requested.strip_prefix("/go/")?.parse().ok()?;
        Some(format!("/offer/{number}"))
    });
    builder.with_trap(move |requested, _| {
        let number: u64 = requested.strip_prefix("/offer/")?.parse().ok()?;
        let mut content = "<p>This offer has ended. Have a look at the next one.</p>".to_owned();
        for next in [number * 2, number * 2 + 1] {
            content.push_str(&link(
                &format!("/go/{}", next % 1_000_000_007),
                "Next offer",
            ));
        }
        trap_page(layout.page("Offer", &content))
    })
}

/// Every page has a link to a counter that redirects back to the page with the count: `/hit?page=…` to `/articles/…?hit=…`.
pub(super) fn counted_visits(seed: u64) -> UrlSpace {
    let mut builder = honest_part_of(seed, "/", 2_000);
    builder.redirect(move |requested| {
        let page = parameter(requested, "page").filter(|_| requested.starts_with("/hit?"))?;
        Some(format!(
            "{}?hit={}",
            page.replace("%2F", "/"),
            hash(seed, requested) % 1_000_000
        ))
    });
    builder.with_trap(move |requested, honest| {
        let shown = requested.split("?hit=").next()?;
        if !shown.starts_with("/articles/") {
            return None;
        }
        let html = honest.get(shown)?;
        let count = link(
            &format!(
                "/hit?page={}&at={}",
                shown.replace('/', "%2F"),
                hash(seed, requested) % 1_000
            ),
            "Like",
        );
        Some(SpacePage {
            html: html.replace("</main>", &format!("{count}</main>")),
            shows: Some(shown.to_owned()),
        })
    })
}
