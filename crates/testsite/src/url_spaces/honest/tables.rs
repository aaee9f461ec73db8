//! Pages with few words: numbers, images, scripts.

use std::fmt::Write;

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::calendar_date::CalendarDate;
use super::super::prose::{slug, title, token, word};
use crate::pseudo_random::{below, mix};

/// Measurements of each day: the pages differ in numbers only.
pub(super) fn weather(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let first = CalendarDate::of(2015, 1, 1).plus(i64::from(builder.choose(2_000, 1)));
    for at in 0..1_200_u64 {
        let day = first.plus(at.cast_signed());
        let measured = |what: u64, least: u32, range: u32| {
            let tenths = least * 10 + below(range * 10, seed, at * 10 + what);
            format!("{}.{}", tenths / 10, tenths % 10)
        };
        let mut content = format!(
            "<table><tr><td>Pressure</td><td>{} hPa</td></tr><tr><td>Temperature</td><td>{} °C</td></tr>\
             <tr><td>Rain</td><td>{} mm</td></tr><tr><td>Wind</td><td>{} km/h</td></tr>\
             <tr><td>Humidity</td><td>{} %</td></tr></table>",
            measured(1, 970, 70),
            measured(2, 0, 35),
            measured(3, 0, 60),
            measured(4, 0, 90),
            measured(5, 20, 80),
        );
        for (step, name) in [(-1, "Day before"), (1, "Day after")] {
            if (0..1_200).contains(&(at.cast_signed() + step)) {
                content.push_str(&link(&format!("/weather/{}", day.plus(step)), name));
            }
        }
        builder.page(
            format!("/weather/{day}"),
            &format!("Weather on {}", day.long()),
            &content,
        );
    }
    let start = format!("/weather/{first}");
    builder.page("/", "Weather", &link(&start, "First day"));
    builder.finish()
}

/// Prices of a few hundred stocks on a few days: `/quote?stock=12&day=3`.
pub(super) fn prices(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let mut home = String::new();
    for stock in 0..250_u64 {
        for day in 0..5_u64 {
            let target = |day: u64| format!("/quote?stock={stock}&session={day}");
            if day == 0 {
                home.push_str(&link(&target(0), &title(seed, stock)));
            }
            let price = |at: u64| below(90_000, seed, (stock * 10 + day) * 10 + at) + 10_000;
            let mut content = format!(
                "<table><td>{}</td><td>{}</td><td>{}</td><td>{}</td></table>",
                price(1),
                price(2),
                price(3),
                price(4)
            );
            if day < 4 {
                content.push_str(&link(&target(day + 1), "Next session"));
            }
            builder.page(target(day), word(stock), &content);
        }
    }
    builder.page("/", "Prices", &home);
    builder.finish()
}

/// Photographs with hardly any text, one after the other.
pub(super) fn gallery(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let mut home = String::new();
    for album in 0..6_u64 {
        let photos = 180 + u64::from(builder.choose(60, album));
        let target = |photo: u64| match seed % 2 {
            0 => format!("/album/{album}/photo/{photo}"),
            _ => format!("/album/{album}?photo={photo}"),
        };
        home.push_str(&link(&target(1), &title(seed, album)));
        for photo in 1..=photos {
            let file = token(seed, album * 1_000 + photo);
            let mut content = format!("<img src=\"/files/{file}.jpg\" alt=\"\">");
            if photo < photos {
                content.push_str(&link(&target(photo + 1), "Next"));
            }
            builder.page(target(photo), &title(seed, album), &content);
        }
    }
    builder.page("/", "Photographs", &home);
    builder.finish()
}

/// Pages that a script fills: the same few bytes everywhere, and links.
pub(super) fn shells(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let count = 1_200 + u64::from(builder.choose(500, 1));
    let target = |number: u64| match (seed % 2, number) {
        (_, 0) => "/".to_owned(),
        (0, number) => format!("/app/{}/{}", word(number % 9), slug(seed, number)),
        (_, number) => format!("/app/{}?view={}", word(number % 9), slug(seed, number)),
    };
    for number in 0..count {
        let mut page =
            String::from("<!doctype html><div id=app>Loading</div><script src=/app.js></script>");
        for other in 3 * number + 1..=3 * number + 3 {
            if other < count {
                page.push_str(&link(&target(other), ""));
            }
        }
        builder.bare_page(target(number), page);
    }
    builder.finish()
}

/// Departures of each stop in each week: `/stop/12?week=7`.
pub(super) fn timetables(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let mut home = String::new();
    for stop in 0..40_u64 {
        let target = |week: u64| format!("/stop/{stop}?week={week}");
        home.push_str(&link(&target(1), &title(seed, stop)));
        for week in 1..=30_u64 {
            let mut content = String::from("<table>");
            for at in 0..12 {
                let minutes = below(1_440, seed, (stop * 100 + week) * 20 + at);
                let to = word(mix(seed, (stop * 100 + week) * 20 + at));
                let (hours, minutes) = (minutes / 60, minutes % 60);
                write!(
                    content,
                    "<tr><td>{hours:02}:{minutes:02}</td><td>{to}</td></tr>"
                )
                .ok();
            }
            content.push_str("</table>");
            if week < 30 {
                content.push_str(&link(&target(week + 1), "Next week"));
            }
            builder.page(
                target(week),
                &format!("Departures from {}", title(seed, stop)),
                &content,
            );
        }
    }
    builder.page("/", "Timetables", &home);
    builder.finish()
}

/// Scanned magazines: pages with an image each, below the issue.
pub(super) fn magazine_scans(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/about"]);
    let mut home = String::new();
    for issue in 1..=30_u64 {
        let pages = 30 + u64::from(below(30, seed, issue));
        let target = |page: u64| format!("/magazine/issue-{issue}/page-{page}.html");
        home.push_str(&link(&target(1), &format!("Issue {issue}")));
        for page in 1..=pages {
            let mut content = format!("<img src='/scans/{issue}/{page:03}.png'>");
            for other in [page - 1, page + 1] {
                if (1..=pages).contains(&other) {
                    content.push_str(&link(&target(other), &format!("Page {other}")));
                }
            }
            builder.page(
                target(page),
                &format!("Issue {issue}, page {page}"),
                &content,
            );
        }
    }
    builder.page("/", "Magazine", &home);
    builder.page("/about", "About", &paragraph(seed, 40));
    builder.finish()
}
