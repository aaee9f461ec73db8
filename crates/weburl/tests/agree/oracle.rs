//! The expected results of the resolver, computed with the `url` crate.

use std::borrow::Cow;

use crawler_weburl::{CrawlUrl, Resolved, Resolver, UrlRef};
use url::{ParseError, Url};

/// A resolved reference, and its length without the fragment if it is an http(s) URL.
pub(crate) type Resolution = (String, Option<usize>);

/// The result of `url`.
pub(crate) fn oracle(base: &str, href: &str) -> Resolution {
    oracle_on(&Url::parse(base).unwrap(), href, false)
}

/// The same with a parsed base; `latin` encodes queries in Latin-1.
pub(crate) fn oracle_on(base: &Url, href: &str, latin: bool) -> Resolution {
    let encoding: &dyn Fn(&str) -> Cow<'_, [u8]> = &in_latin;
    let parse = |href: &str| {
        let options = Url::options().base_url(Some(base));
        options
            .encoding_override(latin.then_some(encoding))
            .parse(href)
    };
    let parsed = match parse(href) {
        // The standard skips surplus slashes before a host, as does our resolver; the `url` crate does not.
        Err(ParseError::EmptyHost) => {
            let trimmed = href.trim_start_matches(|c: char| c <= ' ');
            if !trimmed.starts_with(['/', '\\']) {
                return (String::new(), None);
            }
            let rest = trimmed.trim_start_matches(|c: char| c <= ' ' || c == '/' || c == '\\');
            parse(&format!("//{rest}"))
        }
        other => other,
    };
    match parsed {
        Err(_) => (String::new(), None),
        Ok(mut url) if matches!(url.scheme(), "http" | "https") => {
            let _ = url.set_username("");
            let _ = url.set_password(None);
            let text = url.as_str().to_owned();
            url.set_fragment(None);
            let page_len = url.as_str().len();
            (text, Some(page_len))
        }
        Ok(url) => (url.as_str().to_owned(), None),
    }
}

/// The result of our resolver.
pub(crate) fn ours(base: &str, href: &str) -> Resolution {
    let page = CrawlUrl::parse(base).unwrap();
    ours_by(&Resolver::new(&page), href)
}

/// The result of a given resolver.
pub(crate) fn ours_by(resolver: &Resolver<'_>, href: &str) -> Resolution {
    let mut out = String::from("kept|");
    let page_len = match resolver.resolve(href, &mut out) {
        Resolved::Web(url) => {
            // The parts match those found in the text.
            assert_eq!(UrlRef::split(url.as_str()), Some(url), "{href:?}");
            Some(url.as_str().len())
        }
        Resolved::Other | Resolved::Invalid => None,
    };
    let text = out
        .strip_prefix("kept|")
        .expect("the buffer keeps its previous text")
        .to_owned();
    (text, page_len)
}

/// Latin-1, with character references for everything else, as in forms and links.
pub(crate) fn in_latin(text: &str) -> Cow<'_, [u8]> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) => bytes.push(byte),
            Err(_) => bytes.extend(format!("&#{};", u32::from(character)).bytes()),
        }
    }
    Cow::Owned(bytes)
}
