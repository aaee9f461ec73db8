//! Archives by date.

use std::fmt::Write;

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::calendar_date::{CalendarDate, month_at, month_name};
use super::super::prose::{prose, slug, title};
use crate::pseudo_random::{below, mix};

fn first_day(builder: &Builder) -> CalendarDate {
    let year = 1995 + i64::from(builder.choose(25, 1));
    CalendarDate::of(year, 1, 1).plus(i64::from(builder.choose(300, 2)))
}

/// The text of a day.
fn day_text(seed: u64, number: u64) -> String {
    let words = 15 + below(50, seed, number);
    paragraph(mix(seed, number), words)
}

/// Adds days that only link to the day before and the day after; the home page links to the last one.
fn chain(builder: &mut Builder, days: &[CalendarDate], target: impl Fn(CalendarDate) -> String) {
    for (at, day) in days.iter().enumerate() {
        let mut content = day_text(builder.seed, at as u64);
        if at > 0 {
            content.push_str(&link(&target(days[at - 1]), "Previous day"));
        }
        if let Some(next) = days.get(at + 1) {
            content.push_str(&link(&target(*next), "Next day"));
        }
        builder.page(target(*day), &format!("News of {}", day.long()), &content);
    }
    let latest = days.last().map(|day| target(*day)).unwrap_or_default();
    builder.page("/", "Daily news", &link(&latest, "Latest news"));
    builder.page("/about", "About", &paragraph(builder.seed, 60));
}

fn days_in_a_row(builder: &Builder) -> Vec<CalendarDate> {
    let first = first_day(builder);
    let count = 1_000 + i64::from(builder.choose(500, 3));
    (0..count).map(|at| first.plus(at)).collect()
}

pub(super) fn days_by_path(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/about"]);
    let days = days_in_a_row(&builder);
    chain(&mut builder, &days, |day| format!("/{}", day.path()));
    builder.finish()
}

pub(super) fn days_by_query(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/about"]);
    let days = days_in_a_row(&builder);
    chain(&mut builder, &days, |day| format!("/news?date={day}"));
    builder.finish()
}

/// Days that only a sitemap lists, half of them without anything new.
pub(super) fn days_in_a_sitemap(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/about"]);
    let days = days_in_a_row(&builder);
    chain(&mut builder, &days, |day| {
        format!("/archive/{}", day.path())
    });
    for (at, day) in days.iter().enumerate() {
        let target = format!("/archive/{}", day.path());
        if mix(seed, at as u64 + 7).is_multiple_of(2) {
            builder.page(target.clone(), &day.long(), "<p>Nothing happened.</p>");
        }
        builder.list(target);
    }
    builder.finish()
}

pub(super) fn months(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/about"]);
    let first = 12 * (1960 + i64::from(builder.choose(30, 1)));
    let count = 350 + i64::from(builder.choose(100, 2));
    let target = |at: i64| {
        let (year, month) = month_at(first + at);
        format!("/bulletin/{year}-{month:02}")
    };
    for at in 0..count {
        let (year, month) = month_at(first + at);
        let mut content = paragraph(mix(seed, at.unsigned_abs()), 80);
        if at > 0 {
            content.push_str(&link(&target(at - 1), "Previous"));
        }
        if at + 1 < count {
            content.push_str(&link(&target(at + 1), "Next"));
        }
        let name = format!("Bulletin of {} {year}", month_name(month));
        builder.page(target(at), &name, &content);
    }
    builder.page("/", "Bulletins", &link(&target(0), "The first bulletin"));
    builder.page("/about", "About", &paragraph(seed, 60));
    builder.finish()
}

/// Years link to months, and months to days.
pub(super) fn days_by_index(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/archive"]);
    let days = days_in_a_row(&builder);
    index(&mut builder, &days, "/archive", |builder, day, number| {
        let content = day_text(builder.seed, number);
        let target = format!("/archive/{}", day.path());
        builder.page(target.clone(), &day.long(), &content);
        target
    });
    builder.finish()
}

/// Dated articles, with indexes by year and month.
pub(super) fn dated_slugs(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/blog"]);
    let days = days_in_a_row(&builder);
    index(&mut builder, &days, "/blog", |builder, day, number| {
        let target = format!("/blog/{}/{}", day.path(), slug(seed, number));
        let content = paragraph(mix(seed, number), 90);
        builder.page(target.clone(), &title(seed, number), &content);
        target
    });
    builder.finish()
}

/// Forty years with three or four days a month; most months have a page that only lists its days.
pub(super) fn four_decades(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/press"]);
    let mut days = Vec::new();
    for months in 1990 * 12..2030 * 12 {
        let (year, month) = month_at(months);
        for at in 0..3 + i64::from(below(2, seed, months.unsigned_abs())) {
            days.push(CalendarDate::of(year, month, 1 + 7 * at));
        }
    }
    index(&mut builder, &days, "/press", |builder, day, number| {
        let content = format!("<p>{}</p>", prose(mix(seed, number), 12));
        let target = format!("/press/{day}");
        builder.page(target.clone(), "Press release", &content);
        target
    });
    builder.finish()
}

/// Adds indexes by year and month; `add` adds the page of a day and returns its target.
fn index(
    builder: &mut Builder,
    days: &[CalendarDate],
    base: &str,
    add: impl Fn(&mut Builder, CalendarDate, u64) -> String,
) {
    let (mut years, mut months) = (
        Vec::<(i64, String)>::new(),
        Vec::<(i64, i64, String)>::new(),
    );
    for (number, day) in (0..).zip(days) {
        let target = add(builder, *day, number);
        let (year, month, _) = day.parts();
        if !matches!(months.last(), Some((y, m, _)) if (*y, *m) == (year, month)) {
            months.push((year, month, String::new()));
        }
        if !matches!(years.last(), Some((y, _)) if *y == year) {
            years.push((year, String::new()));
        }
        if let Some((_, _, list)) = months.last_mut() {
            list.push_str(&link(&target, &day.long()));
        }
    }
    let mut all = String::new();
    for (year, month, list) in &months {
        let target = format!("{base}/{year}/{month:02}");
        builder.page(
            target.clone(),
            &format!("{} {year}", month_name(*month)),
            list,
        );
        if let Some((_, months)) = years.iter_mut().find(|(found, _)| found == year) {
            months.push_str(&link(&target, month_name(*month)));
        }
    }
    for (year, list) in &years {
        let target = format!("{base}/{year}");
        builder.page(target.clone(), &year.to_string(), list);
        write!(all, "{}", link(&target, &year.to_string())).ok();
    }
    builder.page(base, "Archive", &all);
    builder.page("/", "Home", &paragraph(builder.seed, 50));
}
