//! Looking up a key in a seen set of a hundred thousand, and inserting one.

use std::hint::black_box;

use crawler_frontier::Seen;
use crawler_weburl::UrlKey;

use crate::case::Case;

const KNOWN: u64 = 100_000;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        contains("old", 0, 1),
        contains("new", KNOWN, 0),
        Case::new("seen-insert", 2_000, 1, |_| {
            let mut seen = known();
            let mut next = KNOWN;
            Box::new(move || {
                next += 1;
                usize::from(seen.insert(key(next)))
            })
        }),
    ]
}

fn contains(name: &str, first: u64, expected: usize) -> Case {
    Case::new(format!("seen-{name}"), 2_000, expected, move |_| {
        let seen = known();
        let mut next = first;
        Box::new(move || {
            next += 1;
            usize::from(seen.contains(black_box(key(next))))
        })
    })
}

fn known() -> Seen {
    let mut seen = Seen::default();
    seen.extend((0..=KNOWN).map(key));
    seen
}

/// Keys are fingerprints with well-mixed bits (the finalizer of SplitMix64).
fn key(number: u64) -> UrlKey {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    UrlKey(mixed ^ (mixed >> 31))
}
