//! Where redirects lead, to recognize loops.
//!
//! Every redirect target is admitted like a link, so a loop ends by itself: its last target was seen before. Only the
//! other redirects tell such a loop from a redirect to a page that was found before.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crawler_weburl::UrlKey;

use crate::seen::KeyIsHash;

/// The redirects of a crawl: 16 bytes each, no strings, and nothing for other pages.
#[derive(Debug, Default)]
pub(crate) struct RedirectTargets {
    /// For each URL that redirected, its target, or a URL that the target's redirects lead to.
    targets: HashMap<UrlKey, UrlKey, BuildHasherDefault<KeyIsHash>>,
}

impl RedirectTargets {
    /// Records a redirect. Returns whether it closes a loop: the redirects from `to` lead back to `from`. Such a redirect is
    /// not recorded, so that every chain has an end.
    pub(crate) fn closes_loop(&mut self, from: UrlKey, to: UrlKey) -> bool {
        let is_loop = self.end_of(to) == from;
        if !is_loop {
            self.targets.insert(from, to);
        }
        is_loop
    }

    /// The end of the chain of redirects that starts here. Halves the way to it, so that a site cannot make this expensive
    /// with a long chain whose URLs are all linked.
    fn end_of(&mut self, mut at: UrlKey) -> UrlKey {
        while let Some(&next) = self.targets.get(&at) {
            let Some(&after_next) = self.targets.get(&next) else {
                return next;
            };
            self.targets.insert(at, after_next);
            at = after_next;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_redirect_that_leads_back_closes_a_loop() {
        let mut redirects = RedirectTargets::default();
        for (from, to, closes) in [
            (1, 2, false),
            (3, 2, false),
            (2, 4, false),
            (4, 1, true),
            (5, 5, true),
            (6, 3, false),
            (7, 8, false),
            (8, 4, false),
        ] {
            let closed = redirects.closes_loop(UrlKey(from), UrlKey(to));
            assert_eq!(closed, closes, "{from} to {to}");
        }
    }

    #[test]
    fn a_long_loop_is_found_whatever_the_order() {
        const PAGES: u64 = 100_000;
        // 7919 is prime and does not divide the number of pages, so that each page comes once.
        for step in [1, PAGES - 1, 7_919] {
            let mut redirects = RedirectTargets::default();
            for index in 0..PAGES {
                let from = index * step % PAGES;
                let to = (from + 1) % PAGES;
                let closes = redirects.closes_loop(UrlKey(from), UrlKey(to));
                assert_eq!(closes, index == PAGES - 1, "{index} of step {step}");
            }
        }
    }
}
