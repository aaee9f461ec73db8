//! What a worker says about a task it held.

use std::time::Duration;

use model::FailKind;

use crate::{JobId, Lease, NewDocument, NewMappedUrl, NewTask, TaskState};

/// What became of a task.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// It was fetched.
    Done {
        /// Its content, when the job wants content.
        document: Option<NewDocument>,
        /// Its links, when the job wants a map.
        mapped: Vec<NewMappedUrl>,
        /// Body bytes.
        bytes: u64,
    },
    /// It could not be had.
    Failed {
        /// Why, for machines.
        kind: FailKind,
        /// Why, for people.
        error: String,
        /// Body bytes.
        bytes: u64,
    },
    /// It was not asked for.
    Skipped {
        /// Why, for machines: `robots`, `redirected` …
        reason: String,
        /// Why, for people.
        detail: String,
    },
    /// It is to be tried again.
    Retry {
        /// Not before this long from now.
        after: Duration,
        /// Why.
        error: String,
    },
    /// It was not begun: the worker is draining. The attempt does not count.
    HandBack,
}

impl Settlement {
    /// Whether it is a redirect whose target is a task of its own.
    pub fn is_redirect(&self) -> bool {
        let is_redirect = |task: &NewTask| task.found == model::Found::Redirect;
        self.verdict.state() == TaskState::Skipped && self.found.iter().any(is_redirect)
    }
}

impl Verdict {
    /// Where the task stands afterwards.
    pub fn state(&self) -> TaskState {
        match self {
            Self::Done { .. } => TaskState::Done,
            Self::Failed { .. } => TaskState::Failed,
            Self::Skipped { .. } => TaskState::Skipped,
            Self::Retry { .. } | Self::HandBack => TaskState::Queued,
        }
    }

    /// The words for people, and for machines.
    pub fn words(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Done { .. } | Self::HandBack => (None, None),
            Self::Failed { kind, error, .. } => (Some(error), Some(kind.as_str())),
            Self::Skipped { reason, detail } => (Some(detail), Some(reason)),
            Self::Retry { error, .. } => (Some(error), Some("retry")),
        }
    }

    /// Body bytes it cost.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Done { bytes, .. } | Self::Failed { bytes, .. } => *bytes,
            Self::Skipped { .. } | Self::Retry { .. } | Self::HandBack => 0,
        }
    }
}

/// One task's end, or its way back into the queue, with what was found on it.
#[derive(Clone, PartialEq, Debug)]
pub struct Settlement {
    /// The right to say so.
    pub lease: Lease,
    /// Whose task it is.
    pub job: JobId,
    /// What became of it.
    pub verdict: Verdict,
    /// Links, redirect targets, sitemap URLs that passed the worker's rules.
    pub found: Vec<NewTask>,
}

/// A few bytes of the caller's, written in the same transaction as what they speak about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// Its name.
    pub key: String,
    /// What to remember.
    pub bytes: Vec<u8>,
}

/// What a settlement led to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Settled {
    /// Written.
    pub kept: Vec<Lease>,
    /// The lease was gone: nothing of it was written.
    pub lost: Vec<Lease>,
    /// New tasks that were let in.
    pub admitted: u64,
}
