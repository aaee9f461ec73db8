//! Lists that show the same items in endless ways, or have pages beyond their end.

use std::fmt::Write;

use super::super::UrlSpace;
use super::super::builder::{Builder, hash, link, paragraph, trap_page};
use super::super::prose::{slug, title, word};
use super::honest_part::honest_part;
use crate::pseudo_random::{below, mix};

const PRODUCTS: u64 = 60;
const FIRST: u64 = 13_000;
const FACETS: [&str; 6] = ["color", "size", "sort", "brand", "per_page", "view"];

fn product(seed: u64, number: u64) -> (String, String) {
    let target = format!("/product/{}", slug(seed, FIRST + number));
    (target, title(seed, FIRST + number))
}

fn add_products(builder: &mut Builder) {
    for number in 0..PRODUCTS {
        let (target, name) = product(builder.seed, number);
        let content = paragraph(mix(builder.seed, FIRST + number), 50);
        builder.page(target, &name, &content);
    }
}

/// The products with the chosen properties, in an order that depends on the choice. Most parameters do not change which products are
/// shown.
fn shown(seed: u64, choice: &str) -> String {
    let is_chosen = |number: &u64| {
        choice.split(['&', '/']).all(|pair| {
            let Some((facet, value)) = pair.split_once(['=', '-']) else {
                return true;
            };
            let is_property = matches!(facet, "color" | "size");
            !is_property || hash(*number, facet) % 4 == hash(7, value) % 4
        })
    };
    let mut numbers: Vec<u64> = (0..PRODUCTS).filter(is_chosen).collect();
    numbers.sort_by_key(|number| mix(hash(seed, choice), *number));
    let each = numbers.iter().map(|number| {
        let (target, name) = product(seed, *number);
        link(&target, &name)
    });
    each.collect()
}

/// All products.
fn all(seed: u64) -> String {
    let each = (0..PRODUCTS).map(|number| {
        let (target, name) = product(seed, number);
        link(&target, &name)
    });
    each.collect()
}

/// The same items sorted, filtered and shown in any combination; a parameter is added or changed, in one order.
pub(super) fn sorting_and_filters(seed: u64) -> UrlSpace {
    combinations(seed, true)
}

/// The same, and the parameters are in the order in which they were chosen.
pub(super) fn facets_in_any_order(seed: u64) -> UrlSpace {
    combinations(seed, false)
}

fn combinations(seed: u64, is_sorted: bool) -> UrlSpace {
    let mut builder = honest_part(seed, "/products");
    add_products(&mut builder);
    builder.page(
        "/products",
        "Products",
        &(all(seed) + &choices("/products?", "")),
    );
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let query = requested.strip_prefix("/products?")?;
        let mut pairs: Vec<&str> = query.split('&').collect();
        if is_sorted {
            pairs.sort_unstable();
        }
        let query = pairs.join("&");
        let content = shown(seed, &query) + &choices("/products?", &query);
        trap_page(layout.page("Products", &content))
    })
}

/// Links that add a parameter to a query, or change it.
fn choices(base: &str, query: &str) -> String {
    let mut list = String::new();
    for (at, facet) in FACETS.iter().enumerate() {
        for value in 0..4 {
            let value = word(at as u64 * 10 + value);
            let mut pairs: Vec<String> = query
                .split('&')
                .filter(|pair| !pair.is_empty() && !pair.starts_with(facet))
                .map(str::to_owned)
                .collect();
            pairs.push(format!("{facet}={value}"));
            list.push_str(&link(&format!("{base}{}", pairs.join("&")), value));
        }
    }
    list
}

/// The same filters in the path: `/filter/color-red/size-m`.
pub(super) fn filters_in_path(seed: u64) -> UrlSpace {
    let mut builder = honest_part(seed, "/filter");
    add_products(&mut builder);
    builder.page(
        "/filter",
        "Products",
        &(all(seed) + &link("/filter/color-red", "red")),
    );
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let chosen = requested.strip_prefix("/filter/")?;
        let mut content = shown(seed, chosen);
        for (at, facet) in (0..).zip(["color", "size", "brand", "price", "sort"]) {
            for value in 0..4 {
                let others = chosen.split('/').filter(|part| !part.starts_with(facet));
                let mut parts: Vec<String> = others.map(str::to_owned).collect();
                parts.push(format!("{facet}-{}", word(at * 10 + value)));
                content.push_str(&link(&format!("/filter/{}", parts.join("/")), facet));
            }
        }
        trap_page(layout.page("Products", &content))
    })
}

/// A list of thirty pages; all pages beyond show the last one.
pub(super) fn repeated_last_page(seed: u64) -> UrlSpace {
    beyond_the_end(seed, "/offers?page=", |content| content)
}

/// A list of thirty pages; all pages beyond are empty.
pub(super) fn empty_pages(seed: u64) -> UrlSpace {
    let empty = |_| "<p>No more offers.</p>".to_owned();
    beyond_the_end(seed, "/offers?start=", empty)
}

/// The same with the page in the path.
pub(super) fn empty_pages_by_path(seed: u64) -> UrlSpace {
    let empty = |_| "<p>No more offers.</p>".to_owned();
    beyond_the_end(seed, "/offers/page/", empty)
}

fn beyond_the_end(seed: u64, base: &'static str, content_of: fn(String) -> String) -> UrlSpace {
    let mut builder = honest_part(seed, &format!("{base}1"));
    let offers = move |page: u64| -> String {
        let mut list = String::new();
        for offer in page * 8..page * 8 + 8 {
            let (name, price) = (title(seed, 17_000 + offer), below(500, seed, offer));
            write!(list, "<li>{name} for {price}</li>").ok();
        }
        list
    };
    for page in 1..=30 {
        let content = offers(page) + &link(&format!("{base}{}", page + 1), "Next page");
        builder.page(
            format!("{base}{page}"),
            &format!("Offers, page {page}"),
            &content,
        );
    }
    let layout = builder.layout();
    builder.with_trap(move |requested, _| {
        let page: u64 = requested.strip_prefix(base)?.parse().ok()?;
        if page <= 30 {
            return None;
        }
        let content = content_of(offers(30)) + &link(&format!("{base}{}", page + 1), "Next page");
        trap_page(layout.page(&format!("Offers, page {page}"), &content))
    })
}
