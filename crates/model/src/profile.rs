//! Profiles: presets of limits and politeness.

use std::time::Duration;

use crawler_weburl::SlashPolicy;

/// A preset of limits and politeness.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Profile {
    /// Few pages, few workers.
    Conservative,
    /// The default.
    #[default]
    Balanced,
    /// More of everything.
    Aggressive,
    /// No limits.
    Exhaustive,
}

impl Profile {
    /// Maximum number of pages; 0 is no limit.
    pub fn max_pages(self) -> u64 {
        match self {
            Self::Conservative => 500,
            Self::Balanced => 2_000,
            Self::Aggressive => 10_000,
            Self::Exhaustive => 0,
        }
    }

    /// Maximum depth; 0 is no limit.
    pub fn max_depth(self) -> u32 {
        match self {
            Self::Conservative => 3,
            Self::Balanced => 5,
            Self::Aggressive => 8,
            Self::Exhaustive => 0,
        }
    }

    /// Number of pages in flight at once.
    pub fn workers(self) -> usize {
        match self {
            Self::Conservative => 10,
            Self::Balanced => 25,
            Self::Aggressive => 50,
            Self::Exhaustive => 8,
        }
    }

    /// Timeout of one request.
    pub fn timeout(self) -> Duration {
        match self {
            Self::Aggressive => Duration::from_secs(8),
            _ => Duration::from_secs(10),
        }
    }

    /// Maximum number of attempts, including the first.
    pub fn max_attempts(self) -> u32 {
        match self {
            Self::Exhaustive => 1,
            _ => 3,
        }
    }

    /// How trailing slashes are treated.
    pub fn slash(self) -> SlashPolicy {
        match self {
            Self::Exhaustive => SlashPolicy::Keep,
            _ => SlashPolicy::Merge,
        }
    }

    /// Whether crawler traps (endless URL spaces) are refused.
    pub fn traps(self) -> bool {
        self != Self::Exhaustive
    }

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Balanced => "balanced",
            Self::Aggressive => "aggressive",
            Self::Exhaustive => "exhaustive",
        }
    }
}
