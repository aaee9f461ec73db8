//! Shops and search pages: one path with many queries.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::UrlSpace;
use super::super::builder::{Builder, link, links, paragraph};
use super::super::prose::{slug, title, word};
use crate::pseudo_random::{below, mix};

const CATEGORIES: [&str; 5] = ["shoes", "coats", "hats", "bags", "belts"];
const PER_PAGE: usize = 20;
const FACETS: [(&str, u32); 3] = [("color", 6), ("size", 4), ("brand", 7)];

fn value(seed: u64, product: u64, facet: u64) -> u32 {
    let count = FACETS[usize::try_from(facet).unwrap_or_default()].1;
    below(count, mix(seed, facet + 10), product)
}

/// Categories whose products can be narrowed down by one or two of three properties, page by page.
pub(super) fn shop(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &CATEGORIES.map(category).each_ref().map(|c| &**c));
    let per_category = 100 + u64::from(builder.choose(60, 1));
    for (first, name) in (0..).step_by(1_000).zip(CATEGORIES) {
        let products: Vec<u64> = (first..first + per_category).collect();
        for product in &products {
            let content = paragraph(mix(seed, *product), 60);
            builder.page(
                product_target(seed, *product),
                &title(seed, *product),
                &content,
            );
        }
        for (query, filter) in filters() {
            let found: Vec<u64> = products
                .iter()
                .copied()
                .filter(|product| filter.iter().all(|(f, v)| value(seed, *product, *f) == *v))
                .collect();
            if !found.is_empty() {
                add_lists(&mut builder, name, &query, &filter, &found);
            }
        }
    }
    builder.page("/", "Shop", &paragraph(seed, 30));
    builder.finish()
}

fn category(name: &str) -> String {
    format!("/c/{name}")
}

fn product_target(seed: u64, product: u64) -> String {
    format!("/product/{}", slug(seed, product))
}

type Filter = Vec<(u64, u32)>;

/// All choices of up to two properties, as queries.
fn filters() -> BTreeMap<String, Filter> {
    let mut filters = BTreeMap::from([(String::new(), Filter::new())]);
    for (first, (_, values)) in (0..).zip(FACETS) {
        for value in 0..values {
            let one = vec![(first, value)];
            filters.insert(query_of(&one), one.clone());
            for (second, (_, values)) in (0..)
                .zip(FACETS)
                .skip(usize::try_from(first).unwrap_or(0) + 1)
            {
                for other in 0..values {
                    let two = vec![(first, value), (second, other)];
                    filters.insert(query_of(&two), two);
                }
            }
        }
    }
    filters
}

fn query_of(filter: &[(u64, u32)]) -> String {
    let pairs: Vec<String> = filter
        .iter()
        .map(|(facet, value)| {
            let name = FACETS[usize::try_from(*facet).unwrap_or_default()].0;
            format!("{name}={}", word(u64::from(*value) + 30))
        })
        .collect();
    pairs.join("&")
}

fn add_lists(builder: &mut Builder, name: &str, query: &str, filter: &Filter, found: &[u64]) {
    let seed = builder.seed;
    let pages = found.chunks(PER_PAGE).count();
    for (at, products) in (1..).zip(found.chunks(PER_PAGE)) {
        let mut content = String::new();
        for product in products {
            content.push_str(&link(
                &product_target(seed, *product),
                &title(seed, *product),
            ));
            write!(content, "<b>{}.99</b>", below(400, seed, *product)).ok();
        }
        if filter.len() < 2 {
            let from = filter.first().map_or(0, |(facet, _)| facet + 1);
            for (facet, (_, values)) in (0..).zip(FACETS).filter(|(facet, _)| *facet >= from) {
                for value in 0..values {
                    let mut narrower = filter.clone();
                    narrower.push((facet, value));
                    // Choices without results are not linked.
                    if found
                        .iter()
                        .any(|one| self::value(seed, *one, facet) == value)
                    {
                        let target = format!("/c/{name}?{}", query_of(&narrower));
                        content.push_str(&link(&target, word(u64::from(value) + 30)));
                    }
                }
            }
        }
        let target = |page: usize| {
            let paging = (page > 1).then(|| format!("page={page}"));
            let parts = [
                Some(query.to_owned()).filter(|query| !query.is_empty()),
                paging,
            ];
            let query = parts.into_iter().flatten().collect::<Vec<_>>().join("&");
            let mark = if query.is_empty() { "" } else { "?" };
            format!("/c/{name}{mark}{query}")
        };
        if at < pages {
            content.push_str(&link(&target(at + 1), "Next"));
        }
        builder.page(
            target(at),
            &format!("{name} {}", query.replace(['=', '&'], " ")),
            &content,
        );
    }
}

/// Articles with tags; a tag is a search whose results are shown page by page.
pub(super) fn search(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/search"]);
    let articles = 700 + u64::from(builder.choose(200, 1));
    let mut found = BTreeMap::<&str, Vec<u64>>::new();
    for article in 0..articles {
        let mut content = paragraph(mix(seed, article), 60);
        for tag in 0..3 {
            let tag = word(mix(seed, article * 3 + tag) % 60);
            found.entry(tag).or_default().push(article);
            content.push_str(&link(&format!("/search?q={tag}"), tag));
        }
        builder.page(
            format!("/a/{}", slug(seed, article)),
            &title(seed, article),
            &content,
        );
    }
    let mut tags = String::new();
    for (tag, articles) in &found {
        tags.push_str(&link(&format!("/search?q={tag}"), tag));
        let pages = articles.chunks(10).count();
        for (at, results) in (1..).zip(articles.chunks(10)) {
            let mut content = String::new();
            for article in results {
                let target = format!("/a/{}", slug(seed, *article));
                content.push_str(&link(&target, &title(seed, *article)));
            }
            if at < pages {
                content.push_str(&link(&format!("/search?q={tag}&page={}", at + 1), "More"));
            }
            let target = match at {
                1 => format!("/search?q={tag}"),
                at => format!("/search?q={tag}&page={at}"),
            };
            builder.page(target, &format!("Results for {tag}"), &content);
        }
    }
    builder.page("/search", "Search", &tags);
    let latest = format!("/a/{}", slug(seed, 0));
    builder.page("/", "Home", &links([(&*latest, "latest")]));
    builder.finish()
}

/// A catalog that runs on one path: `/index.php?cat=3&sub=12&item=7`.
pub(super) fn categories_by_query(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let mut home = String::new();
    for category in 0..12_u64 {
        let top = format!("/index.php?cat={category}");
        home.push_str(&link(&top, &title(seed, category + 15_000)));
        let mut list = String::new();
        for sub in 0..8 {
            let middle = format!("{top}&sub={sub}");
            let mut items = String::new();
            for item in 0..12 {
                let number = (category * 8 + sub) * 12 + item;
                let target = format!("{middle}&item={item}");
                items.push_str(&link(&target, &title(seed, number)));
                let content = paragraph(mix(seed, number), 45);
                builder.page(target, &title(seed, number), &content);
            }
            list.push_str(&link(&middle, &title(seed, category * 8 + sub + 16_000)));
            builder.page(middle, &title(seed, category * 8 + sub + 16_000), &items);
        }
        builder.page(top, &title(seed, category + 15_000), &list);
    }
    builder.page("/", "Catalog", &home);
    builder.finish()
}
