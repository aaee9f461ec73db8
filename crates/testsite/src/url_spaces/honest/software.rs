//! Sites as widely used programs make them: a shop, a forum, a wiki and a source code viewer, with the links that such programs add.

use super::super::builder::{Builder, link, paragraph, parameter, trap_page};
use super::super::prose::{prose, slug, title, token, word};
use super::super::{SpacePage, UrlSpace};
use crate::pseudo_random::{below, mix};

/// Products by category, color and size, sixteen per page; each list has a button that adds a product to the cart, which shows the list
/// again: `/product-category/hats/?add-to-cart=12`.
pub(super) fn cart_shop(seed: u64) -> UrlSpace {
    let categories = ["hats", "coats", "bags", "belts", "scarves", "gloves"];
    let mut builder = Builder::new(seed, &["/shop/", "/about/", "/cart/"]);
    let per_category = 60 + u64::from(builder.choose(60, 1));
    let mut all = Vec::new();
    for (at, category) in (0..).zip(categories) {
        let products: Vec<u64> = (at * per_category..(at + 1) * per_category).collect();
        for product in &products {
            let name = title(seed, *product);
            let related = (0..4).map(|other| {
                let other = at * per_category + mix(seed, product * 4 + other) % per_category;
                link(&product_target(seed, other), &title(seed, other))
            });
            let content = paragraph(mix(seed, *product), 25 + builder.choose(60, product + 50))
                + &link(&format!("/product-category/{category}/"), category)
                + &related.collect::<String>();
            builder.page(product_target(seed, *product), &name, &content);
        }
        product_list(
            &mut builder,
            &format!("/product-category/{category}/"),
            "",
            &products,
            true,
        );
        for (property, values) in [("color", 6), ("size", 4)] {
            for value in 0..values {
                let is_one =
                    |product: &u64| below(values, mix(seed, u64::from(values)), *product) == value;
                let found: Vec<u64> = products.iter().copied().filter(is_one).collect();
                let query = format!("filter_{property}={}", word(u64::from(value) + 30));
                product_list(
                    &mut builder,
                    &format!("/product-category/{category}/"),
                    &query,
                    &found,
                    false,
                );
            }
        }
        all.extend(products);
    }
    product_list(&mut builder, "/shop/", "", &all, false);
    let lists =
        categories.map(|category| link(&format!("/product-category/{category}/"), category));
    builder.page("/", "Shop", &(paragraph(seed, 60) + &lists.concat()));
    builder.page("/about/", "About", &paragraph(mix(seed, 1), 120));
    builder.page("/cart/", "Cart", "<p>Your cart is currently empty.</p>");
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        let (list, _) = requested.split_once("add-to-cart=")?;
        let list = list.trim_end_matches(['?', '&']).to_owned();
        let html = honest.get(&list)?;
        let notice =
            "<p>The product has been added to your cart. <a href=\"/cart/\">View cart</a></p>";
        let _ = &layout;
        Some(SpacePage {
            html: html.replace("<main>", &format!("<main>{notice}")),
            shows: Some(list),
        })
    })
}

fn product_target(seed: u64, product: u64) -> String {
    format!("/product/{}/", slug(seed, product))
}

fn product_list(builder: &mut Builder, path: &str, query: &str, found: &[u64], has_filters: bool) {
    let seed = builder.seed;
    let mark = if query.is_empty() { "" } else { "?" };
    let target = |page: usize| match page {
        1 => format!("{path}{mark}{query}"),
        page => format!("{path}page/{page}/{mark}{query}"),
    };
    let pages = found.chunks(16).count();
    for (at, products) in (1..).zip(found.chunks(16)) {
        let mut content = String::new();
        let here = target(at);
        let more = if here.contains('?') { '&' } else { '?' };
        for product in products {
            content.push_str(&link(
                &product_target(seed, *product),
                &title(seed, *product),
            ));
            content.push_str(&link(
                &format!("{here}{more}add-to-cart={product}"),
                "Add to cart",
            ));
        }
        if has_filters {
            for (property, values) in [("color", 6_u64), ("size", 4)] {
                for value in 0..values {
                    let query = format!("{path}?filter_{property}={}", word(value + 30));
                    content.push_str(&link(&query, word(value + 30)));
                }
            }
        }
        for other in 1..=pages {
            content.push_str(&link(&target(other), &other.to_string()));
        }
        builder.page(here, path.trim_matches('/'), &content);
    }
}

/// Boards whose topics have pages of ten posts; links to single posts, to quote them, to members and to sort the pages.
pub(super) fn forum_software(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/ucp.php?mode=login", "/memberlist.php"]);
    let mut home = String::new();
    let members = 120;
    for board in 1..=6_u64 {
        let target = |start: u64| match start {
            0 => format!("/viewforum.php?f={board}"),
            start => format!("/viewforum.php?f={board}&start={start}"),
        };
        home.push_str(&link(&target(0), &title(seed, board + 15_000)));
        let topics = 30 + u64::from(below(120, seed, board));
        for start in (0..topics).step_by(25) {
            let mut content = String::new();
            for topic in start..topics.min(start + 25) {
                let id = board * 1_000 + topic;
                add_topic(&mut builder, board, id, members);
                let first = format!("/viewtopic.php?f={board}&t={id}");
                content.push_str(&link(&first, &title(seed, id)));
                content.push_str(&link(
                    &format!("/viewtopic.php?f={board}&p={}", id * 100),
                    "Last post",
                ));
            }
            for other in (0..topics).step_by(25) {
                content.push_str(&link(&target(other), &(other / 25 + 1).to_string()));
            }
            for (key, direction) in [("t", "a"), ("a", "d"), ("s", "d")] {
                let sorted = format!("{}&sk={key}&sd={direction}", target(start));
                content.push_str(&link(&sorted, "Sort"));
            }
            builder.page(target(start), &title(seed, board + 15_000), &content);
        }
    }
    let mut list = String::new();
    for member in 1..=members {
        let target = format!("/memberlist.php?mode=viewprofile&u={member}");
        list.push_str(&link(&target, word(mix(seed, member))));
        let posts = below(900, seed, member);
        let content = format!(
            "<dl><dt>Username</dt><dd>{}{member}</dd><dt>Posts</dt><dd>{posts}</dd></dl>",
            word(mix(seed, member))
        );
        builder.page(target, "Viewing profile", &content);
    }
    builder.page("/memberlist.php", "Members", &list);
    builder.page(
        "/ucp.php?mode=login",
        "Login",
        "<p>You need to log in to see your control panel.</p>",
    );
    builder.page("/", "Board index", &home);
    let layout = builder.layout();
    builder.with_trap(move |requested, honest| {
        if requested.starts_with("/posting.php?") {
            return trap_page(layout.page(
                "Login",
                "<p>You need to log in in order to post replies to this topic.</p>",
            ));
        }
        let shows = if let Some((list, _)) = requested.split_once("&sk=") {
            list.to_owned()
        } else {
            let post: u64 = parameter(requested, "p")
                .filter(|_| requested.starts_with("/viewtopic"))?
                .parse()
                .ok()?;
            let board = parameter(requested, "f")?;
            format!("/viewtopic.php?f={board}&t={}", post / 100)
        };
        let html = honest.get(&shows)?.clone();
        Some(SpacePage {
            html,
            shows: Some(shows),
        })
    })
}

fn add_topic(builder: &mut Builder, board: u64, id: u64, members: u64) {
    let seed = builder.seed;
    let posts = 1 + u64::from(below(30, seed, id + 90_000)).saturating_sub(8);
    for start in (0..posts).step_by(10) {
        let target = |start: u64| match start {
            0 => format!("/viewtopic.php?f={board}&t={id}"),
            start => format!("/viewtopic.php?f={board}&t={id}&start={start}"),
        };
        let mut content = String::new();
        for post in start..posts.min(start + 10) {
            let number = id * 100 + post;
            content.push_str(&paragraph(
                mix(seed, number + 1_000_000),
                3 + below(40, seed, number),
            ));
            let member = 1 + mix(seed, number) % members;
            content.push_str(&link(
                &format!("/memberlist.php?mode=viewprofile&u={member}"),
                "Member",
            ));
            content.push_str(&link(
                &format!("/posting.php?mode=quote&f={board}&p={number}"),
                "Quote",
            ));
            content.push_str(&link(
                &format!("/viewtopic.php?f={board}&p={number}"),
                "Post",
            ));
        }
        content.push_str(&link(
            &format!("/posting.php?mode=reply&f={board}&t={id}"),
            "Reply",
        ));
        for other in (0..posts).step_by(10) {
            content.push_str(&link(&target(other), &(other / 10 + 1).to_string()));
        }
        builder.page(target(start), &title(seed, id), &content);
    }
}

/// Articles with an editor that asks to log in, a history, older versions, talk pages that do not exist yet and lists of related changes.
pub(super) fn wiki_software(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/wiki/Special:Random_page", "/wiki/Help"]);
    let articles = 250 + u64::from(builder.choose(200, 1));
    let mut home = String::new();
    for article in 0..articles {
        let name = slug(seed, article);
        let target = format!("/wiki/{name}");
        if article % 9 == 0 {
            home.push_str(&link(&target, &name));
        }
        let base = format!("/index.php?title={name}");
        let mut content = paragraph(mix(seed, article), 40 + builder.choose(120, article));
        for other in [
            article + 1,
            article + 2,
            article * 3 + 1,
            mix(seed, article),
        ] {
            let other = slug(seed, other % articles);
            content.push_str(&link(&format!("/wiki/{other}"), &other));
        }
        for missing in 0..2 {
            let missing = slug(seed, 9_000 + article * 2 + missing);
            content.push_str(&link(
                &format!("/index.php?title={missing}&action=edit&redlink=1"),
                &missing,
            ));
        }
        content.push_str(&link(&format!("{base}&action=edit"), "Edit"));
        content.push_str(&link(&format!("{base}&action=history"), "History"));
        content.push_str(&link(
            &format!("/wiki/Special:WhatLinksHere/{name}"),
            "What links here",
        ));
        content.push_str(&link(
            &format!("/index.php?title=Talk:{name}&action=edit&redlink=1"),
            "Talk",
        ));
        builder.page(target, &name, &content);
        let versions = 1 + u64::from(below(5, seed, article + 900));
        let mut history = String::new();
        for version in 1..=versions {
            let id = article * 10 + version + 4_000;
            let text = paragraph(mix(seed, article), 40) + &paragraph(mix(seed, id), 14);
            history.push_str(&link(&format!("{base}&oldid={id}"), "version"));
            builder.page(format!("{base}&oldid={id}"), &name, &text);
            if version > 1 {
                let diff = format!("{base}&diff={id}&oldid={}", id - 1);
                history.push_str(&link(&diff, "prev"));
                builder.page(
                    diff,
                    &name,
                    &format!(
                        "<del>{}</del><ins>{}</ins>",
                        prose(mix(seed, id - 1), 14),
                        prose(mix(seed, id), 14)
                    ),
                );
            }
        }
        builder.page(format!("{base}&action=history"), &name, &history);
    }
    builder.page("/", "Main page", &home);
    builder.page("/wiki/Help", "Help", &paragraph(seed, 150));
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        if requested.contains("&action=edit") {
            let text = "<p>You do not have permission to edit this page, for the following reason: the action you have requested is limited to users.</p>";
            return trap_page(layout.page("Permission error", text));
        }
        let name = requested.strip_prefix("/wiki/Special:WhatLinksHere/")?;
        let content = format!("<p>The following pages link to {name}:</p>{}", link(&format!("/wiki/{name}"), name));
        trap_page(layout.page("Pages that link here", &content))
    })
}

/// A repository: its log page by page, each commit with its change, and each folder and file of the newest version.
pub(super) fn source_viewer(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/project/log/", "/project/tree/", "/project/refs/"]);
    let commits = 500 + u64::from(builder.choose(500, 1));
    let target = |start: u64| match start {
        0 => "/project/log/".to_owned(),
        start => format!("/project/log/?ofs={start}"),
    };
    let id = |commit: u64| format!("{}{}", token(seed, commit), token(seed, commit + 50_000));
    for start in (0..commits).step_by(50) {
        let mut content = String::new();
        for commit in start..commits.min(start + 50) {
            content.push_str(&link(
                &format!("/project/commit/?id={}", id(commit)),
                &title(seed, commit),
            ));
            let changed = format!(
                "<pre>@@ -{0},7 +{0},9 @@ {1}</pre>",
                commit % 300,
                prose(mix(seed, commit), 12)
            );
            let parent = link(
                &format!("/project/commit/?id={}", id((commit + 1).min(commits - 1))),
                "parent",
            );
            builder.page(
                format!("/project/commit/?id={}", id(commit)),
                &title(seed, commit),
                &(changed + &parent),
            );
        }
        if start + 50 < commits {
            content.push_str(&link(&target(start + 50), "[next]"));
        }
        builder.page(target(start), "Log", &content);
    }
    let mut top = String::new();
    for folder in 0..14_u64 {
        let path = format!("/project/tree/{}", slug(seed, folder + 12_000));
        top.push_str(&link(&path, "folder"));
        let mut files = String::new();
        for file in 0..3 + u64::from(below(20, seed, folder)) {
            let path = format!("{path}/{}.c", word(mix(seed, folder * 100 + file)));
            files.push_str(&link(&path, "file"));
            builder.page(
                path,
                "file",
                &format!(
                    "<pre>{}</pre>",
                    prose(mix(seed, folder * 100 + file + 7), 60)
                ),
            );
        }
        builder.page(path, "folder", &files);
    }
    builder.page("/project/tree/", "Tree", &top);
    builder.page("/project/refs/", "Refs", "<p>master</p>");
    builder.page("/", "Repositories", &link("/project/log/", "project"));
    builder.finish()
}
