//! Raises the limit on open files: connections count too, and the usual 1,024 are too few.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Enough for any crawl, and small enough for programs that allocate a table of this size.
const MAX_OPEN_FILES: u64 = 65_536;

/// Raises the soft limit as far as the hard limit allows.
pub(crate) fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let target = limit.maximum.unwrap_or(u64::MAX).min(MAX_OPEN_FILES);
    if limit.current.is_none_or(|current| current >= target) {
        return;
    }
    let raised = Rlimit {
        current: Some(target),
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "cannot raise the limit on open files");
    }
}
