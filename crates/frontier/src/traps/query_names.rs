//! Parameters that change nothing on a page: session ids under any name, return addresses, click counters.

use std::collections::HashMap;

use crawler_model::TextSketch;
use crawler_weburl::UrlRef;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::place::name_key;

/// Pages that must be the same, whatever the parameter's value, and none different.
const MIN_SAME: u32 = 8;
/// A shorter text says too little: a page that a script fills may look like this.
const MIN_WORDS: u32 = 20;
/// Limits on what is remembered for one path.
const MAX_NAMES: usize = 16;
const MAX_TEXTS: usize = 64;

/// The parameters of one path.
#[derive(Debug, Default)]
pub(super) struct IgnorableNames {
    names: HashMap<u64, NameRecord>,
    /// Names that change nothing.
    ignorable: Vec<u64>,
}

#[derive(Debug, Default)]
struct NameRecord {
    same: u32,
    differs: bool,
    /// The text of a page, by its other parameters.
    texts: HashMap<u64, u64>,
}

impl IgnorableNames {
    /// Compares a page with those that differ in one parameter only.
    pub(super) fn take_in(&mut self, url: UrlRef<'_>, text: &TextSketch) {
        if text.words < MIN_WORDS {
            return;
        }
        for pair in pairs(url) {
            let name = name_key(pair);
            if !self.names.contains_key(&name) && self.names.len() >= MAX_NAMES {
                continue;
            }
            let record = self.names.entry(name).or_default();
            let others = key_without(url, |other| other == name);
            match record.texts.get(&others) {
                Some(exact) if *exact == text.exact => record.same += 1,
                Some(_) => record.differs = true,
                None if record.texts.len() < MAX_TEXTS => {
                    record.texts.insert(others, text.exact);
                }
                None => (),
            }
            let is_ignorable = record.same >= MIN_SAME && !record.differs;
            if is_ignorable && !self.ignorable.contains(&name) {
                self.ignorable.push(name);
            } else if !is_ignorable {
                self.ignorable.retain(|other| *other != name);
            }
        }
    }

    /// The key of a URL without the parameters that change nothing, if it has any.
    pub(super) fn key_without_ignorable(&self, url: UrlRef<'_>) -> Option<u64> {
        let is_ignorable = |name: u64| self.ignorable.contains(&name);
        let has_some =
            !self.ignorable.is_empty() && pairs(url).any(|pair| is_ignorable(name_key(pair)));
        has_some.then(|| key_without(url, is_ignorable))
    }
}

fn pairs(url: UrlRef<'_>) -> impl Iterator<Item = &str> {
    let query = url.query().unwrap_or_default();
    query.split('&').filter(|pair| !pair.is_empty())
}

/// A fingerprint of a URL without some of its parameters.
fn key_without(url: UrlRef<'_>, is_left_out: impl Fn(u64) -> bool) -> u64 {
    let page = &url.as_str()[..url.as_str().len() - url.query_with_mark().len()];
    pairs(url)
        .filter(|pair| !is_left_out(name_key(pair)))
        .fold(xxh3_64_with_seed(page.as_bytes(), 1), |key, pair| {
            xxh3_64_with_seed(pair.as_bytes(), key)
        })
}
