//! Why a crawl could not begin.

use std::fmt;

/// Why the seed could not be fetched, in words that say what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeedProblem {
    /// It could not be had.
    Failed {
        /// The seed, or where it redirected to.
        url: String,
        /// What happened.
        words: String,
    },
    /// robots.txt disallows it.
    Robots {
        /// The seed, or where it redirected to.
        url: String,
        /// Why, with the rule.
        words: String,
    },
    /// It redirects out of scope.
    LeftScope {
        /// The seed, or the last redirect.
        url: String,
        /// Where it points.
        to: String,
    },
    /// Its redirects come back to where they were.
    Loop {
        /// The last redirect.
        url: String,
        /// Where it points.
        to: String,
    },
    /// It redirects to what looks like one of endlessly many URLs.
    Trap {
        /// The seed, or the last redirect.
        url: String,
        /// Where it points.
        to: String,
    },
    /// Only sitemaps were asked for, and none names a page.
    NoSitemap {
        /// The origin that was asked.
        origin: String,
    },
}

impl fmt::Display for SeedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { url, words } => {
                write!(f, "the seed {url} could not be fetched: {words}")
            }
            Self::Robots { url, words } => {
                write!(
                    f,
                    "the seed {url} is {words}; --robots ignore to fetch it anyway"
                )
            }
            Self::LeftScope { url, to } => write!(
                f,
                "the seed {url} redirects out of scope to {to}; crawl that URL instead, or widen with --scope domain"
            ),
            Self::Loop { url, to } => {
                write!(f, "the seed redirects in a loop: {url} points back to {to}")
            }
            Self::Trap { url, to } => write!(
                f,
                "the seed {url} redirects to {to}, which looks like a trap; --traps off follows it"
            ),
            Self::NoSitemap { origin } => write!(
                f,
                "no sitemap of {origin} names a page in scope; --sitemaps include follows links as well"
            ),
        }
    }
}
