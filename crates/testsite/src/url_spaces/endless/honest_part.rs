//! The pages of a site with a trap that are wanted.

use super::super::builder::{Builder, link, paragraph};
use super::super::calendar_date::CalendarDate;
use super::super::prose::{slug, title};
use crate::pseudo_random::{below, mix};

/// A site of 1,500 to 2,000 pages. Every page links to the entrance of the trap, or only the home page does.
pub(super) fn honest_part(seed: u64, entrance: &str) -> Builder {
    let articles = 1_500 + u64::from(below(400, mix(seed, 99), 1));
    honest_part_of(seed, entrance, articles)
}

/// The same with this many articles.
pub(super) fn honest_part_of(seed: u64, entrance: &str, articles: u64) -> Builder {
    let everywhere = [entrance];
    let is_everywhere = seed.is_multiple_of(2);
    let menu = if is_everywhere { &everywhere[..] } else { &[] };
    let mut builder = Builder::new(seed, menu);
    let mut home = paragraph(seed, 40);
    home.push_str(&link(entrance, "More"));
    match mix(seed, 3) % 3 {
        0 => sections(&mut builder, articles, &mut home),
        1 => pages(&mut builder, articles, &mut home),
        _ => {
            let days = (articles / 4).min(400);
            sections(&mut builder, articles - days * 3 / 4, &mut home);
            archive(&mut builder, days.cast_signed(), &mut home);
        }
    }
    builder.page("/", "Home", &home);
    builder
}

fn article(builder: &mut Builder, number: u64) -> String {
    let seed = builder.seed;
    let target = format!("/articles/{}", slug(seed, number));
    let words = 30 + builder.choose(80, number + 10);
    let mut content = paragraph(mix(seed, number), words);
    // Related articles: some of them older.
    for other in [number / 2, number / 3] {
        content.push_str(&link(
            &format!("/articles/{}", slug(seed, other)),
            &title(seed, other),
        ));
    }
    builder.page(target.clone(), &title(seed, number), &content);
    target
}

/// Sections that list forty articles each.
fn sections(builder: &mut Builder, articles: u64, home: &mut String) {
    for section in 0..articles.div_ceil(40) {
        let mut list = String::new();
        for number in section * 40..articles.min(section * 40 + 40) {
            let target = article(builder, number);
            list.push_str(&link(&target, &title(builder.seed, number)));
        }
        let target = format!("/section/{}", slug(builder.seed, section + 15_000));
        home.push_str(&link(&target, "Section"));
        builder.page(target, "Section", &list);
    }
}

/// A list of articles, ten per page.
fn pages(builder: &mut Builder, articles: u64, home: &mut String) {
    home.push_str(&link("/news", "News"));
    let target = |page: u64| match page {
        1 => "/news".to_owned(),
        page => format!("/news?page={page}"),
    };
    let pages = articles.div_ceil(10);
    for page in 1..=pages {
        let mut list = String::new();
        for number in (page - 1) * 10..articles.min(page * 10) {
            let target = article(builder, number);
            list.push_str(&link(&target, &title(builder.seed, number)));
        }
        if page < pages {
            list.push_str(&link(&target(page + 1), "Older"));
        }
        builder.page(target(page), "News", &list);
    }
}

/// An archive by day, each day linked to the days beside it.
fn archive(builder: &mut Builder, days: i64, home: &mut String) {
    let last = CalendarDate::of(2024, 11, 16);
    home.push_str(&link(&format!("/archive/{last}"), "Archive"));
    for at in 0..days {
        let day = last.plus(-at);
        let mut content = paragraph(mix(builder.seed, at.unsigned_abs() + 30_000), 25);
        for (step, name) in [(-1, "Previous day"), (1, "Next day")] {
            if (0..days).contains(&(at - step)) {
                content.push_str(&link(&format!("/archive/{}", day.plus(step)), name));
            }
        }
        builder.page(format!("/archive/{day}"), &day.long(), &content);
    }
}
