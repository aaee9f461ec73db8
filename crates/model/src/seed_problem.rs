//! Why a crawl could not start.

use std::fmt;

/// Why a crawl could not start. `Display` includes what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SeedProblem {
    /// It could not be fetched.
    Failed {
        /// The seed, or a redirect target.
        url: String,
        /// What happened.
        message: String,
    },
    /// robots.txt disallows it.
    Robots {
        /// The seed, or a redirect target.
        url: String,
        /// Why, with the rule.
        message: String,
    },
    /// It redirects out of scope.
    LeftScope {
        /// The seed, or the last redirect.
        url: String,
        /// Target of the redirect.
        to: String,
    },
    /// Its redirects form a loop.
    Loop {
        /// The last redirect.
        url: String,
        /// Target of the redirect.
        to: String,
    },
    /// It redirects to a URL that looks like a crawler trap.
    Trap {
        /// The seed, or the last redirect.
        url: String,
        /// Target of the redirect.
        to: String,
    },
    /// Only sitemaps are used, and none lists a page in scope.
    NoSitemap {
        /// The origin.
        origin: String,
    },
}

impl fmt::Display for SeedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { url, message } => {
                write!(f, "cannot fetch the seed {url}: {message}")
            }
            Self::Robots { url, message } => {
                write!(
                    f,
                    "the seed {url} is {message}; use --robots ignore to fetch it anyway"
                )
            }
            Self::LeftScope { url, to } => write!(
                f,
                "the seed {url} redirects out of scope to {to}; crawl that URL instead, or use --scope domain"
            ),
            Self::Loop { url, to } => {
                write!(
                    f,
                    "the seed redirects in a loop: {url} redirects back to {to}"
                )
            }
            Self::Trap { url, to } => write!(
                f,
                "the seed {url} redirects to {to}, which looks like a crawler trap; use --traps off to follow it"
            ),
            Self::NoSitemap { origin } => write!(
                f,
                "no sitemap of {origin} lists a page in scope; use --sitemaps include to follow links too"
            ),
        }
    }
}
