//! Why a crawl could not start.

use std::fmt;

use crate::Remedy;

/// Why a crawl could not start.
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

impl SeedProblem {
    /// Returns what the user can do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Failed { .. } | Self::Loop { .. } => None,
            Self::Robots { .. } => Some(Remedy::IgnoreRobots),
            Self::LeftScope { .. } => Some(Remedy::WidenScope),
            Self::Trap { .. } => Some(Remedy::FollowTraps),
            Self::NoSitemap { .. } => Some(Remedy::FollowLinks),
        }
    }
}

impl fmt::Display for SeedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { url, message } => {
                write!(f, "cannot fetch the seed {url}: {message}")
            }
            Self::Robots { url, message } => {
                write!(f, "the seed {url} is {message}")
            }
            Self::LeftScope { url, to } => {
                write!(f, "the seed {url} redirects out of scope to {to}")
            }
            Self::Loop { url, to } => {
                write!(
                    f,
                    "the seed redirects in a loop: {url} redirects back to {to}"
                )
            }
            Self::Trap { url, to } => write!(
                f,
                "the seed {url} redirects to {to}, which looks like a crawler trap"
            ),
            Self::NoSitemap { origin } => {
                write!(f, "no sitemap of {origin} lists a page in scope")
            }
        }
    }
}
