//! Kills processes of a browser while it works.

use crate::process_tree::{browsers, descendants, signal};

/// The process to kill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kill {
    /// A page process.
    Page,
    /// The main process of the browser.
    Browser,
}

/// Returns all kills of a run in order, each with the number of pages after which it happens.
pub(crate) fn kills(pages: usize) -> Vec<(usize, Kill)> {
    let spread = |count: usize, kill: Kill| {
        (0..count).map(move |nth| ((2 * nth + 1) * pages / (2 * count), kill))
    };
    let crashes = (pages * 20).div_ceil(1_000);
    let kills = (pages * 3).div_ceil(1_000);
    let mut kills: Vec<_> = spread(crashes, Kill::Page)
        .chain(spread(kills, Kill::Browser))
        .collect();
    kills.sort_by_key(|(at, _)| *at);
    kills
}

impl Kill {
    /// Kills the process. Returns false if there is none.
    pub(crate) fn execute(self, nth: usize) -> bool {
        let mut targets = match self {
            Self::Page => descendants(),
            Self::Browser => browsers(descendants()),
        };
        if self == Self::Page {
            targets.retain(crate::process_tree::Process::renders);
        }
        // A different one each time.
        let index = nth % targets.len().max(1);
        targets
            .get(index)
            .is_some_and(|process| signal("-9", process.id))
    }
}

#[test]
fn a_thousand_pages_have_twenty_page_kills_and_three_browser_kills() {
    let kills = kills(1_000);
    let count = |wanted| kills.iter().filter(|(_, kill)| *kill == wanted).count();
    assert_eq!((count(Kill::Page), count(Kill::Browser)), (20, 3));
    assert!(kills.is_sorted_by_key(|(at, _)| *at) && kills.iter().all(|(at, _)| *at < 1_000));
}
