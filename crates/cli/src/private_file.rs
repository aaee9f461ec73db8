//! Files that other users of the machine should not read: the store and state files. New ones are created with mode 0600 by the
//! crates that own them; an existing file keeps its mode.

use std::path::Path;

/// Returns what to do about a file that other users can read.
pub(crate) fn advice(path: &Path) -> Option<String> {
    is_readable_by_others(path).then(|| {
        let path = path.display();
        format!("{path} can be read by other users of this machine; chmod 600 {path}")
    })
}

/// Logs a warning about a store that other users can read.
#[cfg(feature = "service")]
pub(crate) fn warn_if_readable_by_others(path: &Path) {
    if let Some(advice) = advice(path) {
        tracing::warn!("{advice}");
    }
}

#[cfg(unix)]
fn is_readable_by_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path).map(|found| found.permissions().mode());
    mode.is_ok_and(|mode| mode & 0o066 != 0)
}

#[cfg(not(unix))]
fn is_readable_by_others(_: &Path) -> bool {
    false
}
