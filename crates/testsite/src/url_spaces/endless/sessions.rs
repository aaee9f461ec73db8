//! Links that get something new on each page they are on: session ids, and where the reader came from.

use std::collections::BTreeMap;

use super::super::builder::{hash, parameter};
use super::super::{SpacePage, UrlSpace};
use super::honest_part::honest_part;
use crate::pseudo_random::mix;

/// A site in which `mark` changes each link, given the page it is on, and `unmark` returns the original target.
fn marked(
    seed: u64,
    mark: impl Fn(&str, &str) -> String + Send + Sync + 'static,
    unmark: fn(&str) -> String,
) -> UrlSpace {
    let builder = honest_part(seed, "/");
    builder.with_trap(move |requested, honest: &BTreeMap<String, String>| {
        let target = unmark(requested);
        let page = honest.get(&target)?;
        let mut html = String::with_capacity(page.len() * 2);
        let mut rest = page.as_str();
        while let Some(at) = rest.find("href=\"") {
            let (before, after) = rest.split_at(at + 6);
            let (link, after) = after.split_once('"')?;
            html.push_str(before);
            html.push_str(&mark(requested, link));
            html.push('"');
            rest = after;
        }
        html.push_str(rest);
        Some(SpacePage {
            html,
            shows: Some(target),
        })
    })
}

/// Adds a pair to a query.
fn with_pair(link: &str, pair: &str) -> String {
    let separator = if link.contains('?') { "&amp;" } else { "?" };
    format!("{link}{separator}{pair}")
}

/// The target without its last pair, if that has this name.
fn without_pair(target: &str, name: &str) -> String {
    match target.rfind(['?', '&']) {
        Some(at) if target[at + 1..].starts_with(name) && parameter(target, name).is_some() => {
            target[..at].to_owned()
        }
        _ => target.to_owned(),
    }
}

pub(super) fn session_in_path(seed: u64) -> UrlSpace {
    let mark = move |on: &str, link: &str| {
        let (path, query) = link.split_at(link.find('?').unwrap_or(link.len()));
        format!("{path};jsessionid={:016X}{query}", hash(seed, on))
    };
    marked(seed, mark, |target| {
        match target.split_once(";jsessionid=") {
            Some((path, rest)) => format!("{path}{}", rest.get(16..).unwrap_or_default()),
            None => target.to_owned(),
        }
    })
}

pub(super) fn session_in_query(seed: u64) -> UrlSpace {
    let mark =
        move |on: &str, link: &str| with_pair(link, &format!("PHPSESSID={:016x}", hash(seed, on)));
    marked(seed, mark, |target| without_pair(target, "PHPSESSID"))
}

/// An id under a name that nobody has heard of.
pub(super) fn session_of_unknown_name(seed: u64) -> UrlSpace {
    let mark = move |on: &str, link: &str| {
        with_pair(link, &format!("zkey={:012x}", mix(hash(seed, on), 1) >> 16))
    };
    marked(seed, mark, |target| without_pair(target, "zkey"))
}

/// Each link says which page it is on.
pub(super) fn click_path(seed: u64) -> UrlSpace {
    let mark = |on: &str, link: &str| {
        let path = on.split('?').next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        let name = if name.is_empty() { "home" } else { name };
        with_pair(link, &format!("from={name}"))
    };
    marked(seed, mark, |target| without_pair(target, "from"))
}
