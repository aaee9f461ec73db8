//! Splitting a resolved URL, computing its key, and checking its scope.

use std::hint::black_box;

use crawler_weburl::{ScopeVerdict, UrlRef};

use crate::case::Case;
use crate::pages::{R, plan};

const PLAIN: &str = "https://docs.example.org/docs/reference/copper-orbit-77/";
const WITH_QUERY: &str =
    "https://docs.example.org/docs/reference/copper-orbit-77/?page=2&sort=name";

pub(crate) fn cases() -> Vec<Case> {
    let path = "/docs/reference/copper-orbit-77/".len();
    let split = Case::new("url-split", 1_000, path, |_| {
        Box::new(|| UrlRef::split(black_box(PLAIN)).map_or(0, |url| url.path().len()))
    });
    let scope = Case::new("scope", 1_000, 1, |_| {
        let (plan, url) = (plan(R.url), UrlRef::split(PLAIN).expect("a URL"));
        Box::new(move || usize::from(plan.scope.verdict(black_box(url)) == ScopeVerdict::In))
    });
    vec![split, key("plain", PLAIN), key("query", WITH_QUERY), scope]
}

fn key(name: &str, text: &'static str) -> Case {
    Case::new(format!("key-{name}"), 1_000, 1, move |_| {
        let (keys, url) = (plan(R.url).keys, UrlRef::split(text).expect("a URL"));
        let known = keys.key(url);
        Box::new(move || usize::from(keys.key(black_box(url)) == known))
    })
}
