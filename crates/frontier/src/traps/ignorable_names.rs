//! Parameters that change nothing on a page: session ids under any name, return addresses, click counters.

use std::collections::HashMap;

use crawler_model::{TextSketch, UrlFree};
use crawler_weburl::{KeyPolicy, QueryPolicy, UrlKey, UrlRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::place::{name_key, page_of};

/// Pages that must be the same, whatever the parameter's value, and none different.
const MIN_SAME: u32 = 4;
/// A shorter text says too little: a page that a script fills may look like this.
const MIN_WORDS: u32 = 12;
/// Limits on what is remembered.
const MAX_RECORDS: usize = 1_024;
const MAX_TEXTS: usize = 200_000;

/// The parameters of a site, by their names alone and by path and name.
#[derive(Debug, Default)]
pub(super) struct IgnorableNames {
    records: HashMap<u64, NameRecord>,
    /// Whether any of them changes nothing.
    has_some: bool,
    /// Number of texts remembered.
    texts: usize,
}

#[derive(Debug, Default)]
struct NameRecord {
    same: u32,
    differs: bool,
    /// The text of a page and its own key, by its key without the parameter.
    texts: HashMap<UrlKey, (UrlFree, UrlKey)>,
}

impl NameRecord {
    fn is_ignorable(&self) -> bool {
        self.same >= MIN_SAME && !self.differs
    }
}

impl IgnorableNames {
    /// Compares a page with those that differ in one parameter only.
    pub(super) fn take_in(&mut self, url: UrlRef<'_>, text: &TextSketch, keys: &KeyPolicy) {
        if text.words < MIN_WORDS || keys.query == QueryPolicy::Strip {
            return;
        }
        let own = keys.key(url);
        for pair in pairs(url) {
            let name = name_key(pair);
            let Some(others) = key_without(url, |other| other == name, keys) else {
                continue;
            };
            for key in [name, on_path(url, name)] {
                if !self.records.contains_key(&key) && self.records.len() >= MAX_RECORDS {
                    continue;
                }
                let record = self.records.entry(key).or_default();
                if record.differs {
                    continue;
                }
                match record.texts.get(&others) {
                    // It was fetched again.
                    Some((_, key)) if *key == own => (),
                    Some((exact, _)) if is_same(*exact, text.exact) => record.same += 1,
                    Some(_) => {
                        record.differs = true;
                        self.texts -= record.texts.len();
                        record.texts = HashMap::new();
                    }
                    None if self.texts < MAX_TEXTS => {
                        self.texts += 1;
                        record.texts.insert(others, (text.exact, own));
                    }
                    None => (),
                }
                self.has_some |= record.is_ignorable();
            }
        }
    }

    /// Whether any parameter changes nothing.
    pub(super) fn has_some(&self) -> bool {
        self.has_some
    }

    /// The number of texts remembered.
    pub(super) fn len(&self) -> usize {
        self.texts
    }

    /// The key of a URL without the parameters that change nothing, if it has any.
    pub(super) fn key_without_ignorable(
        &self,
        url: UrlRef<'_>,
        keys: &KeyPolicy,
    ) -> Option<UrlKey> {
        let is_ignorable = |name| self.record(url, name).is_some();
        let has_some = self.has_some && pairs(url).any(|pair| is_ignorable(name_key(pair)));
        if has_some {
            key_without(url, is_ignorable, keys)
        } else {
            None
        }
    }

    /// Whether a page that has this key without one parameter that changes nothing was read.
    pub(super) fn was_read(&self, url: UrlRef<'_>, key: UrlKey) -> bool {
        pairs(url)
            .filter_map(|pair| self.record(url, name_key(pair)))
            .any(|record| record.texts.contains_key(&key))
    }

    /// The record of a parameter, if it changes nothing.
    fn record(&self, url: UrlRef<'_>, name: u64) -> Option<&NameRecord> {
        let of = |key| {
            self.records
                .get(&key)
                .filter(|record| record.is_ignorable())
        };
        of(name).or_else(|| of(on_path(url, name)))
    }
}

fn is_same(one: UrlFree, other: UrlFree) -> bool {
    one.all == other.all || one.rest == other.rest
}

fn on_path(url: UrlRef<'_>, name: u64) -> u64 {
    xxh3_64_with_seed(page_of(url).as_bytes(), name)
}

fn pairs(url: UrlRef<'_>) -> impl Iterator<Item = &str> {
    let query = url.query().unwrap_or_default();
    query.split('&').filter(|pair| !pair.is_empty())
}

/// The key of a URL without some of its parameters.
fn key_without(
    url: UrlRef<'_>,
    is_left_out: impl Fn(u64) -> bool,
    keys: &KeyPolicy,
) -> Option<UrlKey> {
    let mut text = page_of(url).to_owned();
    let kept = pairs(url).filter(|pair| !is_left_out(name_key(pair)));
    for (at, pair) in kept.enumerate() {
        text.push(if at == 0 { '?' } else { '&' });
        text.push_str(pair);
    }
    UrlRef::split(&text).map(|url| keys.key(url))
}
