//! The resolver against the `url` crate and the web-platform table: any difference is a bug.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

#[path = "agree/bases.rs"]
mod bases;
#[path = "agree/oracle.rs"]
mod oracle;

use bases::BASES;
use crawler_weburl::{CrawlUrl, KeyPolicy, QueryPolicy, SlashPolicy, UrlRef};
use oracle::{oracle, ours};
use proptest::prelude::*;
use serde_json::Value;
use url::Url;

#[test]
fn the_web_platform_table() {
    let table: Vec<Value> =
        serde_json::from_str(include_str!("data/urltestdata.json")).expect("the table is JSON");
    let mut run = 0;
    for case in table.iter().filter(|case| case.is_object()) {
        let input = case["input"].as_str().unwrap();
        let mut bases: Vec<&str> = BASES.to_vec();
        bases.extend(
            case["base"]
                .as_str()
                .filter(|base| base.starts_with("http")),
        );
        for base in bases {
            if CrawlUrl::parse(base).is_err() {
                continue;
            }
            let base = CrawlUrl::parse(base).unwrap();
            assert_eq!(
                ours(base.as_str(), input),
                oracle(base.as_str(), input),
                "{input:?} on {base}"
            );
            run += 1;
        }
    }
    assert!(run > 4000, "only {run} cases ran");
}

/// The same inputs, compared with the results in the standard's table.
#[test]
fn web_urls_match_the_table_of_the_standard() {
    let table: Vec<Value> = serde_json::from_str(include_str!("data/urltestdata.json")).unwrap();
    let mut wrong = Vec::new();
    let mut run = 0;
    for case in table.iter().filter(|case| case.is_object()) {
        let input = case["input"].as_str().unwrap();
        let base = case["base"].as_str().map(CrawlUrl::parse);
        if case["failure"] == true {
            continue;
        }
        // The `url` crate rejects a few punycode hosts that the newest table allows.
        let Ok(mut expected) = Url::parse(case["href"].as_str().unwrap()) else {
            continue;
        };
        if !matches!(expected.scheme(), "http" | "https") {
            continue;
        }
        let _ = expected.set_username("");
        let _ = expected.set_password(None);
        let ours = match base {
            None => CrawlUrl::parse(input).map_or_else(|_| String::new(), |url| url.to_string()),
            Some(Err(_)) => continue,
            Some(Ok(base)) => ours(base.as_str(), input).0,
        };
        if case["base"].is_null() {
            expected.set_fragment(None);
        }
        run += 1;
        if ours != expected.as_str() {
            wrong.push(format!("{input:?}: {ours:?}, not {expected}"));
        }
    }
    assert!(run > 200, "only {run} cases ran");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// References made of pieces that URL parsers treat specially.
fn reference() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,6}",
        2 => "[a-zA-Z0-9._~-]{1,4}",
        2 => Just("/".to_owned()),
        1 => Just("../".to_owned()),
        1 => Just("./".to_owned()),
        1 => prop::sample::select(vec![
            "http://", "https://", "//", "\\", "?", "#", ":", "@", "%2e", "%2E", "..", ".", "%", "'",
            "\"", " ", "\t", "\n", "é", "ß", "日", "xn--", "xn--bcher-kva", "example.org", "EXAMPLE.org",
            "127.1", "0x7f", "1", "[::1]", ":80", ":443", ":8080", ":99999", "http:", "https:/", "mailto:",
            "javascript:", "|", "^", "`", "{", "}", "<", ">", ";", "&", "=", "+", "*", "$", "!", "(", ")",
            "\u{0}", "\u{7f}", "user:pw@", "-", "_", "..a", ".a", "a.", "%41", "://",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn generated_references_agree(base in prop::sample::select(BASES.to_vec()), href in reference()) {
        prop_assert_eq!(ours(base, &href), oracle(base, &href));
    }

    #[test]
    fn joining_arbitrary_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let href = String::from_utf8_lossy(&bytes);
        for base in BASES {
            let (text, page_len) = ours(base, &href);
            if let Some(page_len) = page_len {
                prop_assert!(UrlRef::split(&text[..page_len]).is_some());
            }
        }
    }

    #[test]
    fn normalizing_is_idempotent(base in prop::sample::select(BASES.to_vec()), href in reference()) {
        if let (text, Some(page_len)) = ours(base, &href) {
            let once = CrawlUrl::parse(&text[..page_len]).unwrap();
            prop_assert_eq!(once.as_str(), &text[..page_len]);
            let twice = CrawlUrl::parse(once.as_str()).unwrap();
            prop_assert_eq!(&once, &twice);
        }
    }

    #[test]
    fn equal_urls_have_equal_keys(a in reference(), b in reference(), merge: bool, strip: bool) {
        let policy = KeyPolicy {
            slash: if merge { SlashPolicy::Merge } else { SlashPolicy::Keep },
            query: if strip { QueryPolicy::Strip } else { QueryPolicy::Keep },
            seed: 11,
        };
        let key = |href: &str| {
            let (text, page_len) = ours(BASES[0], href);
            page_len.map(|len| {
                let url = UrlRef::split(&text[..len]).unwrap();
                (policy.key_text(url), policy.key(url), text[..len].to_owned())
            })
        };
        if let (Some(a), Some(b)) = (key(&a), key(&b)) {
            prop_assert_eq!(a.0 == b.0, a.1 == b.1);
            if a.2 == b.2 {
                prop_assert_eq!(a.1, b.1);
            }
        }
    }
}

/// Where the `url` crate finds no host, this table has the expected results.
#[test]
fn surplus_slashes_are_skipped_and_a_missing_host_stays_missing() {
    for (href, expected) in [
        ("///example.com/x", "http://example.com/x"),
        (" \t////example.com/x", "http://example.com/x"),
        ("\\\\/example.com/x", "http://example.com/x"),
        ("http:///example.com/x", "http://example.com/x"),
        ("http://", ""),
        ("https://", ""),
        (" http://", ""),
        ("http:///", ""),
        ("https://?x", ""),
        ("//", ""),
    ] {
        let (text, _) = ours("http://example.org/a/", href);
        assert_eq!(text, expected, "{href:?}");
    }
}
