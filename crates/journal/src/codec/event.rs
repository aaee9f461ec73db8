//! The kinds of events.

use super::Damaged;

/// The first byte of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Work was taken.
    Take,
    /// A page settled.
    Page,
    /// A site's own file settled.
    SiteFileTask,
    /// The frontier's counts, compared in a replay.
    Check,
    /// The crawl was resumed.
    Resume,
}

impl Kind {
    pub(crate) fn of(byte: u8) -> Result<Self, Damaged> {
        match byte {
            1 => Ok(Self::Take),
            2 => Ok(Self::Page),
            3 => Ok(Self::SiteFileTask),
            4 => Ok(Self::Check),
            5 => Ok(Self::Resume),
            _ => Err(Damaged("an event")),
        }
    }

    pub(crate) fn as_byte(self) -> u8 {
        match self {
            Self::Take => 1,
            Self::Page => 2,
            Self::SiteFileTask => 3,
            Self::Check => 4,
            Self::Resume => 5,
        }
    }
}
