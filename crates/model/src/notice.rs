//! Messages for the user that are not about one page.

use std::fmt;
use std::time::Duration;

use crate::Remedy;

/// A message for the user, one line of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Notice {
    /// robots.txt could not be fetched, so nothing is fetched from its origin.
    RobotsUnavailable {
        /// The origin.
        origin: String,
        /// What happened.
        message: String,
    },
    /// Requests to a host are slowed down or paused.
    HostSlowed {
        /// The host.
        host: String,
        /// Length of the pause.
        pause: Duration,
        /// What happened.
        message: String,
    },
    /// A host asked for a longer pause than we accept.
    HostParked {
        /// The host.
        host: String,
        /// What happened.
        message: String,
    },
    /// A sitemap could not be read completely.
    Sitemap {
        /// The sitemap.
        url: String,
        /// What happened.
        message: String,
    },
    /// robots.txt asks for a delay between requests.
    CrawlDelay {
        /// The origin.
        origin: String,
        /// The delay.
        pause: Duration,
    },
}

impl Notice {
    /// Returns the stable name used in machine-readable formats.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::RobotsUnavailable { .. } => "robots_unavailable",
            Self::HostSlowed { .. } => "host_slowed",
            Self::HostParked { .. } => "host_parked",
            Self::Sitemap { .. } => "sitemap",
            Self::CrawlDelay { .. } => "crawl_delay",
        }
    }

    /// Returns what the user can do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::RobotsUnavailable { .. } => Some(Remedy::IgnoreRobots),
            _ => None,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RobotsUnavailable { origin, message } => {
                write!(
                    f,
                    "cannot read {origin}/robots.txt ({message}); skipping this site"
                )
            }
            Self::HostSlowed {
                host,
                pause,
                message,
            } => {
                write!(f, "{host} {message}; waiting {:.1} s", pause.as_secs_f64())
            }
            Self::HostParked { host, message } => {
                write!(f, "{host} {message}; no more requests to this host")
            }
            Self::Sitemap { url, message } => write!(f, "sitemap {url}: {message}"),
            Self::CrawlDelay { origin, pause } => write!(
                f,
                "{origin}/robots.txt sets a crawl delay of {} s",
                pause.as_secs_f64()
            ),
        }
    }
}
