//! The area of a URL: all pages below the same first folder, not counting that of a language or a script.

use crawler_weburl::UrlRef;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The fingerprint of a URL's area. Pages at the top of a site are one area; with a query, each path is one.
pub(super) fn area(url: UrlRef<'_>, seed: u64) -> u64 {
    let mut path = url.path().trim_start_matches('/');
    // The folder of a language or of the program that serves everything says nothing.
    while let Some((first, rest)) = path.split_once('/')
        && is_common(first)
        && !rest.is_empty()
    {
        path = rest;
    }
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let first = match path.split_once('/') {
        // Years at the top of a site are not folders.
        Some((first, rest)) if !rest.is_empty() && !is_number(first) => first,
        _ if url.query().is_some() => path,
        _ => "",
    };
    let site = xxh3_64_with_seed(url.authority().as_bytes(), seed);
    xxh3_64_with_seed(first.as_bytes(), site)
}

/// Whether a first folder is that of a whole site: a language (`en`, `pt-br`), a script, a user.
fn is_common(folder: &str) -> bool {
    match folder.as_bytes() {
        [language, code] | [language, code, b'-' | b'_', _, _] => {
            language.is_ascii_lowercase() && code.is_ascii_lowercase()
        }
        [b'~', ..] | [.., b'.', b'p', b'h', b'p'] | [.., b'.', b'c', b'g', b'i'] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_a_first_folder() {
        let area = |text: &str| area(UrlRef::split(text).unwrap(), 1);
        for (one, other) in [
            ("http://a/maze/x", "http://a/maze/y/z?key=1"),
            ("http://a/", "http://a/about"),
            ("http://a/2024/05/06", "http://a/2025/01/01"),
            ("http://a/read?key=1", "http://a/read?key=2"),
            ("http://a/en/maze/x", "http://a/de/maze/y"),
        ] {
            assert_eq!(area(one), area(other), "{one} {other}");
        }
        for (one, other) in [
            ("http://a/maze/x", "http://a/docs/x"),
            ("http://a/maze/x", "http://b/maze/x"),
            ("http://a/read?key=1", "http://a/about"),
            ("http://a/en/filter/x", "http://a/en/blog/x"),
            ("http://a/index.php/filter/x", "http://a/index.php/blog/x"),
            ("http://a/pt-br/filter/x", "http://a/pt-br/blog/x"),
        ] {
            assert_ne!(area(one), area(other), "{one} {other}");
        }
    }
}
