//! Crawler traps: endless sets of pages with new links. The tests limit how many requests a crawler may spend on them.

use super::Expect;
use super::case::{Case, ONE_LINK, Visit, case};
use crate::SiteResponse;
use crate::pages::list_of_links;
use crate::pseudo_random::mix;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case(
            "trap-calendar",
            Expect::Fetched { links: 3 },
            "every day links to the days and the month beside it",
            calendar,
        )
        .at("2026/11/16")
        .at_most(120),
        case(
            "trap-calendar-query",
            Expect::Fetched { links: 2 },
            "the same with the day in the query",
            |visit| {
                let day: i64 = number_after(visit.rest, "day=").unwrap_or(0);
                let links = [day - 1, day + 1];
                page(links.map(|next| format!("/trap-calendar-query/view?day={next}")))
            },
        )
        .at("view?day=20000")
        .at_most(120),
        case(
            "trap-repeat",
            ONE_LINK,
            "a/b/a/b/… forever, each level a page",
            |visit| {
                let after_a = visit.rest.trim_end_matches('/').ends_with("/a");
                page([if after_a { "b/" } else { "a/" }])
            },
        )
        .at("a/b/")
        .at_most(30),
        case(
            "trap-relative",
            Expect::Fetched { links: 2 },
            "a menu with relative links: every page seems to have its own folder",
            |_| page(["shop/list/", "shop/about/"]),
        )
        .at("in/")
        .at_most(60),
        case(
            "trap-session-path",
            Expect::Fetched { links: 10 },
            "ten pages, with a new session id in every link",
            |visit| sessions(visit, "/trap-session-path/page-{page};jsessionid={id}"),
        )
        .at_most(15),
        case(
            "trap-session-query",
            Expect::Fetched { links: 10 },
            "the same in the query",
            |visit| sessions(visit, "/trap-session-query/page-{page}?PHPSESSID={id}"),
        )
        .at_most(15),
        case(
            "trap-facets",
            Expect::Fetched { links: 20 },
            "twenty filters that can be combined in any order",
            facets,
        )
        .at("list")
        .at_most(200),
        case(
            "trap-pages",
            ONE_LINK,
            "a list that always has a next page",
            |visit| {
                let current: i64 = number_after(visit.rest, "page=").unwrap_or(0);
                page([format!("?page={}", current + 1)])
            },
        )
        .at("list?page=1")
        .at_most(120),
    ]
}

fn page<L: AsRef<str>>(links: impl IntoIterator<Item = L>) -> SiteResponse {
    SiteResponse::html(list_of_links(links))
}

fn number_after(text: &str, prefix: &str) -> Option<i64> {
    text.split_once(prefix)?.1.parse().ok()
}

/// All months have 28 days.
fn calendar(visit: &Visit<'_>) -> SiteResponse {
    let parts: Vec<i64> = visit
        .rest
        .split('/')
        .filter_map(|part| part.parse().ok())
        .collect();
    let [year, month, day] = parts[..] else {
        return SiteResponse::status(404);
    };
    let link = |days: i64| {
        let all = (year * 12 + month - 1) * 28 + day - 1 + days;
        let months = all.div_euclid(28);
        format!(
            "/trap-calendar/{}/{:02}/{:02}",
            months.div_euclid(12),
            months.rem_euclid(12) + 1,
            all.rem_euclid(28) + 1
        )
    };
    page([link(-1), link(1), link(28)])
}

/// Ten pages, with a new session id in every response.
fn sessions(visit: &Visit<'_>, pattern: &str) -> SiteResponse {
    let seed = visit
        .rest
        .bytes()
        .fold(visit.visits, |sum, byte| mix(sum, u64::from(byte)));
    page((0..10).map(|number| {
        let id = format!("{:016X}{:016X}", mix(seed, number), mix(seed, number + 100));
        pattern
            .replace("{page}", &number.to_string())
            .replace("{id}", &id)
    }))
}

/// The current query with one filter added or changed, in click order.
fn facets(visit: &Visit<'_>) -> SiteResponse {
    let query = visit.request.query();
    page((0..20).map(|filter| {
        let remaining: Vec<&str> = query
            .split('&')
            .filter(|pair| !pair.is_empty() && !pair.starts_with(&format!("f{filter}=")))
            .collect();
        let value = mix(remaining.len() as u64, filter) % 5;
        let last = format!("f{filter}={value}");
        let pairs: Vec<&str> = remaining.into_iter().chain([last.as_str()]).collect();
        format!("/trap-facets/list?{}", pairs.join("&amp;"))
    }))
}
