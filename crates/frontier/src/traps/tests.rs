//! What is refused because of a URL's spelling.

use super::*;
use crawler_weburl::{QueryPolicy, SlashPolicy};

const KEYS: KeyPolicy = KeyPolicy {
    slash: SlashPolicy::Merge,
    query: QueryPolicy::Keep,
    seed: 5,
};

/// Admits as many of the URLs as their spelling allows.
fn admitted(urls: impl IntoIterator<Item = String>) -> (usize, Option<RefuseReason>) {
    let (mut traps, mut seen) = (Traps::default(), Seen::default());
    let (mut count, mut last) = (0, None);
    for text in urls {
        let url = UrlRef::split(&text).unwrap();
        match traps.check(url, None, &KEYS, &seen) {
            Ok(trap_check) => {
                traps.note(KEYS.key(url), &trap_check, None);
                seen.insert(KEYS.key(url));
                seen.extend(trap_check.without_session);
                count += 1;
            }
            Err(reason) => last = Some(reason),
        }
    }
    (count, last)
}

#[test]
fn many_urls_are_not_a_trap_by_themselves() {
    let shapes = [
        "http://a/item/5{}",
        "http://a/p?id=5{}",
        "http://a/list?page={}",
        "http://a/s?color={}&size=m&page=2",
        "http://a/2024/5/6/story-{}",
    ];
    for shape in shapes {
        let urls = (0..5_000).map(|n| shape.replace("{}", &n.to_string()));
        assert_eq!(admitted(urls), (5_000, None), "{shape}");
    }
    let days = (0..5_000).map(|n| {
        let (year, month, day) = (1990 + n / 372, 1 + n / 31 % 12, 1 + n % 31);
        format!("http://a/archive/{year}/{month}/{day}")
    });
    assert_eq!(admitted(days), (5_000, None));
}

#[test]
fn parameters_in_another_order_are_the_same_page() {
    let shuffled = [
        "http://a/s?a=1&b=2".to_owned(),
        "http://a/s?b=2&a=1".to_owned(),
    ];
    assert_eq!(admitted(shuffled), (1, Some(RefuseReason::TrapQuery)));
}

#[test]
fn session_ids_are_one_page() {
    for shape in [
        "http://a/p;jsessionid=8F{}C2",
        "http://a/p?PHPSESSID=aa{}",
        "http://a/p?x=1&sid=ab12cd34ef{}",
        "http://a/(S(abcd1234abcd{}))/p",
    ] {
        let urls = (0..50).map(|n| shape.replace("{}", &n.to_string()));
        assert_eq!(
            admitted(urls),
            (1, Some(RefuseReason::TrapSession)),
            "{shape}"
        );
    }
    let plain = [
        "http://a/p".to_owned(),
        "http://a/p;jsessionid=1".to_owned(),
    ];
    assert_eq!(admitted(plain), (1, Some(RefuseReason::TrapSession)));
    let stories = (0..50).map(|n| format!("http://a/p?sid={n}"));
    assert_eq!(
        admitted(stories),
        (50, None),
        "a short number is not a session id"
    );
}

#[test]
fn growing_paths_end() {
    let grown = (1..200).map(|n| format!("http://a{}", "/x/y".repeat(n)));
    let (count, reason) = admitted(grown);
    assert!(count <= 30, "{count}");
    assert_eq!(reason, Some(RefuseReason::TrapPath));
    let same = (1..50).map(|n| format!("http://a{}", "/loop".repeat(n)));
    assert_eq!(admitted(same), (2, Some(RefuseReason::TrapPath)));
    let honest = [
        "http://a/docs/api/v1/docs/index".to_owned(),
        "http://a/2024/2024/x".to_owned(),
    ];
    assert_eq!(admitted(honest), (2, None));
}

#[test]
fn very_long_urls_are_not_followed() {
    let long = format!("http://a/{}", "x".repeat(3_000));
    assert_eq!(admitted([long]), (0, Some(RefuseReason::TooLong)));
}

#[test]
fn known_parameters_and_forms_are_not_followed() {
    let urls = |list: &[&str]| admitted(list.iter().map(|url| (*url).to_owned()));
    let session = Some(RefuseReason::TrapSession);
    let replies = [
        "http://a/p",
        "http://a/p?replytocom=1",
        "http://a/p?share=x",
    ];
    assert_eq!(urls(&replies), (1, session));
    // The page itself is still fetched if it is found later.
    let views = [
        "http://a/l?view=grid&page=2",
        "http://a/l?page=2&view=list",
        "http://a/l?page=2",
    ];
    assert_eq!(urls(&views), (2, session));
    let forms = [
        "http://a/posting.php?mode=reply&t=1",
        "http://a/w?title=X&action=edit",
    ];
    assert_eq!(urls(&forms), (0, Some(RefuseReason::TrapQuery)));
    let dates = ["http://a/cal/2024/11", "http://a/cal/2024/11?view=list"];
    assert_eq!(urls(&dates), (2, None));
}
