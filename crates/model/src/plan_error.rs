//! Invalid user input, found while a plan is resolved.

use std::fmt;

/// A field of a [`CrawlSpec`](crate::CrawlSpec) or its [`RequestSpec`](crate::RequestSpec). Each front end shows
/// it under its own name: a flag, a JSON field, a configuration key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanField {
    /// The seed.
    Url,
    /// Include patterns.
    Include,
    /// Exclude patterns.
    Exclude,
    /// Number of pages in flight at once.
    Workers,
    /// Timeout of one request.
    Timeout,
    /// Minimum time between the starts of two requests.
    MinInterval,
    /// Maximum number of attempts at one page.
    MaxAttempts,
    /// Maximum number of redirects for one URL.
    MaxRedirects,
    /// Maximum length of a decoded body.
    MaxBodyBytes,
    /// The User-Agent header.
    UserAgent,
    /// Extra request headers.
    Header,
    /// Proxies.
    Proxy,
    /// Delays for URLs below a path.
    PathDelay,
}

impl PlanField {
    /// Returns the name of the field in JSON, such as `max_attempts`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Include => "include",
            Self::Exclude => "exclude",
            Self::Workers => "workers",
            Self::Timeout => "timeout",
            Self::MinInterval => "min_interval",
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

/// An invalid value: which field, what is wrong, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanError {
    /// The invalid field.
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
