//! Traps of widely used programs: calendars with views, buttons that add to a cart, comments that can be answered, sessions in the path.

use std::fmt::Write as _;

use super::super::builder::{hash, link, paragraph, parameter, trap_page};
use super::super::calendar_date::{CalendarDate, month_at};
use super::super::prose::token;
use super::super::{SpacePage, UrlSpace};
use super::honest_part::honest_part_of;
use crate::pseudo_random::mix;

/// An events calendar by month, week and day, each with the ones before and after and with the other views; nothing is ever announced.
pub(super) fn events_calendar(seed: u64) -> UrlSpace {
    calendar(seed, 2_600)
}

/// The same on a small site.
pub(super) fn events_calendar_of_a_small_site(seed: u64) -> UrlSpace {
    calendar(seed, 300)
}

fn calendar(seed: u64, articles: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/events/", articles);
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let rest = requested.strip_prefix("/events/")?;
        let today = CalendarDate::of(2024, 11, 16);
        let (view, date) = match rest {
            "" => ("month", today),
            rest => {
                let (view, date) = rest.trim_end_matches('/').split_once('/')?;
                let date = match view {
                    "month" => CalendarDate::parse(&format!("{date}-01"))?,
                    _ => CalendarDate::parse(date)?,
                };
                (view, date)
            }
        };
        let month = |months: i64| {
            let (year, month) = month_at(months);
            format!("/events/month/{year:04}-{month:02}/")
        };
        let (year, of_year, _) = date.parts();
        let months = year * 12 + of_year - 1;
        let mut content = "<p>There were no results found for this view.</p>".to_owned();
        content.push_str(&link(&month(months), "Month"));
        content.push_str(&link(&format!("/events/week/{date}/"), "Week"));
        content.push_str(&link(&format!("/events/day/{date}/"), "Day"));
        match view {
            "month" => {
                for day in 0..30 {
                    content.push_str(&link(&format!("/events/day/{}/", date.plus(day)), "day"));
                }
                content.push_str(&link(&month(months - 1), "Previous month"));
                content.push_str(&link(&month(months + 1), "Next month"));
            }
            view => {
                let step = if view == "week" { 7 } else { 1 };
                for step in [-step, step] {
                    content.push_str(&link(
                        &format!("/events/{view}/{}/", date.plus(step)),
                        "Other",
                    ));
                }
            }
        }
        trap_page(layout.page(&format!("Events of {date}"), &content))
    })
}

/// Every article has buttons that reload the page it is on with a parameter: in the cart, on the list of wishes, to be compared. The buttons
/// of the related products are there as well, so each page with a parameter leads to others.
pub(super) fn cart_buttons(seed: u64) -> UrlSpace {
    buttons(seed, 1_700)
}

/// The same in a large shop.
pub(super) fn cart_buttons_of_a_large_shop(seed: u64) -> UrlSpace {
    buttons(seed, 3_000)
}

fn buttons(seed: u64, articles: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/", articles);
    builder.with_trap(move |requested, honest| {
        let names = ["add_to_cart=", "add_to_wishlist=", "add_to_compare="];
        let at = names.iter().filter_map(|name| requested.find(name)).min();
        let shown = at.map_or(requested, |at| requested[..at].trim_end_matches(['?', '&']));
        let html = honest.get(shown)?;
        let mark = if shown.contains('?') { '&' } else { '?' };
        let mut added = String::new();
        for (at, name) in (0..).zip(names) {
            for product in 0..3 {
                let product = mix(hash(seed, shown), at * 10 + product) % 9_000;
                added.push_str(&link(&format!("{shown}{mark}{name}{product}"), "Add"));
            }
        }
        let notice = if at.is_some() {
            "<p>Added. Your cart has 1 item.</p>"
        } else {
            ""
        };
        let html = html.replace("<main>", &format!("<main>{notice}"));
        Some(SpacePage {
            html: html.replace("</main>", &format!("{added}</main>")),
            shows: Some(shown.to_owned()),
        })
    })
}

/// A weblog: each article has comments, and each comment a link to answer it, which shows the article again.
pub(super) fn reply_links(seed: u64) -> UrlSpace {
    replies(seed, 2_000)
}

/// The same on a small weblog.
pub(super) fn reply_links_of_a_small_site(seed: u64) -> UrlSpace {
    replies(seed, 300)
}

fn replies(seed: u64, articles: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/", articles);
    builder.with_trap(move |requested, honest| {
        let (shown, reply) = match requested.split_once("?replytocom=") {
            Some((shown, reply)) => (shown, Some(reply)),
            None => (requested, None),
        };
        let html = honest.get(shown)?;
        if !shown.starts_with("/articles/") {
            return None;
        }
        let of_page = hash(seed, shown);
        let mut comments = String::new();
        for comment in 0..of_page % 7 {
            let id = mix(of_page, comment) % 90_000;
            comments.push_str(&paragraph(mix(seed, id), 12));
            comments.push_str(&link(&format!("{shown}?replytocom={id}"), "Reply"));
        }
        if let Some(reply) = reply {
            let _ = write!(
                comments,
                "<h3>Leave a reply to comment {reply}</h3><a href=\"{shown}\">Cancel reply</a>"
            );
        }
        Some(SpacePage {
            html: html.replace("</main>", &format!("{comments}</main>")),
            shows: Some(shown.to_owned()),
        })
    })
}

/// Without a cookie, the server puts a session in front of the path, a new one for every page that is asked for without one of its own making.
pub(super) fn session_before_path(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/", 1_800);
    builder.with_trap(move |requested, honest| {
        let shown = match requested.strip_prefix("/(S(") {
            Some(rest) => rest.split_once("))")?.1,
            None => requested,
        };
        let html = honest.get(shown)?;
        let session = token(seed, hash(seed, requested));
        Some(SpacePage {
            html: html.replace("href=\"/", &format!("href=\"/(S({session}))/")),
            shows: Some(shown.to_owned()),
        })
    })
}

/// Rooms that can be booked: every date of arrival leads to the next ones, for one to three nights. All are free.
pub(super) fn booking_dates(seed: u64) -> UrlSpace {
    let builder = honest_part_of(seed, "/rooms/12?arrival=2024-11-16&nights=1", 2_200);
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let room: u64 = requested
            .strip_prefix("/rooms/")?
            .split('?')
            .next()?
            .parse()
            .ok()?;
        let arrival = CalendarDate::parse(parameter(requested, "arrival")?)?;
        let nights: i64 = parameter(requested, "nights")?.parse().ok()?;
        let price = 90 + mix(seed, arrival.0.unsigned_abs() + room) % 60;
        let mut content = format!(
            "<p>Room {room} is available from {} to {}.</p><p>{price}.00 per night</p>",
            arrival.long(),
            arrival.plus(nights).long()
        );
        for (day, nights) in [(1, nights), (7, nights), (0, nights % 3 + 1)] {
            content.push_str(&link(
                &format!(
                    "/rooms/{room}?arrival={}&nights={nights}",
                    arrival.plus(day)
                ),
                "Other dates",
            ));
        }
        trap_page(layout.page("Availability", &content))
    })
}
