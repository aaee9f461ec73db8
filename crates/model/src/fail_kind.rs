//! Why a page could not be fetched: kinds with stable names.

use std::fmt;

/// What went wrong with a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum FailKind {
    /// 404 or 410.
    DeadLink,
    /// Another 4xx.
    ClientError,
    /// 5xx other than 504.
    ServerError,
    /// 408, 504, or no response in time.
    Timeout,
    /// 429.
    RateLimited,
    /// The host name has no address.
    Dns,
    /// No connection could be established.
    Connect,
    /// TLS failed, or the certificate is not trusted.
    Tls,
    /// The connection broke before the response was complete.
    Reset,
    /// More redirects than allowed, or a loop.
    TooManyRedirects,
    /// A redirect without a usable target.
    BadRedirect,
    /// A response that is not valid HTTP.
    Protocol,
    /// A body that cannot be decoded.
    Decode,
    /// The dialer's guard refused the address.
    AddressRefused,
    /// The browser, or its process for this page, died.
    Browser,
    /// There is no browser to render with.
    NoBrowser,
    /// The crawler was too busy to start.
    Busy,
    /// A bug: the page's worker panicked.
    Internal,
    /// The page used more than a rendered page may.
    RenderBudget,
    /// The render process could not be reached; the page is not the reason.
    BrowserUnavailable,
}

/// Groups of kinds, as shown on stderr.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum FailGroup {
    /// 404, 410.
    DeadLink,
    /// 4xx.
    ClientError,
    /// 5xx.
    ServerError,
    /// 408, 504, no response.
    Timeout,
    /// 429.
    RateLimited,
    /// dns, connect, tls, reset.
    Network,
    /// Too many redirects, or an invalid one.
    Redirects,
    /// Not HTTP, or not decodable.
    BadResponse,
    /// The address was refused by the dialer's guard.
    Refused,
    /// The browser died, there is none, or the page used too much of it.
    Browser,
    /// A bug in the crawler.
    Internal,
}

impl FailKind {
    /// Every kind, for tables and tests. State files store indexes: new kinds are added at the end.
    pub const ALL: [Self; 20] = [
        Self::DeadLink,
        Self::ClientError,
        Self::ServerError,
        Self::Timeout,
        Self::RateLimited,
        Self::Dns,
        Self::Connect,
        Self::Tls,
        Self::Reset,
        Self::TooManyRedirects,
        Self::BadRedirect,
        Self::Protocol,
        Self::Decode,
        Self::AddressRefused,
        Self::Browser,
        Self::NoBrowser,
        Self::Internal,
        Self::RenderBudget,
        Self::Busy,
        Self::BrowserUnavailable,
    ];

    /// Returns the kind for an HTTP status that is neither a success nor a redirect.
    pub fn of_status(status: u16) -> Self {
        match status {
            404 | 410 => Self::DeadLink,
            408 | 504 => Self::Timeout,
            429 => Self::RateLimited,
            400..=499 => Self::ClientError,
            500..=599 => Self::ServerError,
            _ => Self::Protocol,
        }
    }

    /// Returns the stable name used in machine-readable formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DeadLink => "dead_link",
            Self::ClientError => "client_error",
            Self::ServerError => "server_error",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate_limited",
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Reset => "reset",
            Self::TooManyRedirects => "too_many_redirects",
            Self::BadRedirect => "bad_redirect",
            Self::Protocol => "protocol",
            Self::Decode => "decode",
            Self::AddressRefused => "address_refused",
            Self::Browser => "browser",
            Self::NoBrowser => "no_browser",
            Self::Busy => "busy",
            Self::Internal => "internal",
            Self::RenderBudget => "render_budget",
            Self::BrowserUnavailable => "browser_unavailable",
        }
    }

    /// Returns the kind with this stable name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether another attempt may help.
    pub fn retryable(self) -> bool {
        matches!(
            self,
            Self::ServerError
                | Self::Timeout
                | Self::RateLimited
                | Self::Dns
                | Self::Connect
                | Self::Tls
                | Self::Reset
                | Self::Browser
        )
    }

    /// Returns the group shown to users.
    pub fn group(self) -> FailGroup {
        match self {
            Self::DeadLink => FailGroup::DeadLink,
            Self::ClientError => FailGroup::ClientError,
            Self::ServerError => FailGroup::ServerError,
            Self::Timeout => FailGroup::Timeout,
            Self::RateLimited => FailGroup::RateLimited,
            Self::Dns | Self::Connect | Self::Tls | Self::Reset => FailGroup::Network,
            Self::TooManyRedirects | Self::BadRedirect => FailGroup::Redirects,
            Self::Protocol | Self::Decode => FailGroup::BadResponse,
            Self::AddressRefused => FailGroup::Refused,
            Self::Browser | Self::NoBrowser | Self::RenderBudget | Self::BrowserUnavailable => {
                FailGroup::Browser
            }
            Self::Busy | Self::Internal => FailGroup::Internal,
        }
    }

    /// Returns the label shown in brackets on stderr: `dead link`, `server error (retry-able)`.
    pub fn label(self) -> &'static str {
        match self {
            Self::DeadLink => "dead link",
            Self::ClientError => "client error",
            Self::ServerError => "server error (retry-able)",
            Self::Timeout => "timeout (retry-able)",
            Self::RateLimited => "rate limited (retry-able)",
            Self::Dns | Self::Connect | Self::Tls | Self::Reset => "network (retry-able)",
            Self::TooManyRedirects => "too many redirects",
            Self::BadRedirect => "bad redirect",
            Self::Protocol => "invalid response",
            Self::Decode => "undecodable body",
            Self::AddressRefused => "address refused",
            Self::Browser => "browser (retry-able)",
            Self::NoBrowser => "no browser",
            Self::Busy => "busy",
            Self::Internal => "internal error",
            Self::RenderBudget => "browser budget exceeded",
            Self::BrowserUnavailable => "browser unavailable",
        }
    }
}

impl FailGroup {
    /// Returns the name shown in a summary.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DeadLink => "dead link",
            Self::ClientError => "client error",
            Self::ServerError => "server error",
            Self::Timeout => "timeout",
            Self::RateLimited => "rate limited",
            Self::Network => "network",
            Self::Redirects => "redirects",
            Self::BadResponse => "invalid response",
            Self::Refused => "refused",
            Self::Browser => "browser",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for FailKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_have_kinds() {
        for (status, kind) in [
            (400, FailKind::ClientError),
            (403, FailKind::ClientError),
            (404, FailKind::DeadLink),
            (408, FailKind::Timeout),
            (410, FailKind::DeadLink),
            (429, FailKind::RateLimited),
            (500, FailKind::ServerError),
            (503, FailKind::ServerError),
            (504, FailKind::Timeout),
            (304, FailKind::Protocol),
            (999, FailKind::Protocol),
        ] {
            assert_eq!(FailKind::of_status(status), kind, "{status}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for kind in FailKind::ALL {
            assert_eq!(FailKind::named(kind.as_str()), Some(kind));
        }
        assert_eq!(FailKind::named("unknown"), None);
    }

    #[test]
    fn the_label_says_whether_a_retry_may_help() {
        for kind in FailKind::ALL {
            assert_eq!(
                kind.label().contains("retry-able"),
                kind.retryable(),
                "{kind}"
            );
        }
    }
}
