//! Sites of several parts, made after the detection was written.

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::calendar_date::{CalendarDate, month_at, month_name};
use super::super::prose::{slug, title};
use crate::pseudo_random::{below, mix};

/// Posts that link to three others each and to no index, beside forty pages about the company.
pub(super) fn related_posts(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/posts/newest"]);
    let mut home = String::new();
    for number in 0..40 {
        let target = format!("/company/{}", slug(seed, number + 15_000));
        home.push_str(&link(&target, "About us"));
        builder.page(
            target,
            "About us",
            &paragraph(mix(seed, number + 60_000), 60),
        );
    }
    let posts = 1_000;
    let mut newest = String::new();
    for number in 0..posts {
        let target = |number: u64| format!("/posts/{}", slug(seed, number));
        let mut content = paragraph(mix(seed, number), 70);
        for other in [
            number + 7,
            mix(seed, number) % posts,
            mix(seed, number + 5_000) % posts,
        ] {
            content.push_str(&link(&target(other % posts), &title(seed, other % posts)));
        }
        if number < 10 {
            newest.push_str(&link(&target(number), &title(seed, number)));
        }
        builder.page(target(number), &title(seed, number), &content);
    }
    builder.page("/posts/newest", "Newest posts", &newest);
    builder.page("/", "Home", &home);
    builder.finish()
}

/// A diary in which a third of the days are empty, beside two hundred other pages.
pub(super) fn diary_with_gaps(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let mut home = String::new();
    for number in 0..200 {
        let target = format!("/essays/{}", slug(seed, number));
        home.push_str(&link(&target, &title(seed, number)));
        builder.page(
            target,
            &title(seed, number),
            &paragraph(mix(seed, number), 60),
        );
    }
    let first = CalendarDate::of(2018, 3, 1);
    home.push_str(&link(&format!("/diary/{}", first.path()), "Diary"));
    for at in 0..1_000_i64 {
        let day = first.plus(at);
        let mut content = match mix(seed, at.unsigned_abs() + 900) % 3 {
            0 => "<p>No entry.</p>".to_owned(),
            _ => paragraph(mix(seed, at.unsigned_abs() + 20_000), 15),
        };
        for step in [-1, 1] {
            if (0..1_000).contains(&(at + step)) {
                content.push_str(&link(
                    &format!("/diary/{}", day.plus(step).path()),
                    "Another day",
                ));
            }
        }
        builder.page(format!("/diary/{}", day.path()), &day.long(), &content);
    }
    builder.page("/", "Home", &home);
    builder.finish()
}

/// Months in the query, with events that have a number, beside a hundred other pages.
pub(super) fn numbered_events(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/program?year=2015&month=1"]);
    let mut home = String::new();
    for number in 0..100 {
        let target = format!("/venue/{}", slug(seed, number));
        home.push_str(&link(&target, &title(seed, number)));
        builder.page(
            target,
            &title(seed, number),
            &paragraph(mix(seed, number), 60),
        );
    }
    for months in 0..96_i64 {
        let (year, month) = month_at(2015 * 12 + months);
        let mut content = String::new();
        let events = below(12, seed, months.unsigned_abs());
        for event in 0..u64::from(if months % 7 < 3 { 0 } else { events }) {
            let number = months.unsigned_abs() * 20 + event + 1_000;
            let target = format!("/event?id={number}");
            content.push_str(&link(&target, &title(seed, number)));
            builder.page(
                target,
                &title(seed, number),
                &paragraph(mix(seed, number), 40),
            );
        }
        for step in [-1, 1] {
            if (0..96).contains(&(months + step)) {
                let (year, month) = month_at(2015 * 12 + months + step);
                content.push_str(&link(
                    &format!("/program?year={year}&month={month}"),
                    "Another month",
                ));
            }
        }
        let name = format!("Program of {} {year}", month_name(month));
        builder.page(
            format!("/program?year={year}&month={month}"),
            &name,
            &content,
        );
    }
    builder.page("/", "Home", &home);
    builder.finish()
}

/// Members whose pages only have numbers, found through a list with pages.
pub(super) fn members(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/members?page=1"]);
    for page in 1..=80_u64 {
        let mut content = String::new();
        for member in page * 15..page * 15 + 15 {
            let target = format!("/member/{member}");
            content.push_str(&link(&target, &title(seed, member)));
            let number = |at| below(5_000, seed, member * 10 + at);
            let table = format!("<td>{} posts</td><td>{} points</td>", number(1), number(2));
            builder.page(target, &title(seed, member), &table);
        }
        if page < 80 {
            content.push_str(&link(&format!("/members?page={}", page + 1), "Next"));
        }
        builder.page(format!("/members?page={page}"), "Members", &content);
    }
    builder.page("/", "Home", "<p>Welcome</p>");
    builder.finish()
}
