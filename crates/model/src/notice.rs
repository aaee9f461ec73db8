//! Things worth telling a person that are not about one page.

use std::fmt;
use std::time::Duration;

/// Something worth a line on stderr.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// robots.txt could not be read; what that means for its origin.
    RobotsUnavailable {
        /// The origin.
        origin: String,
        /// What happened.
        words: String,
    },
    /// A host is asked less often, or not at all, for a while.
    HostSlowed {
        /// The host.
        host: String,
        /// For how long.
        pause: Duration,
        /// Why.
        words: String,
    },
    /// A host asked to be left alone for longer than we wait.
    HostParked {
        /// The host.
        host: String,
        /// Why.
        words: String,
    },
    /// A sitemap could not be read, or only in part.
    Sitemap {
        /// The sitemap.
        url: String,
        /// What happened.
        words: String,
    },
    /// robots.txt asks for a pause between requests.
    CrawlDelay {
        /// The origin.
        origin: String,
        /// The pause.
        pause: Duration,
    },
}

impl Notice {
    /// The stable spelling of machine formats.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::RobotsUnavailable { .. } => "robots_unavailable",
            Self::HostSlowed { .. } => "host_slowed",
            Self::HostParked { .. } => "host_parked",
            Self::Sitemap { .. } => "sitemap",
            Self::CrawlDelay { .. } => "crawl_delay",
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RobotsUnavailable { origin, words } => {
                write!(
                    f,
                    "{origin}/robots.txt could not be read ({words}): nothing there is fetched; \
                     --robots ignore to go on without it"
                )
            }
            Self::HostSlowed { host, pause, words } => {
                write!(f, "{host} {words}: waiting {:.1} s", pause.as_secs_f64())
            }
            Self::HostParked { host, words } => write!(f, "{host} {words}: left alone"),
            Self::Sitemap { url, words } => write!(f, "sitemap {url}: {words}"),
            Self::CrawlDelay { origin, pause } => write!(
                f,
                "{origin}/robots.txt asks for {} s between requests",
                pause.as_secs_f64()
            ),
        }
    }
}
