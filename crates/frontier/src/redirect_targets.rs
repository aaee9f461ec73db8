//! Where redirects lead, to recognize loops.
//!
//! Every redirect target is admitted like a link, so a loop ends by itself: its last target was seen before. Only the
//! targets of the other redirects tell such a loop from a redirect to a page that was found before.

use std::collections::HashMap;

use crawler_weburl::UrlKey;

/// Maximum number of redirects remembered. A site with more of them starts again with none: a loop that is found late
/// may then be reported as ordinary redirects.
const MAX_REDIRECTS: usize = 1 << 18;

/// Maximum number of redirects followed to find a loop. A longer one fails as too many redirects.
const MAX_STEPS: usize = 64;

/// The redirects of a crawl.
#[derive(Debug, Default)]
pub(crate) struct RedirectTargets {
    targets: HashMap<UrlKey, UrlKey>,
}

impl RedirectTargets {
    /// Records a redirect. Returns whether it closes a loop: the redirects from `to` lead back to `from`.
    pub(crate) fn closes_loop(&mut self, from: UrlKey, to: UrlKey) -> bool {
        if self.targets.len() >= MAX_REDIRECTS {
            self.targets.clear();
        }
        let next = |at: &UrlKey| self.targets.get(at).copied();
        let chain = std::iter::successors(Some(to), next).take(MAX_STEPS);
        let is_loop = chain.into_iter().any(|at| at == from);
        if !is_loop {
            self.targets.insert(from, to);
        }
        is_loop
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
            (4, 5, false),
            (5, 5, true),
            (6, 3, false),
        ] {
            let closed = redirects.closes_loop(UrlKey(from), UrlKey(to));
            assert_eq!(closed, closes, "{from} to {to}");
        }
    }
}
