//! Sites whose links are redirects.

use std::collections::HashMap;

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph, parameter};
use super::super::prose::{slug, title, token};
use crate::pseudo_random::mix;

/// Sections of forty articles, whose targets `article` names; `extra` is added to each.
fn articles(
    seed: u64,
    count: u64,
    article: impl Fn(u64) -> String,
    extra: impl Fn(u64) -> String,
) -> Builder {
    let mut builder = Builder::new(seed, &["/imprint"]);
    let mut home = paragraph(seed, 30);
    for section in 0..count.div_ceil(40) {
        let mut list = String::new();
        for number in section * 40..count.min(section * 40 + 40) {
            list.push_str(&link(&article(number), &title(seed, number)));
            let mut content = paragraph(mix(seed, number), 45) + &extra(number);
            for other in [number / 2, number / 3, mix(seed, number) % count] {
                content.push_str(&link(&article(other), &title(seed, other)));
            }
            builder.page(target(seed, number), &title(seed, number), &content);
        }
        let target = format!("/section/{section}");
        home.push_str(&link(&target, "Section"));
        builder.page(target, "Section", &list);
    }
    builder.page("/imprint", "Imprint", &paragraph(mix(seed, 1), 60));
    builder.page("/", "Home", &home);
    builder
}

fn target(seed: u64, number: u64) -> String {
    format!("/articles/{}", slug(seed, number))
}

/// Every link to an article is counted: `/go/12` redirects to it. No article is linked in another way.
pub(super) fn articles_behind_a_counter(seed: u64) -> UrlSpace {
    let mut builder = articles(
        seed,
        1_200,
        |number| format!("/go/{number}"),
        |_| String::new(),
    );
    builder.redirect(move |requested| {
        let number: u64 = requested.strip_prefix("/go/")?.parse().ok()?;
        Some(target(seed, number))
    });
    builder.finish()
}

/// Posts that lead to four others each by a counter, and to no index, beside sixty other pages.
pub(super) fn related_posts_behind_a_counter(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/newest"]);
    let (mut home, mut newest, posts) = (String::new(), String::new(), 1_000);
    for number in 0..60 {
        let about = format!("/about/{number}");
        home.push_str(&link(&about, "About us"));
        builder.page(
            about,
            "About us",
            &paragraph(mix(seed, number + 60_000), 60),
        );
    }
    let counted = |number: u64| link(&format!("/go/{number}"), &title(seed, number));
    for number in 0..posts {
        let mut content = paragraph(mix(seed, number), 60);
        for at in 0..4 {
            content.push_str(&counted(mix(seed, number * 4 + at) % posts));
        }
        if number < 5 {
            newest.push_str(&counted(number));
        }
        // Not all would be linked otherwise.
        content.push_str(&counted((number + 5) % posts));
        builder.page(target(seed, number), &title(seed, number), &content);
    }
    builder.page("/newest", "Newest posts", &newest);
    builder.page("/", "Home", &home);
    builder.redirect(move |requested| {
        let number: u64 = requested.strip_prefix("/go/")?.parse().ok()?;
        Some(target(seed, number))
    });
    builder.finish()
}

/// Each article shows its own short link, and one to another article. A tenth of the articles has no other link.
pub(super) fn url_shortener(seed: u64) -> UrlSpace {
    let short = move |number: u64| link(&format!("/x/{}", token(seed, number)), "Short link");
    let count = 900;
    let mut builder = articles(
        seed,
        count,
        |number| target(seed, number),
        move |number| short(number) + &short(count + number / 9),
    );
    for number in count..count + 100 {
        builder.page(
            target(seed, number),
            &title(seed, number),
            &paragraph(mix(seed, number), 45),
        );
    }
    let numbers: HashMap<String, u64> = (0..count + 100)
        .map(|number| (token(seed, number), number))
        .collect();
    builder.redirect(move |requested| {
        let number = numbers.get(requested.strip_prefix("/x/")?)?;
        Some(target(seed, *number))
    });
    builder.finish()
}

/// Each article has a link to change it and one to discuss it, which redirect to the one form to sign in.
pub(super) fn sign_in_for_members(seed: u64) -> UrlSpace {
    let extra = move |number: u64| {
        link(&format!("/members/{number}"), "Author") + &link(&format!("/edit/{number}"), "Edit")
    };
    let mut builder = articles(seed, 700, |number| target(seed, number), extra);
    builder.page("/signin", "Sign in", "<p>Please sign in to continue.</p>");
    builder.redirect(|requested| {
        let is_for_members = requested.starts_with("/members/") || requested.starts_with("/edit/");
        is_for_members.then(|| "/signin".to_owned())
    });
    builder.finish()
}

/// Each article has a translation, which only a redirect leads to: `/language?to=de&back=/articles/x` to `/articles/x?lang=de`.
pub(super) fn translations_by_redirect(seed: u64) -> UrlSpace {
    let switch = move |number: u64, to: &str| {
        let back = target(seed, number).replace('/', "%2F");
        link(&format!("/language?to={to}&back={back}"), to)
    };
    let count = 700;
    let mut builder = articles(
        seed,
        count,
        |number| target(seed, number),
        |number| switch(number, "de"),
    );
    for number in 0..count {
        let content = paragraph(mix(seed, number + 50_000), 45) + &switch(number, "en");
        builder.page(
            format!("{}?lang=de", target(seed, number)),
            &title(seed, number),
            &content,
        );
    }
    builder.redirect(|requested| {
        let back = parameter(requested, "back").filter(|_| requested.starts_with("/language?"))?;
        let query = match parameter(requested, "to")? {
            "en" => "",
            _ => "?lang=de",
        };
        Some(back.replace("%2F", "/") + query)
    });
    builder.finish()
}
