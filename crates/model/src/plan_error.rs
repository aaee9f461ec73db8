//! A user's error, found while a plan is resolved.

use std::fmt;

/// A field of a [`CrawlSpec`](crate::CrawlSpec) or [`ScrapeSpec`](crate::ScrapeSpec). Each front end spells it in
/// its own way: a flag, a JSON field, a configuration key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanField {
    /// The seed.
    Url,
    /// Include patterns.
    Include,
    /// Exclude patterns.
    Exclude,
    /// Pages in flight at once.
    Workers,
    /// Timeout of one request, in milliseconds.
    Timeout,
    /// Minimum time between two requests, in milliseconds.
    RateMs,
    /// Attempts at one page.
    MaxAttempts,
    /// Redirects followed for one URL.
    MaxRedirects,
    /// Body bytes read of one page.
    MaxBodyBytes,
    /// The User-Agent header.
    UserAgent,
    /// Extra request headers.
    Header,
    /// Proxies.
    Proxy,
    /// Delays below a path.
    PathDelay,
}

impl PlanField {
    /// The field's name as in JSON: `max_attempts`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Include => "include",
            Self::Exclude => "exclude",
            Self::Workers => "workers",
            Self::Timeout => "timeout",
            Self::RateMs => "rate_ms",
            Self::MaxAttempts => "max_attempts",
            Self::MaxRedirects => "max_redirects",
            Self::MaxBodyBytes => "max_body_bytes",
            Self::UserAgent => "user_agent",
            Self::Header => "header",
            Self::Proxy => "proxy",
            Self::PathDelay => "path_delay",
        }
    }
}

/// A user's error: which field, what is wrong with its value, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanError {
    /// The field at fault.
    pub field: PlanField,
    /// What is wrong, with the value.
    pub message: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field.as_str(), self.message)
    }
}

impl std::error::Error for PlanError {}
