//! Names of things: each a type of its own, so that none is taken for another.

use std::fmt;

use uuid::Uuid;

/// A job's name: a version 7 UUID, so names sort by the time they were made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct JobId(pub Uuid);

impl JobId {
    /// A new name.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A task's number in its store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TaskId(pub i64);

/// The number a claim gives to a task; every later write repeats it. It only grows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fence(pub i64);

/// Who holds a lease: random for each start of a process, since a name used again would hide the dead.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WorkerId(pub String);

impl WorkerId {
    /// A new name.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7().to_string())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A time told by the database's clock, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct UnixMillis(pub i64);
