//! The requests a site received, compared with the pages it has.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

/// Completeness of a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// Requests for pages.
    pub(crate) requests: u64,
    /// Pages that were never requested.
    pub(crate) missed: u64,
    /// Repeated requests for a page.
    pub(crate) repeated: u64,
    /// Requests for anything but pages: images and dead links.
    pub(crate) others: u64,
}

impl Fetched {
    /// Compares requests with pages.
    pub(crate) fn new(pages: &[String], mut counts: BTreeMap<String, u64>) -> Self {
        let mut fetched = Self::default();
        for page in pages {
            let requests = counts.remove(page).unwrap_or_default();
            fetched.requests += requests;
            fetched.missed += u64::from(requests == 0);
            fetched.repeated += requests.saturating_sub(1);
        }
        fetched.others = counts.values().sum();
        fetched
    }

    /// Adds another run: sums the requests and keeps the maximum of each other count.
    pub(crate) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.missed = self.missed.max(other.missed);
        self.repeated = self.repeated.max(other.repeated);
        self.others = self.others.max(other.others);
    }

    /// Whether each page was fetched exactly once.
    pub(crate) fn is_each_once(&self) -> bool {
        self.missed == 0 && self.repeated == 0
    }

    /// Fails unless each page was fetched exactly once.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_each_once() {
            return Ok(());
        }
        bail!(
            "{} pages were never fetched, and {} requests repeated a page",
            self.missed,
            self.repeated
        );
    }

    /// Short description.
    pub(crate) fn describe(&self) -> String {
        let pages = match (self.missed, self.repeated) {
            (0, 0) => "each once".to_owned(),
            (0, again) => format!("{again} again"),
            (missed, 0) => format!("{missed} missed"),
            (missed, again) => format!("{missed} missed, {again} again"),
        };
        match self.others {
            0 => pages,
            1 => format!("{pages}, 1 other"),
            others => format!("{pages}, {others} others"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(counts: &[(&str, u64)]) -> Fetched {
        let pages = ["/", "/a", "/b"].map(str::to_owned);
        let counts = counts
            .iter()
            .map(|(target, requests)| ((*target).to_owned(), *requests));
        Fetched::new(&pages, counts.collect())
    }

    #[test]
    fn missed_and_repeated_pages_are_reported() {
        let complete = fetched(&[("/", 1), ("/a", 1), ("/b", 1), ("/gone", 2)]);
        assert_eq!(complete.describe(), "each once, 2 others");
        assert!(complete.check().is_ok());
        let missed = fetched(&[("/", 1), ("/b", 1)]);
        assert_eq!((missed.requests, missed.missed), (2, 1));
        assert!(missed.check().is_err());
        let repeated = fetched(&[("/", 1), ("/a", 3), ("/b", 1)]);
        assert_eq!(repeated.describe(), "2 again");
        assert!(repeated.check().is_err());
    }
}
