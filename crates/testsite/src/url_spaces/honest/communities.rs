//! Forums, wikis and comments.

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::prose::{prose, slug, title};
use crate::pseudo_random::{below, mix};

const PER_PAGE: u64 = 20;

/// Boards and threads, both with several pages: `/viewtopic?t=12&page=3`.
pub(super) fn forum(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/rules"]);
    let mut home = String::new();
    for board in 0..8_u64 {
        let board_target = |page: u64| match page {
            1 => format!("/viewforum?f={board}"),
            page => format!("/viewforum?f={board}&page={page}"),
        };
        home.push_str(&link(&board_target(1), &title(seed, board + 15_000)));
        let threads = 40 + u64::from(below(40, seed, board));
        let pages = threads.div_ceil(PER_PAGE);
        for page in 1..=pages {
            let mut content = String::new();
            for at in (page - 1) * PER_PAGE..threads.min(page * PER_PAGE) {
                let thread = board * 100 + at;
                content.push_str(&link(
                    &format!("/viewtopic?t={thread}"),
                    &title(seed, thread),
                ));
                add_thread(&mut builder, thread);
            }
            if page < pages {
                content.push_str(&link(&board_target(page + 1), "Next page"));
            }
            builder.page(board_target(page), &title(seed, board + 15_000), &content);
        }
    }
    builder.page("/", "Forum", &home);
    builder.page("/rules", "Rules", &paragraph(seed, 100));
    builder.finish()
}

fn add_thread(builder: &mut Builder, thread: u64) {
    let seed = builder.seed;
    let pages = 1 + u64::from(below(4, seed, thread + 5_000));
    for page in 1..=pages {
        let target = |page: u64| match page {
            1 => format!("/viewtopic?t={thread}"),
            page => format!("/viewtopic?t={thread}&page={page}"),
        };
        let mut content = String::new();
        for post in 0..2 + u64::from(below(3, seed, thread * 10 + page)) {
            let number = (thread * 10 + page) * 10 + post;
            let words = 3 + below(25, seed, number);
            content.push_str(&paragraph(mix(seed, number + 1_000_000), words));
        }
        for other in 1..=pages {
            content.push_str(&link(&target(other), &other.to_string()));
        }
        builder.page(target(page), &title(seed, thread), &content);
    }
}

/// Articles, each with a history, older versions and what changed between them.
pub(super) fn wiki(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/wiki/Main"]);
    let articles = 180 + u64::from(builder.choose(60, 1));
    let mut all = String::new();
    for article in 0..articles {
        let name = slug(seed, article);
        let target = format!("/wiki/{name}");
        all.push_str(&link(&target, &name));
        let base = format!("/w/index.php?title={name}");
        let text = |version: u64| {
            let mut text = paragraph(mix(seed, article), 80);
            for change in 0..version {
                text.push_str(&paragraph(mix(seed, article * 10 + change + 50_000), 14));
            }
            text
        };
        let versions = 2 + u64::from(below(4, seed, article + 900));
        let mut content = text(versions);
        for other in 0..4 {
            let other = mix(seed, article * 7 + other) % articles;
            content.push_str(&link(
                &format!("/wiki/{}", slug(seed, other)),
                &slug(seed, other),
            ));
        }
        content.push_str(&link(&format!("{base}&action=history"), "History"));
        builder.page(target, &name, &content);
        let mut history = String::new();
        for version in 1..=versions {
            let id = article * 10 + version + 4_000;
            let old = format!("{base}&oldid={id}");
            let diff = format!("{base}&diff={id}&oldid={}", id - 1);
            history.push_str(&link(&old, &format!("12:{version}5, {version} May 2019")));
            history.push_str(&link(&diff, "diff"));
            let notice = format!("<p>This is an old version, as edited on {version} May 2019.</p>");
            builder.page(old, &name, &(notice.clone() + &text(version)));
            let changed = prose(mix(seed, article * 10 + version - 1 + 50_000), 14);
            builder.page(
                diff,
                &name,
                &format!("{notice}<ins>{changed}</ins>{}", text(version)),
            );
        }
        builder.page(format!("{base}&action=history"), &name, &history);
    }
    builder.page("/wiki/Main", "Main page", &all);
    builder.page("/", "Home", "<p>Welcome</p>");
    builder.finish()
}

/// Articles with comments on pages of their own, oldest first: `/story/name?comments=2`.
pub(super) fn comments(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/stories"]);
    let mut all = String::new();
    for story in 0..250 {
        let target = format!("/story/{}", slug(seed, story));
        all.push_str(&link(&target, &title(seed, story)));
        let pages = 1 + below(9, seed, story);
        let mut content = paragraph(mix(seed, story), 150);
        content.push_str(&link(&format!("{target}?comments=1"), "Comments"));
        builder.page(target.clone(), &title(seed, story), &content);
        for page in 1..=pages {
            let mut content = paragraph(mix(seed, story), 150);
            for comment in 0..4 {
                let number = (story * 100 + u64::from(page)) * 10 + comment;
                content.push_str(&paragraph(
                    mix(seed, number + 70_000),
                    2 + below(12, seed, number),
                ));
            }
            if page < pages {
                content.push_str(&link(&format!("{target}?comments={}", page + 1), "Next"));
            }
            builder.page(
                format!("{target}?comments={page}"),
                &title(seed, story),
                &content,
            );
        }
    }
    builder.page("/stories", "Stories", &all);
    builder.page("/", "Home", "<p>Welcome</p>");
    builder.finish()
}
