//! Why a crawl could not start.

use std::fmt;

/// Why the seed could not be fetched; displayed with what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeedProblem {
    /// It could not be fetched.
    Failed {
        /// The seed, or where it redirected to.
        url: String,
        /// What happened.
        message: String,
    },
    /// robots.txt disallows it.
    Robots {
        /// The seed, or where it redirected to.
        url: String,
        /// Why, with the rule.
        message: String,
    },
    /// It redirects out of scope.
    LeftScope {
        /// The seed, or the last redirect.
        url: String,
        /// Where it points.
        to: String,
    },
    /// Its redirects form a loop.
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
