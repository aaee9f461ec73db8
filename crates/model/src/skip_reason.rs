//! Why a page was not requested, and why a link was not admitted.

use std::fmt;

/// Why an admitted URL was not requested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SkipReason {
    /// robots.txt disallows it.
    Robots {
        /// The deciding line as written, for example `Disallow: /private`.
        rule: String,
    },
    /// robots.txt could not be fetched, which counts as disallowing everything.
    RobotsUnavailable {
        /// What happened.
        message: String,
    },
    /// It turned out to be part of a crawler trap after it was admitted.
    Trap(RefuseReason),
}

impl SkipReason {
    /// Returns the stable name used in machine-readable formats.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Robots { .. } => "robots",
            Self::RobotsUnavailable { .. } => "robots_unavailable",
            Self::Trap(reason) => reason.as_str(),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Robots { rule } => write!(f, "blocked by robots.txt ({rule})"),
            Self::RobotsUnavailable { message } => {
                write!(f, "blocked: cannot read robots.txt ({message})")
            }
            Self::Trap(reason) => write!(f, "not followed: {}", reason.trap_text()),
        }
    }
}

/// Why a link was not admitted to the frontier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum RefuseReason {
    /// Not an http(s) URL.
    Scheme,
    /// Another host, or above the prefix.
    OutOfScope,
    /// An exclude pattern matched.
    Excluded,
    /// No include pattern matched.
    NotIncluded,
    /// A file with a blocked extension.
    BlockedExtension,
    /// `rel=nofollow`, if that is obeyed.
    Nofollow,
    /// Deeper than the limit.
    TooDeep,
    /// A URL that is too long.
    TooLong,
    /// Repeating path segments, or too many of them.
    TrapPath,
    /// Another day of an endless calendar.
    TrapCalendar,
    /// A known page with another session id.
    TrapSession,
    /// Another combination of query parameters.
    TrapQuery,
    /// Another of many pages that repeat each other and only lead to more of the same.
    TrapPages,
    /// A new origin, after the limit on origins.
    TrapHosts,
    /// Already in the frontier, or already fetched.
    Seen,
}

impl RefuseReason {
    /// Every reason, for tables.
    pub const ALL: [Self; 15] = [
        Self::Scheme,
        Self::OutOfScope,
        Self::Excluded,
        Self::NotIncluded,
        Self::BlockedExtension,
        Self::Nofollow,
        Self::TooDeep,
        Self::TooLong,
        Self::TrapPath,
        Self::TrapCalendar,
        Self::TrapSession,
        Self::TrapQuery,
        Self::TrapPages,
        Self::TrapHosts,
        Self::Seen,
    ];

    /// Returns the stable name used in machine-readable formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::OutOfScope => "out_of_scope",
            Self::Excluded => "excluded",
            Self::NotIncluded => "not_included",
            Self::BlockedExtension => "blocked_extension",
            Self::Nofollow => "nofollow",
            Self::TooDeep => "too_deep",
            Self::TooLong => "too_long",
            Self::TrapPath => "trap_path",
            Self::TrapCalendar => "trap_calendar",
            Self::TrapSession => "trap_session",
            Self::TrapQuery => "trap_query",
            Self::TrapPages => "trap_pages",
            Self::TrapHosts => "trap_hosts",
            Self::Seen => "seen",
        }
    }

    /// Returns what kind of trap it is, for people.
    pub fn trap_text(self) -> &'static str {
        match self {
            Self::TooLong => "crawler trap, very long URL",
            Self::TrapPath => "crawler trap, repeating path",
            Self::TrapCalendar => "crawler trap, endless calendar",
            Self::TrapSession => "crawler trap, session id",
            Self::TrapQuery => "crawler trap, endless query combinations",
            Self::TrapPages => "crawler trap, pages that only lead to more of the same",
            Self::TrapHosts => "crawler trap, too many hosts",
            other => other.as_str(),
        }
    }

    /// Whether it would have been admitted if traps were not refused.
    pub fn is_trap(self) -> bool {
        matches!(
            self,
            Self::TooLong
                | Self::TrapPath
                | Self::TrapCalendar
                | Self::TrapSession
                | Self::TrapQuery
                | Self::TrapPages
                | Self::TrapHosts
        )
    }
}
