//! Calendars that have a next day, whatever the day.

use super::super::builder::{hash, link, links, paragraph, parameter, trap_page};
use super::super::calendar_date::{CalendarDate, month_at, month_name};
use super::super::prose::{prose, slug, title};
use super::super::{SpacePage, UrlSpace};
use super::honest_part::honest_part;
use crate::pseudo_random::{below, mix};

const TODAY: (i64, i64, i64) = (2024, 11, 16);

fn today() -> CalendarDate {
    CalendarDate::of(TODAY.0, TODAY.1, TODAY.2)
}

/// Days with a previous and a next one; `target` and `day_of` convert between days and targets.
fn endless_days(
    seed: u64,
    target: fn(CalendarDate) -> String,
    day_of: fn(&str) -> Option<CalendarDate>,
    text: impl Fn(CalendarDate) -> String + Send + Sync + 'static,
) -> UrlSpace {
    let builder = honest_part(seed, &target(today()));
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let day = day_of(requested)?;
        let (before, after) = (target(day.plus(-1)), target(day.plus(1)));
        let mut content = text(day);
        content.push_str(&links([(&*before, "Previous day"), (&*after, "Next day")]));
        trap_page(layout.page(&format!("Events on {}", day.long()), &content))
    })
}

fn no_events(_: CalendarDate) -> String {
    "<p>There are no events on this day.</p>".to_owned()
}

pub(super) fn calendar_by_path(seed: u64) -> UrlSpace {
    let day_of = |target: &str| CalendarDate::parse(target.strip_prefix("/calendar/")?);
    endless_days(
        seed,
        |day| format!("/calendar/{}", day.path()),
        day_of,
        no_events,
    )
}

pub(super) fn calendar_by_query(seed: u64) -> UrlSpace {
    let day_of = |target: &str| {
        let date = parameter(target, "date").filter(|_| target.starts_with("/events?"));
        CalendarDate::parse(date?)
    };
    endless_days(seed, |day| format!("/events?date={day}"), day_of, no_events)
}

/// Every day shows some numbers: visitors, a forecast, a moon phase.
pub(super) fn calendar_with_numbers(seed: u64) -> UrlSpace {
    let day_of = |target: &str| CalendarDate::parse(target.strip_prefix("/day/")?);
    endless_days(
        seed,
        |day| format!("/day/{day}"),
        day_of,
        move |day| {
            let number = |index| below(100_000, seed, day.0.unsigned_abs() * 10 + index);
            format!(
                "<p>No events. {} visitors so far, {} today, request {}.</p>",
                number(1),
                number(2) / 100,
                number(3)
            )
        },
    )
}

/// Weeks by their number, counted without end.
pub(super) fn calendar_of_weeks(seed: u64) -> UrlSpace {
    let builder = honest_part(seed, "/plan/2024-W46");
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let (year, week) = requested.strip_prefix("/plan/")?.split_once("-W")?;
        let weeks = year.parse::<i64>().ok()? * 52 + week.parse::<i64>().ok()? - 1;
        let mut content = "<p>Nothing is planned for this week.</p>".to_owned();
        for other in [weeks - 1, weeks + 1] {
            let target = format!("/plan/{}-W{:02}", other / 52, other % 52 + 1);
            content.push_str(&link(&target, "Another week"));
        }
        trap_page(layout.page(&format!("Week {week} of {year}"), &content))
    })
}

/// Years, months and days that link to each other, each in three views, without any event.
pub(super) fn calendar_views(seed: u64) -> UrlSpace {
    views(seed, 0)
}

/// The same; the last four months have events.
pub(super) fn calendar_views_with_events(seed: u64) -> UrlSpace {
    views(seed, 4)
}

fn views(seed: u64, months_with_events: i64) -> UrlSpace {
    let mut builder = honest_part(seed, "/cal/2024/11");
    for number in 14_000..14_000 + 10 * months_with_events.unsigned_abs() {
        let content = paragraph(mix(seed, number), 60);
        builder.page(
            format!("/event/{}", slug(seed, number)),
            &title(seed, number),
            &content,
        );
    }
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let path = requested.split('?').next()?.strip_prefix("/cal/")?;
        let parts: Vec<i64> = path
            .split('/')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;
        let mut content = String::new();
        // A day of a month with events may have one.
        let mut shows = None;
        for view in ["list", "grid", "print"] {
            content.push_str(&link(&format!("/cal/{path}?view={view}"), view));
        }
        match parts[..] {
            [year] => {
                for other in [year - 1, year + 1] {
                    content.push_str(&link(&format!("/cal/{other}"), &other.to_string()));
                }
                for month in 1..=12 {
                    content.push_str(&link(&format!("/cal/{year}/{month:02}"), month_name(month)));
                }
            }
            [year, month] => {
                let months = year * 12 + month - 1;
                for other in [months - 1, months + 1] {
                    let (year, month) = month_at(other);
                    content.push_str(&link(&format!("/cal/{year}/{month:02}"), month_name(month)));
                }
                content.push_str(&link(&format!("/cal/{year}"), "Year"));
                for day in 1..=28 {
                    content.push_str(&link(
                        &format!("/cal/{year}/{month:02}/{day:02}"),
                        &day.to_string(),
                    ));
                }
                let age = 2024 * 12 + 10 - months;
                if (0..months_with_events).contains(&age) {
                    shows = Some(requested.to_owned());
                    let first = 14_000 + age.unsigned_abs() * 10;
                    for number in first..first + 10 {
                        content.push_str(&link(
                            &format!("/event/{}", slug(seed, number)),
                            &title(seed, number),
                        ));
                    }
                }
            }
            [year, month, day] => {
                let day = CalendarDate::of(year, month, day);
                for other in [day.plus(-1), day.plus(1)] {
                    content.push_str(&link(&format!("/cal/{}", other.path()), &other.long()));
                }
                content.push_str("<p>No events on this day</p>");
                let (year, month, _) = day.parts();
                let is_recent =
                    (0..months_with_events).contains(&(2024 * 12 + 11 - year * 12 - month));
                shows = is_recent.then(|| requested.to_owned());
            }
            _ => return None,
        }
        let html = layout.page(&format!("Calendar of {path}"), &content);
        let shows = shows.filter(|_| !requested.contains('?'));
        Some(SpacePage { html, shows })
    })
}

/// An archive of 500 days whose next and previous days never end.
pub(super) fn calendar_with_archive(seed: u64) -> UrlSpace {
    let mut builder = honest_part(seed, &format!("/diary/{}", today()));
    let first = today().plus(-500);
    let text = |day: CalendarDate, content: &str| {
        let (before, after) = (day.plus(-1), day.plus(1));
        format!(
            "{content}{}{}",
            link(&format!("/diary/{before}"), "Previous day"),
            link(&format!("/diary/{after}"), "Next day")
        )
    };
    for at in 0..=500 {
        let day = first.plus(at);
        // Every tenth day is empty.
        let content = match mix(seed, at.unsigned_abs()) % 10 {
            0 => String::new(),
            _ => format!("<p>{}</p>", prose(mix(seed, at.unsigned_abs()), 20)),
        };
        builder.page(format!("/diary/{day}"), &day.long(), &text(day, &content));
    }
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        let day = CalendarDate::parse(requested.strip_prefix("/diary/")?)?;
        if honest.contains_key(requested) {
            return None;
        }
        let empty = hash(seed, requested).is_multiple_of(2);
        let content = if empty { "<p>Nothing yet</p>" } else { "" };
        trap_page(layout.page(&day.long(), &text(day, content)))
    })
}
