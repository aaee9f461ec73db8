//! Calendars with events on few of their days.

use std::collections::BTreeMap;

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::calendar_date::{CalendarDate, month_at, month_name};
use super::super::prose::{slug, title};
use crate::pseudo_random::{below, mix};

const FIRST_YEAR: i64 = 2012;

/// Days with events, some months apart, with one to twelve events each.
fn events(seed: u64, days: i64, min_gap: u32, gap: u32) -> BTreeMap<i64, Vec<u64>> {
    let mut events = BTreeMap::new();
    let (mut day, mut number) = (i64::from(below(12, seed, 1)), 0);
    while day < days {
        let count = 1 + u64::from(below(12, seed, number));
        events.insert(day, (number..number + count).collect());
        number += count;
        day += i64::from(min_gap + below(gap, seed, number + 50));
    }
    events
}

fn add_event(builder: &mut Builder, number: u64) -> String {
    let target = format!("/event/{}", slug(builder.seed, number));
    let content = paragraph(mix(builder.seed, number), 70);
    builder.page(target.clone(), &title(builder.seed, number), &content);
    target
}

/// Months that link to their events and to the months beside them. Most have no event.
pub(super) fn events_by_month(seed: u64) -> UrlSpace {
    by_month(seed, false)
}

/// The same, and every month links to all of its days.
pub(super) fn events_in_a_grid(seed: u64) -> UrlSpace {
    by_month(seed, true)
}

fn by_month(seed: u64, has_grid: bool) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/calendar/2012/01"]);
    let years = if has_grid { 6 } else { 14 };
    let first = CalendarDate::of(FIRST_YEAR, 1, 1);
    let end = CalendarDate::of(FIRST_YEAR + years, 1, 1);
    let events = events(seed, end.0 - first.0, 20, 130);
    for months in 0..12 * years {
        let (year, month) = month_at(12 * FIRST_YEAR + months);
        let mut content = String::new();
        let mut day = CalendarDate::of(year, month, 1);
        while day.parts().1 == month {
            let events_of_day = events.get(&(day.0 - first.0));
            let day_target = format!("/calendar/{}", day.path());
            if has_grid || events_of_day.is_some() {
                content.push_str(&link(&day_target, &day.parts().2.to_string()));
            }
            match events_of_day {
                Some(events_of_day) => {
                    let mut list = String::new();
                    for number in events_of_day {
                        let target = add_event(&mut builder, *number);
                        list.push_str(&link(&target, &title(seed, *number)));
                    }
                    content.push_str(&list);
                    builder.page(day_target, &format!("Events on {}", day.long()), &list);
                }
                None if has_grid => {
                    let name = format!("Events on {}", day.long());
                    builder.filler(day_target, &name, "<p>No events.</p>");
                }
                None => (),
            }
            day = day.plus(1);
        }
        for (step, name) in [(-1, "Previous month"), (1, "Next month")] {
            if (0..12 * years).contains(&(months + step)) {
                let (year, month) = month_at(12 * FIRST_YEAR + months + step);
                content.push_str(&link(&format!("/calendar/{year}/{month:02}"), name));
            }
        }
        let name = format!("Events in {} {year}", month_name(month));
        builder.page(format!("/calendar/{year}/{month:02}"), &name, &content);
    }
    builder.page("/", "Home", &paragraph(seed, 50));
    builder.finish()
}

/// Days that link to the days beside them only; an event every week or two.
pub(super) fn sparse_days(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let first = CalendarDate::of(FIRST_YEAR, 1, 1);
    let events = events(seed, 1_000, 4, 14);
    for at in 0..1_000 {
        let day = first.plus(at);
        let mut content = String::from("<p>No events.</p>");
        if let Some(events_of_day) = events.get(&at) {
            content.clear();
            for number in events_of_day {
                let target = add_event(&mut builder, *number);
                content.push_str(&link(&target, &title(seed, *number)));
            }
        }
        for (step, name) in [(-1, "Previous day"), (1, "Next day")] {
            if (0..1_000).contains(&(at + step)) {
                content.push_str(&link(&format!("/day/{}", day.plus(step)), name));
            }
        }
        let name = format!("Events on {}", day.long());
        builder.page(format!("/day/{day}"), &name, &content);
    }
    builder.page("/", "Home", &link(&format!("/day/{first}"), "Calendar"));
    builder.finish()
}
