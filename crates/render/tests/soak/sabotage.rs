//! Killing a browser's processes while it works.

use crate::family::{browsers, family, signal};

/// What is killed when so many pages are done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Blow {
    /// A process that renders pages.
    Page,
    /// The browser.
    Browser,
}

/// All blows of a run, each at the number of pages it falls after, in their order.
pub(crate) fn blows(pages: usize) -> Vec<(usize, Blow)> {
    let spread = |count: usize, blow: Blow| {
        (0..count).map(move |nth| ((2 * nth + 1) * pages / (2 * count), blow))
    };
    let crashes = (pages * 20).div_ceil(1_000);
    let kills = (pages * 3).div_ceil(1_000);
    let mut blows: Vec<_> = spread(crashes, Blow::Page)
        .chain(spread(kills, Blow::Browser))
        .collect();
    blows.sort_by_key(|(at, _)| *at);
    blows
}

impl Blow {
    /// Strikes; false: there was nobody to meet.
    pub(crate) fn strike(self, nth: usize) -> bool {
        let mut met = match self {
            Self::Page => family(),
            Self::Browser => browsers(family()),
        };
        if self == Self::Page {
            met.retain(crate::family::Process::renders);
        }
        // Another one each time.
        let place = nth % met.len().max(1);
        met.get(place)
            .is_some_and(|process| signal("-9", process.id))
    }
}

#[test]
fn a_thousand_pages_meet_twenty_crashes_and_three_kills() {
    let blows = blows(1_000);
    let count = |wanted| blows.iter().filter(|(_, blow)| *blow == wanted).count();
    assert_eq!((count(Blow::Page), count(Blow::Browser)), (20, 3));
    assert!(blows.is_sorted_by_key(|(at, _)| *at) && blows.iter().all(|(at, _)| *at < 1_000));
}
