//! Documents in folders, in languages and under random names.

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::prose::{prose, slug, title, token, word};
use crate::pseudo_random::mix;

/// Documentation of several versions, most of whose pages are the same in each, below long paths.
pub(super) fn documentation(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/docs"]);
    let mut versions = String::new();
    for version in ["1.0", "1.1", "2.0", "2.1", "latest"] {
        let root = format!("/docs/{version}");
        versions.push_str(&link(&root, version));
        let mut guides = String::new();
        for guide in 0..5_u64 {
            let guide_target = format!("{root}/{}", word(guide + 100));
            guides.push_str(&link(&guide_target, word(guide + 100)));
            let mut chapters = String::new();
            for chapter in 0..8_u64 {
                let chapter_target = format!("{guide_target}/{}", word(chapter + 50));
                chapters.push_str(&link(&chapter_target, word(chapter + 50)));
                let mut sections = String::new();
                for section in 0..7_u64 {
                    let number = (guide * 8 + chapter) * 7 + section;
                    let target = format!("{chapter_target}/{}/index.html", slug(seed, number));
                    sections.push_str(&link(&target, &title(seed, number)));
                    // One page in eight changes with each version.
                    let changes = mix(seed, number).is_multiple_of(8);
                    let text = number
                        + if changes {
                            version.len() as u64 * 1_000
                        } else {
                            0
                        };
                    let mut content = paragraph(mix(seed, text), 90);
                    let next = format!("{chapter_target}/{}/index.html", slug(seed, number + 1));
                    if section < 6 {
                        content.push_str(&link(&next, "Next"));
                    }
                    builder.page(target, &title(seed, number), &content);
                }
                builder.page(chapter_target, word(chapter + 50), &sections);
            }
            builder.page(guide_target, word(guide + 100), &chapters);
        }
        builder.page(root, version, &guides);
    }
    builder.page("/docs", "Documentation", &versions);
    builder.page("/", "Home", "<p>Welcome</p>");
    builder.finish()
}

/// Documents under random names that link to documents they cite, old and new.
pub(super) fn tokens(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/about"]);
    let count = 1_200 + u64::from(builder.choose(600, 1));
    for number in 0..count {
        let mut content = paragraph(mix(seed, number), 40);
        let cited = mix(seed, number + 9_000) % count;
        for other in [2 * number + 1, 2 * number + 2, cited] {
            if other < count {
                content.push_str(&link(
                    &format!("/doc/{}", token(seed, other)),
                    &title(seed, other),
                ));
            }
        }
        builder.page(
            format!("/doc/{}", token(seed, number)),
            &title(seed, number),
            &content,
        );
    }
    let first = format!("/doc/{}", token(seed, 0));
    builder.page("/", "Documents", &link(&first, "Start here"));
    builder.page("/about", "About", &paragraph(seed, 50));
    builder.finish()
}

/// Pages in four languages, chosen by a parameter.
pub(super) fn languages(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/index"]);
    let names = ["de", "fr", "it"];
    let mut all = String::new();
    for number in 0..350 {
        let target = format!("/page/{}", slug(seed, number));
        all.push_str(&link(&target, &title(seed, number)));
        let others: String = names
            .map(|name| link(&format!("{target}?lang={name}"), name))
            .concat();
        let content = paragraph(mix(seed, number), 60) + &others;
        builder.page(target.clone(), &title(seed, number), &content);
        for (at, name) in (1..).zip(names) {
            let translated = prose(mix(seed, number * 10 + at), 60).replace('e', name);
            let content = format!("<p>{translated}</p>{others}");
            builder.page(
                format!("{target}?lang={name}"),
                &title(seed, number),
                &content,
            );
        }
    }
    builder.page("/index", "All pages", &all);
    builder.page("/", "Home", "<p>Welcome</p>");
    builder.finish()
}

/// Words with a short definition each, in alphabetical order: each page links to the word before and the one after.
pub(super) fn dictionary(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let count = 1_500;
    let target = |number: u64| format!("/word/{}", slug(seed, number));
    for number in 0..count {
        let mut content = paragraph(mix(seed, number), 8);
        if number > 0 {
            content.push_str(&link(&target(number - 1), &title(seed, number - 1)));
        }
        if number + 1 < count {
            content.push_str(&link(&target(number + 1), &title(seed, number + 1)));
        }
        builder.page(target(number), &title(seed, number), &content);
    }
    builder.page("/", "Dictionary", &link(&target(0), "From the beginning"));
    builder.finish()
}

/// A tree of folders that only list what is in them.
pub(super) fn directory(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let mut level = vec![String::new()];
    let mut number = 0;
    while builder.len() < 400 {
        let mut next = Vec::new();
        for folder in &level {
            let mut list = String::new();
            if !folder.is_empty() {
                let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
                list.push_str(&link(&format!("{parent}/"), "Parent directory"));
            }
            for _ in 0..2 + builder.choose(2, number) {
                number += 1;
                let name = format!("{folder}/{}", slug(seed, number).replace('-', ""));
                list.push_str(&link(&format!("{name}/"), &name));
                next.push(name);
            }
            builder.page(format!("{folder}/"), &format!("Index of {folder}/"), &list);
        }
        level = next;
    }
    for folder in &level {
        let content = paragraph(mix(seed, builder.len() as u64), 20);
        builder.page(format!("{folder}/"), folder, &content);
    }
    builder.finish()
}
