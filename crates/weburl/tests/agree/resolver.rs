//! Compares the resolver with the `url` crate for any base and reference.
//!
//! Also the body of a fuzz target, so it uses only the crate's public API and `url`.

use crawler_weburl::{CrawlUrl, Resolver, UrlRef};
use url::{ParseError, Url};

use super::oracle::{in_latin, oracle_on, ours_by};

/// Compares on an input of lines: the page, a `base href` or nothing, and references.
pub(crate) fn compare(input: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.split('\n');
    // parsing the page's URL is tested elsewhere
    let page = CrawlUrl::parse(lines.next()?).ok()?;
    let element = lines.next()?;
    let parsed = Url::parse(page.as_str()).ok()?;
    for latin in [false, true] {
        let mut resolver = Resolver::new(&page);
        if latin {
            resolver = resolver.with_query_encoding(&in_latin);
        }
        let expected = join(&parsed, element, latin).filter(is_base);
        if resolver.set_base(element) != expected.is_some() {
            return Some(format!(
                "{element:?} as base on {page}: theirs {expected:?}"
            ));
        }
        let base = expected.unwrap_or_else(|| parsed.clone());
        for href in lines.clone() {
            let (ours, theirs) = (ours_by(&resolver, href), oracle_on(&base, href, latin));
            if ours != theirs {
                return Some(format!(
                    "{href:?} on {base}: ours {ours:?}, theirs {theirs:?}"
                ));
            }
            if let (text, Some(length)) = &ours
                && UrlRef::split(&text[..*length]).is_none()
            {
                return Some(format!("{text:?} does not split"));
            }
        }
    }
    None
}

/// The base element's address, with its userinfo, as the oracle needs it.
fn join(page: &Url, element: &str, latin: bool) -> Option<Url> {
    let options = Url::options().base_url(Some(page));
    let encoding: &dyn Fn(&str) -> std::borrow::Cow<'_, [u8]> = &in_latin;
    let parse = |href: &str| {
        options
            .encoding_override(latin.then_some(encoding))
            .parse(href)
    };
    match parse(element) {
        Err(ParseError::EmptyHost) => {
            let trimmed = element.trim_start_matches(|c: char| c <= ' ');
            let rest = trimmed.trim_start_matches(|c: char| c <= ' ' || c == '/' || c == '\\');
            let skipped = rest.len() < trimmed.len();
            skipped.then(|| parse(&format!("//{rest}")).ok()).flatten()
        }
        other => other.ok(),
    }
}

/// Whether the standard allows this URL in a base element.
fn is_base(url: &Url) -> bool {
    !matches!(url.scheme(), "data" | "javascript") && !url.cannot_be_a_base()
}
