//! A user's error, found while the plan is made.

use std::fmt;

/// A user's error: which flag, which value, what is wrong and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanError {
    /// The flag or argument.
    pub flag: &'static str,
    /// What is wrong, with the value.
    pub words: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.flag, self.words)
    }
}

impl std::error::Error for PlanError {}
