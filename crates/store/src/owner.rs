//! Owners and priorities of jobs: whose a job is, and which of an owner's jobs goes first.

use std::fmt;
use std::sync::Arc;

/// The owner of a job: the name of the API key that created it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Owner(Arc<str>);

impl Owner {
    /// Maximum length in bytes; a longer name is most likely a pasted key.
    pub const MAX_LENGTH: usize = 100;
    /// The name of [`Owner::local`].
    pub const LOCAL: &str = "local";
    /// What the names of keys in the configuration begin with.
    pub const CONFIGURED_PREFIX: &str = "config-";
    /// Stands for all further owners in metrics.
    pub const OTHER: &str = "other";

    /// The owner of jobs that are created without a key.
    pub fn local() -> Self {
        Self(Self::LOCAL.into())
    }

    /// Parses a name: 1 to [`MAX_LENGTH`](Self::MAX_LENGTH) bytes on one line, not blank.
    pub fn parse(name: &str) -> Option<Self> {
        let fits = !name.trim().is_empty() && name.len() <= Self::MAX_LENGTH;
        (fits && !name.chars().any(char::is_control)).then(|| Self(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The priority of a job among the jobs of its owner, 0 to 9; higher ones go first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Priority(u8);

impl Priority {
    /// The highest priority.
    pub const MAX: u8 = 9;

    /// Returns the priority; `None` if it is out of range.
    pub fn new(number: u8) -> Option<Self> {
        (number <= Self::MAX).then_some(Self(number))
    }

    /// The number.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl Default for Priority {
    /// The middle.
    fn default() -> Self {
        Self(5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_one_line_of_limited_length() {
        let longest = "x".repeat(Owner::MAX_LENGTH);
        for name in ["a", "local", "Team A / laptop", "名前", &longest] {
            let owner = Owner::parse(name);
            assert_eq!(owner.as_ref().map(Owner::as_str), Some(name));
        }
        for name in ["", " ", "a\nb", "a\u{7f}", &format!("{longest}x")] {
            assert_eq!(Owner::parse(name), None, "{name:?}");
        }
    }

    #[test]
    fn a_priority_is_one_digit() {
        assert_eq!(Priority::default(), Priority(5));
        assert_eq!(Priority::new(9).map(Priority::get), Some(9));
        assert_eq!(Priority::new(10), None);
    }
}
