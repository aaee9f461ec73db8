//! How many files may be open: connections count, and the usual 1,024 are few.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than anybody needs, and few enough for tables made by this number.
const ENOUGH: u64 = 65_536;

/// Raises the limit as far as we may by ourselves.
pub(crate) fn raise() {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX).min(ENOUGH);
    if limit.current.is_none_or(|current| current >= most) {
        return;
    }
    let raised = Rlimit {
        current: Some(most),
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}
