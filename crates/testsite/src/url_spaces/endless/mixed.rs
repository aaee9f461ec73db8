//! Traps made after the detection was written.

use super::super::UrlSpace;
use super::super::builder::{hash, link, paragraph, parameter, trap_page};
use super::super::calendar_date::{month_at, month_name};
use super::super::prose::word;
use super::honest_part::honest_part;
use crate::pseudo_random::mix;

/// Months in the query, without any event.
pub(super) fn months_by_query(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/program?year=2024&month=11");
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let year: i64 = parameter(requested, "year")
            .filter(|_| requested.starts_with("/program?"))?
            .parse()
            .ok()?;
        let month: i64 = parameter(requested, "month")?.parse().ok()?;
        let mut content = String::from("<p>No events in this month.</p>");
        for months in [year * 12 + month - 2, year * 12 + month] {
            let (year, month) = month_at(months);
            content.push_str(&link(
                &format!("/program?year={year}&month={month}"),
                month_name(month),
            ));
        }
        trap_page(layout.page(&format!("{} {year}", month_name(month)), &content))
    })
}

/// Tags that can be added to each other in the path: `/tag/red+blue+green`.
pub(super) fn tag_combinations(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/tag/harbor");
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        let tags = requested.strip_prefix("/tag/")?;
        let mut content = String::from("<p>Articles with these tags:</p>");
        let hash = hash(seed, tags);
        for at in 0..8 {
            let skip = usize::try_from(mix(hash, at) % 20).ok()?;
            let target = honest
                .keys()
                .filter(|key| key.starts_with("/articles/"))
                .nth(skip)?;
            content.push_str(&link(target, &target[10..].replace('-', " ")));
        }
        for tag in 0..12 {
            let tag = word(tag);
            if !tags.split('+').any(|other| other == tag) {
                content.push_str(&link(&format!("/tag/{tags}+{tag}"), tag));
            }
        }
        trap_page(layout.page(&format!("Tagged {tags}"), &content))
    })
}

/// A page to log in that links to itself, with the way back in the address.
pub(super) fn nested_login(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/login?next=%2F");
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let next = parameter(requested, "next").filter(|_| requested.starts_with("/login?"))?;
        let form = "<p>Please enter your name and your password to continue to the page that you asked for.</p>";
        let target = format!("/login?next=%2Flogin%3Fnext%3D{}", next.replace('%', "%25"));
        trap_page(layout.page("Log in", &format!("{form}{}", link(&target, "Log in"))))
    })
}

/// A maze whose pages link back to the page before and to the entrance.
pub(super) fn maze_with_way_back(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/poems/first");
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let path = requested.strip_prefix("/poems/")?;
        let hash = hash(seed, path);
        let mut content = paragraph(hash, 60);
        content.push_str(&link("/poems/first", "First poem"));
        for at in 0..4 {
            let number = mix(hash, at);
            let name = format!(
                "{}-{}-{}",
                word(number),
                word(number / 144),
                word(number / 30_000)
            );
            content.push_str(&link(&format!("/poems/{name}"), &name));
        }
        trap_page(layout.page(word(hash), &content))
    })
}
