//! Long lists and chains of numbered pages.

use std::fmt::Write;

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::prose::{prose, slug, title};
use crate::pseudo_random::mix;

/// A list of 3,000 pages, each with items that are nowhere else.
pub(super) fn long_list(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/items"]);
    let target = |page: u64| match page {
        1 => "/items".to_owned(),
        page => format!("/items?page={page}"),
    };
    for page in 1..=3_000 {
        let mut content = String::new();
        for item in page * 5..page * 5 + 5 {
            let text = prose(mix(seed, item), 7);
            write!(content, "<li>{} {text}</li>", slug(seed, item)).ok();
        }
        if page < 3_000 {
            content.push_str(&link(&target(page + 1), "Next page"));
        }
        builder.page(target(page), &format!("Items, page {page}"), &content);
    }
    builder.page("/", "Home", "<p>Welcome</p>");
    builder.finish()
}

/// Items that only link to the next one.
pub(super) fn numbered_items(seed: u64) -> UrlSpace {
    chain(seed, "/item/")
}

/// The same with the number in the query.
pub(super) fn item_ids(seed: u64) -> UrlSpace {
    chain(seed, "/show?id=")
}

fn chain(seed: u64, base: &str) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let count = 1_200 + u64::from(builder.choose(600, 1));
    for number in 1..=count {
        let words = 5 + builder.choose(30, number);
        let mut content = paragraph(mix(seed, number), words);
        if number < count {
            content.push_str(&link(&format!("{base}{}", number + 1), "Next"));
        }
        builder.page(format!("{base}{number}"), &title(seed, number), &content);
    }
    builder.page("/", "Home", &link(&format!("{base}1"), "The first"));
    builder.finish()
}

/// A list whose pages are paths, and whose items are linked: `/news/page/12`.
pub(super) fn list_by_path(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/news/page/1"]);
    let pages = 500 + u64::from(builder.choose(200, 1));
    for page in 1..=pages {
        let mut content = String::new();
        for item in page * 3..page * 3 + 3 {
            let target = format!("/news/{}", slug(seed, item));
            content.push_str(&link(&target, &title(seed, item)));
            builder.page(target, &title(seed, item), &paragraph(mix(seed, item), 50));
        }
        if page < pages {
            content.push_str(&link(&format!("/news/page/{}", page + 1), "Older news"));
        }
        builder.page(format!("/news/page/{page}"), "News", &content);
    }
    builder.page("/", "Home", "<p>Welcome</p>");
    builder.finish()
}
