//! A real file system of a few megabytes, which a test can fill.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A file system in memory, mounted in a temporary folder.
pub(crate) struct SmallDisk(TempDir);

impl SmallDisk {
    /// Mounts a disk of this size (`512k`). Only root can: otherwise the test fails.
    pub(crate) fn mount(size: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output()
            .unwrap();
        assert!(
            mounted.status.success(),
            "cannot mount a file system, which needs root; `cargo xtask test` leaves out such tests: {}",
            String::from_utf8_lossy(&mounted.stderr)
        );
        Self(folder)
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
