//! Whether the disk has space for the next writes.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};

/// Free space below which the store counts as full: about what one batch of results may need.
const MIN_FREE_BYTES: usize = 1 << 20;

/// Writes a file of this size next to the store's file and removes it again. Only an actual write also detects quotas.
pub(crate) async fn check(store: &Path) -> Result<()> {
    let file = beside(store);
    let write = move || {
        let written = std::fs::write(&file, vec![0; MIN_FREE_BYTES]);
        // A file that stays behind is overwritten by the next check.
        let _ = std::fs::remove_file(&file);
        written
    };
    let written = tokio::task::spawn_blocking(write).await;
    written.map_err(Error::other)?
}

fn beside(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(".space");
    PathBuf::from(name)
}
