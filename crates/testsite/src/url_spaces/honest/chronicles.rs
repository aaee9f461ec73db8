//! Pages that follow time: news, bulletins, events that are years apart, versions, a weblog.

use std::fmt::Write as _;

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::calendar_date::{CalendarDate, month_at, month_name};
use super::super::prose::{prose, slug, title, word};
use crate::pseudo_random::{below, mix};

/// News by day, newest first: most days have a few words for each story, which has no page of its own; some days have none.
pub(super) fn short_news(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/about"]);
    let days = 700 + i64::from(builder.choose(900, 1));
    let last = CalendarDate::of(2023, 8, 14);
    let target = |day: CalendarDate| format!("/news/{}/", day.path());
    for at in 0..days {
        let day = last.plus(-at);
        let index = at.unsigned_abs();
        let mut content = String::new();
        for story in 0..below(4, seed, index) {
            let number = index * 4 + u64::from(story);
            let _ = write!(
                content,
                "<h3>{}</h3>",
                prose(mix(seed, number), 3 + below(6, seed, number))
            );
        }
        if content.is_empty() {
            content.push_str("<p>No news on this day.</p>");
        }
        for (step, name) in [(-1, "Earlier"), (1, "Later")] {
            if (0..days).contains(&(at - step)) {
                content.push_str(&link(&target(day.plus(step)), name));
            }
        }
        builder.page(target(day), &day.long(), &content);
    }
    builder.page("/about", "About", &paragraph(seed, 90));
    builder.page("/", "News", &link(&target(last), "Today"));
    builder.finish()
}

/// Bulletins by day: each is put together from a few ready sentences, so that most days repeat others.
pub(super) fn bulletins(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/stations"]);
    let days = 365 + i64::from(builder.choose(800, 1));
    let first = CalendarDate::of(2019, 3, 1);
    let target = |day: CalendarDate| format!("/bulletin/{day}");
    let sky = [
        "Sunny.",
        "Clouds.",
        "Rain.",
        "Snow.",
        "Fog in the valleys.",
        "Showers in the north.",
    ];
    let wind = [
        "Light winds.",
        "Fresh winds from the west.",
        "Gale warning for the coast.",
        "Calm.",
    ];
    let pick = |list: &[&'static str], what: u64, at: u64| {
        list[usize::try_from(mix(seed, at * 5 + what)).unwrap_or_default() % list.len()]
    };
    for at in 0..days {
        let day = first.plus(at);
        let index = at.unsigned_abs();
        let mut content = format!("<p>{} {}</p>", pick(&sky, 1, index), pick(&wind, 2, index));
        for (step, name) in [(-1, "Previous bulletin"), (1, "Next bulletin")] {
            if (0..days).contains(&(at + step)) {
                content.push_str(&link(&target(day.plus(step)), name));
            }
        }
        builder.page(
            target(day),
            &format!("Bulletin of {}", day.long()),
            &content,
        );
    }
    let mut stations = String::new();
    for station in 0..40 {
        let page = format!("/stations/{}", slug(seed, station));
        stations.push_str(&link(&page, &title(seed, station)));
        builder.page(
            page,
            &title(seed, station),
            &paragraph(mix(seed, station), 50),
        );
    }
    builder.page("/stations", "Stations", &stations);
    builder.page(
        "/",
        "Bulletins",
        &link(&target(first.plus(days - 1)), "Latest"),
    );
    builder.finish()
}

/// A club whose calendar goes from month to month; its few events are one to four years apart. Months without an event would not be missed.
pub(super) fn events_years_apart(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/calendar/2024-11", "/club"]);
    let mut events = Vec::new();
    let mut month = 2024 * 12 + 10;
    for event in 0..8_u64 {
        events.push((month, event));
        month -= 12 + i64::from(below(36, seed, event));
    }
    let oldest = events.last().map_or(month, |(month, _)| *month);
    let target = |month: i64| {
        format!(
            "/calendar/{:04}-{:02}",
            month_at(month).0,
            month_at(month).1
        )
    };
    for month in oldest..=2024 * 12 + 10 {
        let (year, of_year) = month_at(month);
        let mut content = String::new();
        for (other, name) in [(month - 1, "Previous month"), (month + 1, "Next month")] {
            if (oldest..=2024 * 12 + 10).contains(&other) {
                content.push_str(&link(&target(other), name));
            }
        }
        let name = format!("{} {year}", month_name(of_year));
        if let Some((_, event)) = events.iter().find(|(of, _)| *of == month) {
            let page = format!("/events/{}", slug(seed, *event));
            content.push_str(&link(&page, &title(seed, *event)));
            builder.page(
                page,
                &title(seed, *event),
                &paragraph(mix(seed, *event), 120),
            );
            builder.page(target(month), &name, &content);
        } else {
            builder.filler(target(month), &name, &content);
        }
    }
    let mut club = String::new();
    for page in 100..380 {
        let target = format!("/club/{}", slug(seed, page));
        club.push_str(&link(&target, &title(seed, page)));
        builder.page(target, &title(seed, page), &paragraph(mix(seed, page), 60));
    }
    builder.page("/club", "The club", &club);
    builder.page("/", "Welcome", &paragraph(seed, 50));
    builder.finish()
}

/// Documentation in nine versions whose pages are mostly the same, with links to the same page of each other version.
pub(super) fn documentation_versions(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/docs/latest/"]);
    let pages = 60 + u64::from(builder.choose(120, 1));
    let versions = [
        "latest", "3.2", "3.1", "3.0", "2.9", "2.8", "2.7", "2.0", "1.0",
    ];
    for (age, version) in (0_u64..).zip(versions) {
        let mut contents = String::new();
        for page in 0..pages {
            let name = slug(seed, page);
            contents.push_str(&link(
                &format!("/docs/{version}/{name}.html"),
                &title(seed, page),
            ));
            let mut content = paragraph(mix(seed, page), 60);
            // A page changes in every third version.
            let changes = (9 - age + page) / 3;
            content.push_str(&paragraph(mix(seed, page * 20 + changes + 30_000), 12));
            for other in versions {
                content.push_str(&link(&format!("/docs/{other}/{name}.html"), other));
            }
            if page + 1 < pages {
                content.push_str(&link(
                    &format!("/docs/{version}/{}.html", slug(seed, page + 1)),
                    "Next",
                ));
            }
            builder.page(
                format!("/docs/{version}/{name}.html"),
                &title(seed, page),
                &content,
            );
        }
        for other in versions {
            contents.push_str(&link(&format!("/docs/{other}/"), other));
        }
        builder.page(format!("/docs/{version}/"), version, &contents);
    }
    builder.page("/", "Project", &paragraph(seed, 50));
    builder.finish()
}

/// A small weblog: posts by date, months, tags and categories, page by page, and a page for each comment form.
pub(super) fn weblog(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/about/"]);
    let posts = 140 + u64::from(builder.choose(100, 1));
    let last = CalendarDate::of(2024, 10, 30);
    let day = |post: u64| last.plus(-i64::try_from(post * 9).unwrap_or_default());
    let target = |post: u64| format!("/{}/{}/", day(post).path(), slug(seed, post));
    let mut lists: Vec<(String, Vec<u64>)> = vec![("/".to_owned(), (0..posts).collect())];
    let mut add = |path: String, post: u64| match lists.iter_mut().find(|(found, _)| *found == path)
    {
        Some((_, posts)) => posts.push(post),
        None => lists.push((path, vec![post])),
    };
    for post in 0..posts {
        let (year, month, _) = day(post).parts();
        let tags = [mix(seed, post) % 40, mix(seed, post + 500) % 40];
        let mut content = paragraph(mix(seed, post), 80);
        for tag in tags {
            let path = format!("/tag/{}/", word(tag));
            content.push_str(&link(&path, word(tag)));
            add(path, post);
        }
        let path = format!("/{year:04}/{month:02}/");
        content.push_str(&link(&path, "This month"));
        add(path, post);
        for (other, name) in [(post.wrapping_sub(1), "Next"), (post + 1, "Previous")] {
            if other < posts {
                content.push_str(&link(&target(other), name));
            }
        }
        builder.page(target(post), &title(seed, post), &content);
    }
    for (path, posts) in &lists {
        let pages = posts.chunks(8).count();
        for (at, posts) in (1..).zip(posts.chunks(8)) {
            let mut content = String::new();
            for post in posts {
                content.push_str(&link(&target(*post), &title(seed, *post)));
                content.push_str(&paragraph(mix(seed, *post), 25));
            }
            if at < pages {
                content.push_str(&link(&format!("{path}page/{}/", at + 1), "Older posts"));
            }
            let page = match at {
                1 => path.clone(),
                at => format!("{path}page/{at}/"),
            };
            builder.page(page, "Posts", &content);
        }
    }
    builder.page("/about/", "About", &paragraph(seed, 90));
    builder.finish()
}
