//! The outcome of a task that a worker held.

use std::time::Duration;

use crawler_model::site_rules::redirect_loop;
use crawler_model::{Discovery, FailKind};

use crate::{JobId, Lease, NewDocument, NewMappedUrl, NewTask, RefusedUrl, TaskState};

/// The outcome of a task.
#[derive(Clone, PartialEq, Debug)]
pub enum TaskOutcome {
    /// Fetched.
    Done {
        /// Its content, if the job stores content.
        document: Option<Box<NewDocument>>,
        /// Its links, if the job is a map.
        mapped: Vec<NewMappedUrl>,
        /// Body bytes.
        bytes: u64,
    },
    /// Could not be fetched.
    Failed {
        /// Why, for programs.
        kind: FailKind,
        /// Why, for people.
        error: String,
        /// Body bytes.
        bytes: u64,
    },
    /// Not fetched on purpose.
    Skipped {
        /// Why, for programs: `robots`, `redirected` …
        reason: String,
        /// Why, for people.
        detail: String,
    },
    /// To be retried.
    Retry {
        /// Minimum time until the retry.
        after: Duration,
        /// Error message of the attempt.
        error: String,
    },
    /// To be tried later, because something that the worker needs is not available. The attempt does not count.
    Postponed {
        /// Minimum time until then.
        after: Duration,
        /// What was not available.
        error: String,
    },
    /// Not started because the worker is draining. The attempt does not count.
    HandBack,
}

impl Settlement {
    /// The mapped URLs of a fetched page.
    pub fn mapped(&self) -> &[NewMappedUrl] {
        match &self.outcome {
            TaskOutcome::Done { mapped, .. } => mapped,
            _ => &[],
        }
    }

    /// Number of rows that it may add.
    pub fn rows(&self) -> usize {
        self.found.len() + self.refused.len() + self.mapped().len()
    }

    /// Number of bytes of its document's content.
    pub fn document_bytes(&self) -> usize {
        let TaskOutcome::Done {
            document: Some(document),
            ..
        } = &self.outcome
        else {
            return 0;
        };
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        text(&document.content_md) + text(&document.content_raw)
    }

    /// The target of a redirect that is a task of its own.
    pub fn redirect_target(&self) -> Option<&NewTask> {
        let mut found = self.found.iter();
        found
            .find(|task| task.found == Discovery::Redirect)
            .filter(|_| self.outcome.state() == TaskState::Skipped)
    }

    /// The settlement of a redirect that closes a loop: it fails.
    #[must_use]
    pub fn into_redirect_loop(mut self) -> Self {
        if let Some(target) = self.redirect_target() {
            let failure = redirect_loop(&target.url);
            self.outcome = TaskOutcome::Failed {
                kind: failure.kind,
                error: failure.message,
                bytes: self.outcome.bytes(),
            };
        }
        self
    }
}

impl TaskOutcome {
    /// Whether the page was fetched, successfully or not, and is not fetched again.
    pub fn is_fetched(&self) -> bool {
        matches!(self, Self::Done { .. } | Self::Failed { .. })
    }

    /// The state of the task afterwards.
    pub fn state(&self) -> TaskState {
        match self {
            Self::Done { .. } => TaskState::Done,
            Self::Failed { .. } => TaskState::Failed,
            Self::Skipped { .. } => TaskState::Skipped,
            Self::Retry { .. } | Self::Postponed { .. } | Self::HandBack => TaskState::Queued,
        }
    }

    /// The error message and the stable reason.
    pub fn message(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Done { .. } | Self::HandBack => (None, None),
            Self::Failed { kind, error, .. } => (Some(error), Some(kind.as_str())),
            Self::Skipped { reason, detail } => (Some(detail), Some(reason)),
            Self::Retry { error, .. } => (Some(error), Some("retry")),
            Self::Postponed { error, .. } => (Some(error), Some("postponed")),
        }
    }

    /// Body bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Done { bytes, .. } | Self::Failed { bytes, .. } => *bytes,
            Self::Skipped { .. } | Self::Retry { .. } | Self::Postponed { .. } | Self::HandBack => {
                0
            }
        }
    }
}

/// The outcome of one task, with the links found on it.
#[derive(Clone, PartialEq, Debug)]
pub struct Settlement {
    /// The lease that it is written under.
    pub lease: Lease,
    /// The task's job.
    pub job: JobId,
    /// The outcome.
    pub outcome: TaskOutcome,
    /// How long browser tabs were held for it.
    pub browser_time: Duration,
    /// Links, redirect targets and sitemap URLs that the worker's rules admit.
    pub found: Vec<NewTask>,
    /// URLs that are not followed because they belong to crawler traps.
    pub refused: Vec<RefusedUrl>,
}

/// The result of a settlement.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Settled {
    /// Leases of settlements that were written.
    pub kept: Vec<Lease>,
    /// Lost leases; nothing was written for them, except for the first of very many links.
    pub lost: Vec<Lease>,
    /// Leases of redirects that close a loop: they were written as failed.
    pub loops: Vec<Lease>,
    /// New tasks that were admitted.
    pub admitted: u64,
}
