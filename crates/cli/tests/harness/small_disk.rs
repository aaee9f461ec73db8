//! A real file system of a few megabytes, which a test can fill.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A file system in memory, mounted in a temporary folder.
pub(crate) struct SmallDisk(TempDir);

impl SmallDisk {
    /// Mounts a disk of this size (`512k`). Only root can: otherwise this prints that the test was not run, which the
    /// runner shows at the end, and returns `None`.
    pub(crate) fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|mounted| mounted.status.success()) {
            return Some(Self(folder));
        }
        // Nothing can be done if stderr is closed.
        let _ = writeln!(
            std::io::stderr(),
            "NOT RUN: a small disk cannot be mounted here"
        );
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a process that is about to end may still have files open.
        let _ = Command::new("umount").arg("-l").arg(self.path()).output();
    }
}
