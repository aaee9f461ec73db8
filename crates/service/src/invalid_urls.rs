//! The URLs of a batch that are left out of its job.

use crawler_weburl::{CrawlUrl, Userinfo};
use serde::Serialize;

/// The invalid URLs of a batch.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct InvalidUrls {
    /// How many there are.
    pub count: u64,
    /// The first ones.
    pub listed: Vec<InvalidUrl>,
}

impl InvalidUrls {
    /// Maximum number of URLs that are listed.
    const MAX_LISTED: usize = 1_000;
    /// Maximum length of a URL that is listed, in characters.
    const MAX_CHARS: usize = 2_048;

    pub(crate) fn add(&mut self, url: &str, reason: String) {
        self.count += 1;
        if self.listed.len() < Self::MAX_LISTED {
            let url = without_userinfo(url)
                .chars()
                .take(Self::MAX_CHARS)
                .collect();
            self.listed.push(InvalidUrl { url, reason });
        }
    }
}

/// An invalid URL of a batch.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct InvalidUrl {
    /// The URL as given.
    pub url: String,
    /// Why it is invalid.
    pub reason: String,
}

/// Removes the credentials from a URL.
fn without_userinfo(typed: &str) -> String {
    if Userinfo::of(typed).is_none() {
        return typed.to_owned();
    }
    CrawlUrl::parse(typed).map_or_else(|_| "(not shown)".to_owned(), |url| url.to_string())
}
