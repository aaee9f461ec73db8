//! Parameters that change nothing on a page: session ids under any name, return addresses, click counters.

use std::collections::HashMap;

use crawler_model::{TextSketch, UrlFree};
use crawler_weburl::{KeyPolicy, QueryPolicy, UrlKey, UrlRef};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::place::{name_key, page_of};

/// Copies that must be the same, whatever the parameter's value, and none different.
const MIN_SAME: u32 = 4;
/// So many pages must have been copied, or the parameter is only known to change nothing on those that were: a form may be the same for
/// all titles.
const MIN_COPIED: usize = 3;
/// A shorter text says too little: a page that a script fills may look like this.
const MIN_WORDS: u32 = 12;
/// Limits on what is remembered.
const MAX_RECORDS: usize = 1_024;
const MAX_TEXTS: usize = 200_000;
/// Limit on the texts of a parameter that changes some pages: it may change nothing on others, such as a form.
const MAX_TEXTS_IF_DIFFERENT: usize = 256;
/// Limit on the pages without a query whose text is remembered.
const MAX_PLAIN: usize = 32;

/// The parameters of a site, by their names alone and by path and name.
#[derive(Debug, Default)]
pub(super) struct IgnorableNames {
    records: HashMap<u64, NameRecord>,
    /// Whether any of them changes nothing.
    has_some: bool,
    /// Number of texts remembered.
    texts: usize,
    /// The texts of some pages without a query.
    plain: HashMap<UrlKey, UrlFree>,
}

#[derive(Debug, Default)]
struct NameRecord {
    /// Copies that were read.
    same: u32,
    /// Fingerprints of some pages of which a copy was read: of paths, if the record is one for all paths.
    copied: Vec<u64>,
    /// Fingerprints of some values with which a page is the same as without the parameter: if there is only one, it is the default.
    values: Vec<u64>,
    differs: bool,
    /// What was read, by the key without the parameter.
    pages: HashMap<UrlKey, ReadPage>,
}

/// A page that was read, whatever the parameter's value.
#[derive(Debug)]
struct ReadPage {
    text: UrlFree,
    own: UrlKey,
    /// Copies of it with another value.
    same: u32,
    differs: bool,
}

impl NameRecord {
    /// Whether the parameter changes nothing on any page.
    fn is_ignorable(&self) -> bool {
        self.same >= MIN_SAME && self.copied.len() >= MIN_COPIED && !self.differs
    }

    /// Whether the parameter changes nothing on the page with this key without it.
    fn is_ignorable_on(&self, key: UrlKey) -> bool {
        let page = self.pages.get(&key);
        page.is_some_and(|page| page.same >= MIN_SAME && !page.differs)
    }

    fn note_copy(&mut self, source: u64) {
        self.same += 1;
        if self.copied.len() < MIN_COPIED && !self.copied.contains(&source) {
            self.copied.push(source);
        }
    }

    fn is_new_value(&mut self, value: u64) -> bool {
        let is_new = self.values.len() < MAX_PLAIN && !self.values.contains(&value);
        if is_new {
            self.values.push(value);
        }
        is_new
    }

    /// Takes in a page, and returns how many more are remembered. `source`: what must be different for a copy of another page;
    /// `plain_value`: the parameter's value, if the page is the same without the parameter.
    fn take_in(
        &mut self,
        key: UrlKey,
        own: UrlKey,
        source: u64,
        text: UrlFree,
        plain_value: Option<u64>,
        has_room: bool,
    ) -> isize {
        let before = self.pages.len();
        let has_room = has_room && (!self.differs || before < MAX_TEXTS_IF_DIFFERENT);
        match self.pages.get_mut(&key) {
            // It was fetched again.
            Some(page) if page.own == own => (),
            Some(page) if is_same(page.text, text) => {
                page.same += 1;
                self.note_copy(source);
            }
            Some(page) => {
                page.differs = true;
                self.forget_most();
            }
            None if has_room => {
                let page = ReadPage {
                    text,
                    own,
                    same: 0,
                    differs: false,
                };
                self.pages.insert(key, page);
                if plain_value.is_some_and(|value| self.is_new_value(value)) {
                    self.note_copy(source);
                }
            }
            None => (),
        }
        self.pages.len().cast_signed() - before.cast_signed()
    }

    /// Records that the parameter changes some page.
    fn forget_most(&mut self) {
        if !self.differs {
            self.differs = true;
            if self.pages.len() > MAX_TEXTS_IF_DIFFERENT {
                self.pages.retain(|_, page| page.same > 0 || page.differs);
            }
        }
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
            let path = xxh3_64_with_seed(page_of(url).as_bytes(), 0);
            let plain = self.plain.get(&others);
            let plain = plain.filter(|plain| is_same(**plain, text.exact));
            let value = plain.map(|_| xxh3_64_with_seed(pair.as_bytes(), 0));
            for (key, source) in [(name, path), (on_path(url, name), others.0)] {
                if !self.records.contains_key(&key) && self.records.len() >= MAX_RECORDS {
                    continue;
                }
                let record = self.records.entry(key).or_default();
                let has_room = self.texts < MAX_TEXTS;
                let added = record.take_in(others, own, source, text.exact, value, has_room);
                self.texts = self.texts.saturating_add_signed(added);
                self.has_some |= record.is_ignorable() || record.is_ignorable_on(others);
            }
        }
    }

    /// Whether the texts of more pages without a query are wanted.
    pub(super) fn wants_plain(&self) -> bool {
        self.plain.len() < MAX_PLAIN
    }

    /// Remembers the text of a page without a query, to compare it with the same page with one.
    pub(super) fn take_in_plain(&mut self, key: UrlKey, text: &TextSketch) {
        if self.wants_plain() {
            self.plain.insert(key, text.exact);
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
        if !self.has_some {
            return None;
        }
        let is_ignorable = |name| self.records(url, name).any(NameRecord::is_ignorable);
        if pairs(url).any(|pair| is_ignorable(name_key(pair))) {
            return key_without(url, is_ignorable, keys);
        }
        pairs(url).find_map(|pair| {
            let name = name_key(pair);
            let record = self.records.get(&on_path(url, name))?;
            let others = key_without(url, |other| other == name, keys)?;
            record.is_ignorable_on(others).then_some(others)
        })
    }

    /// Whether a page that has this key without one parameter that changes nothing was read.
    pub(super) fn was_read(&self, url: UrlRef<'_>, key: UrlKey) -> bool {
        pairs(url)
            .flat_map(|pair| self.records(url, name_key(pair)))
            .filter_map(|record| record.pages.get(&key))
            .any(|page| !page.differs)
    }

    /// What is known of a parameter, on all paths and on that of a URL.
    fn records(&self, url: UrlRef<'_>, name: u64) -> impl Iterator<Item = &NameRecord> {
        let keys = [name, on_path(url, name)];
        keys.into_iter().filter_map(|key| self.records.get(&key))
    }
}

fn is_same(one: UrlFree, other: UrlFree) -> bool {
    one.all == other.all || one.rest == other.rest
}

/// A parameter on one path, beside the same other parameters.
fn on_path(url: UrlRef<'_>, name: u64) -> u64 {
    let names = pairs(url).map(name_key).fold(0, u64::wrapping_add);
    xxh3_64_with_seed(page_of(url).as_bytes(), name ^ names.rotate_left(32))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crawler_weburl::SlashPolicy;

    const KEYS: KeyPolicy = KeyPolicy {
        slash: SlashPolicy::Merge,
        query: QueryPolicy::Keep,
        seed: 5,
    };

    fn read(names: &mut IgnorableNames, url: &str, text: u64) {
        let exact = UrlFree {
            all: text,
            rest: text,
        };
        let text = TextSketch {
            words: 100,
            exact,
            ..TextSketch::default()
        };
        names.take_in(UrlRef::split(url).unwrap(), &text, &KEYS);
    }

    fn is_copy(names: &IgnorableNames, url: &str) -> bool {
        let url = UrlRef::split(url).unwrap();
        let key = names.key_without_ignorable(url, &KEYS);
        key.is_some_and(|key| names.was_read(url, key))
    }

    /// An editor that asks to log in looks the same for each title: titles change all the other pages.
    #[test]
    fn a_parameter_that_changes_nothing_on_one_page_may_change_others() {
        let mut names = IgnorableNames::default();
        for title in 0..8 {
            read(
                &mut names,
                &format!("http://a/w?title={title}&action=edit"),
                1,
            );
            for section in 0..4 {
                let target = format!("http://a/w?title={title}&action=edit&section={section}");
                read(&mut names, &target, 1);
            }
        }
        assert!(is_copy(&names, "http://a/w?title=9&action=edit"));
        assert!(!is_copy(&names, "http://a/w?title=9&action=history"));
        // One that was fetched differs: the form is still known.
        read(&mut names, "http://a/w?title=1&action=history", 2);
        read(&mut names, "http://a/w?title=2&action=history", 3);
        assert!(is_copy(&names, "http://a/w?title=10&action=edit"));
        assert!(!is_copy(&names, "http://a/w?title=9&action=history"));
    }

    /// The first page of a list is the same without its number.
    #[test]
    fn a_page_that_is_the_same_without_a_parameter_is_a_copy_if_its_value_is_no_default() {
        for is_default in [true, false] {
            let mut names = IgnorableNames::default();
            for page in 0..8 {
                let url = format!("http://a/p{page}");
                let key = KEYS.key(UrlRef::split(&url).unwrap());
                let exact = UrlFree {
                    all: page,
                    rest: page,
                };
                let text = TextSketch {
                    exact,
                    ..TextSketch::default()
                };
                names.take_in_plain(key, &text);
                let value = if is_default { 1 } else { page };
                read(&mut names, &format!("{url}?n={value}"), page);
            }
            assert_eq!(names.has_some(), !is_default, "default: {is_default}");
        }
    }

    #[test]
    fn a_parameter_that_changes_nothing_on_several_paths_changes_nothing() {
        let mut names = IgnorableNames::default();
        for page in 0..3 {
            assert!(!is_copy(&names, "http://a/p1?token=9"));
            for token in 0..3 {
                read(&mut names, &format!("http://a/p{page}?token={token}"), page);
            }
        }
        assert!(is_copy(&names, "http://a/p1?token=9"));
        let other = UrlRef::split("http://a/p9?token=1").unwrap();
        assert!(names.key_without_ignorable(other, &KEYS).is_some());
        assert!(!is_copy(&names, other.as_str()), "it was not read yet");
    }
}
