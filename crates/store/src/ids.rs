//! Identifiers, each a type of its own so that they cannot be mixed up.

use std::fmt;

use uuid::Uuid;

/// The id of a job: a version 7 UUID, so ids sort by creation time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct JobId(pub Uuid);

impl JobId {
    /// Creates a new id.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a task in its store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TaskId(pub i64);

/// The number that a claim gives to a task. Every later write carries it. It only grows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fence(pub i64);

/// The holder of a lease. It is random for each start of a process: a reused name would hide a dead worker.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WorkerId(pub String);

impl WorkerId {
    /// Creates a new id.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7().to_string())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A time by the database's clock, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct UnixMillis(pub i64);
