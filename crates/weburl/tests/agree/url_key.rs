//! Compares the parts and keys of two URLs with those derived from the `url` crate.
//!
//! Also the body of a fuzz target, so it uses only the crate's public API and `url`.

use crawler_weburl::{CrawlUrl, KeyPolicy, QueryPolicy, SlashPolicy};
use url::Url;

/// Compares on an input of two lines, each a URL.
pub(crate) fn compare(input: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.split('\n');
    let (one, other) = (read(lines.next()?)?, read(lines.next()?)?);
    for (ours, theirs) in [&one, &other] {
        if let Some(difference) = parts_differ(ours, theirs) {
            return Some(difference);
        }
    }
    for slash in [SlashPolicy::Keep, SlashPolicy::Merge] {
        for query in [QueryPolicy::Keep, QueryPolicy::Strip] {
            let policy = KeyPolicy {
                slash,
                query,
                seed: 11,
            };
            let same = identity(&one.1, &policy) == identity(&other.1, &policy);
            let keys = (policy.key(one.0.parts()), policy.key(other.0.parts()));
            let texts = policy.key_text(one.0.parts()) == policy.key_text(other.0.parts());
            if (keys.0 == keys.1) != same || texts != same {
                return Some(format!(
                    "{policy:?}: {} and {}: {same}, not {texts}",
                    one.0, other.0
                ));
            }
        }
    }
    None
}

fn read(typed: &str) -> Option<(CrawlUrl, Url)> {
    let ours = CrawlUrl::parse(typed).ok()?;
    let mut theirs = Url::parse(typed.trim()).ok()?;
    let _ = theirs.set_username("");
    let _ = theirs.set_password(None);
    theirs.set_fragment(None);
    Some((ours, theirs))
}

fn parts_differ(ours: &CrawlUrl, theirs: &Url) -> Option<String> {
    let parts = ours.parts();
    let same = ours.as_str() == theirs.as_str()
        && parts.scheme() == theirs.scheme()
        && Some(parts.host()) == theirs.host_str()
        && Some(parts.port()) == theirs.port_or_known_default()
        && parts.path() == theirs.path()
        && parts.query().unwrap_or_default() == theirs.query().unwrap_or_default();
    (!same).then(|| format!("{parts:?} is not {theirs:?}"))
}

/// The identity of a page under a policy: URLs with the same identity are one page.
fn identity(url: &Url, policy: &KeyPolicy) -> (String, String, String) {
    let path = match url.path() {
        path if policy.slash == SlashPolicy::Merge && path.len() > 1 => {
            path.strip_suffix('/').unwrap_or(path)
        }
        path => path,
    };
    let query = match policy.query {
        QueryPolicy::Keep => url.query().map(|query| format!("?{query}")),
        QueryPolicy::Strip => None,
    };
    let origin = format!("{}://{}", url.scheme(), url.authority());
    (origin, path.to_owned(), query.unwrap_or_default())
}
