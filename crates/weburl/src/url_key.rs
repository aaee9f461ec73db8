//! A URL's identity for dedupe.
//!
//! The key is a seeded 64-bit fingerprint of the normal form under the plan's slash and query policy:
//! eight bytes per URL instead of a string. At ten million URLs the chance of one false "seen" is about
//! 3 in a million; the seed is random per crawl, so a site cannot prepare colliding URLs.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::UrlRef;

/// Whether `/a` and `/a/` are one page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlashPolicy {
    /// One page.
    Merge,
    /// Two pages.
    Keep,
}

/// Whether the query is part of a page's identity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryPolicy {
    /// The query is part of it.
    Keep,
    /// The query is ignored.
    Strip,
}

/// How the keys of one crawl are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyPolicy {
    /// Trailing slashes.
    pub slash: SlashPolicy,
    /// Query strings.
    pub query: QueryPolicy,
    /// Seed of the fingerprint.
    pub seed: u64,
}

/// The dedupe key of a URL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct UrlKey(pub u64);

impl KeyPolicy {
    /// The key of a URL.
    pub fn key(&self, url: UrlRef<'_>) -> UrlKey {
        let (page, query) = self.key_parts(url);
        let page = xxh3_64_with_seed(page.as_bytes(), self.seed);
        if query.is_empty() {
            UrlKey(page)
        } else {
            UrlKey(xxh3_64_with_seed(query.as_bytes(), page))
        }
    }

    /// The text that the key is a fingerprint of.
    pub fn key_text(&self, url: UrlRef<'_>) -> String {
        let (page, query) = self.key_parts(url);
        format!("{page}{query}")
    }

    fn key_parts<'a>(&self, url: UrlRef<'a>) -> (&'a str, &'a str) {
        let text = url.as_str();
        let query = url.query_with_mark();
        let page = &text[..text.len() - query.len()];
        let query = match self.query {
            QueryPolicy::Keep => query,
            QueryPolicy::Strip => "",
        };
        let page = match self.slash {
            // The root always has its slash.
            SlashPolicy::Merge if url.path().len() > 1 => page.strip_suffix('/').unwrap_or(page),
            _ => page,
        };
        (page, query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(slash: SlashPolicy, query: QueryPolicy) -> KeyPolicy {
        KeyPolicy {
            slash,
            query,
            seed: 7,
        }
    }

    fn same(policy: KeyPolicy, a: &str, b: &str) -> bool {
        let (a, b) = (UrlRef::split(a).unwrap(), UrlRef::split(b).unwrap());
        assert_eq!(
            policy.key(a) == policy.key(b),
            policy.key_text(a) == policy.key_text(b)
        );
        policy.key(a) == policy.key(b)
    }

    #[test]
    fn slash_and_query_policies() {
        use QueryPolicy as Q;
        use SlashPolicy as S;
        for (slash, query, a, b, equal) in [
            (S::Merge, Q::Keep, "http://a/x", "http://a/x/", true),
            (S::Keep, Q::Keep, "http://a/x", "http://a/x/", false),
            (S::Merge, Q::Keep, "http://a/x?q=1", "http://a/x/?q=1", true),
            (S::Merge, Q::Keep, "http://a/x?q=1", "http://a/x?q=2", false),
            (
                S::Merge,
                Q::Strip,
                "http://a/x?q=1",
                "http://a/x/?q=2",
                true,
            ),
            (S::Keep, Q::Strip, "http://a/x?q=1", "http://a/x", true),
            (S::Merge, Q::Keep, "http://a/", "http://a/x", false),
            (S::Merge, Q::Keep, "http://a/x", "https://a/x", false),
            (S::Merge, Q::Keep, "http://a/x", "http://a:81/x", false),
            (S::Merge, Q::Keep, "http://a/x?y/", "http://a/x?y", false),
            (S::Merge, Q::Keep, "http://a/X", "http://a/x", false),
        ] {
            assert_eq!(
                same(policy(slash, query), a, b),
                equal,
                "{slash:?} {query:?} {a} {b}"
            );
        }
    }

    #[test]
    fn the_seed_changes_the_key() {
        let url = UrlRef::split("http://a/x").unwrap();
        let one = policy(SlashPolicy::Merge, QueryPolicy::Keep);
        assert_ne!(one.key(url), KeyPolicy { seed: 8, ..one }.key(url));
    }
}
