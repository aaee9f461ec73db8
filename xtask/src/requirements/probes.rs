//! Whether this machine permits what some tests do. Each probe does the same as its tests.

use std::path::PathBuf;
use std::process::Command;

use crate::shell::{exists, root, succeeds};

/// Whether the script of the isolation tests can create a network namespace and set it up.
pub(super) fn has_network_namespaces() -> bool {
    let script = root().join("crates/render/tests/isolation/network.sh");
    succeeds(Command::new("sh").arg(script).arg("true"))
}

/// Whether a small file system can be mounted, and unmounted again.
pub(super) fn can_mount() -> bool {
    let folder = std::env::temp_dir().join(format!("crawler-mount-{}", std::process::id()));
    if std::fs::create_dir(&folder).is_err() {
        return false;
    }
    let tmpfs = ["-t", "tmpfs", "-o", "size=512k", "tmpfs"];
    let mounted = succeeds(Command::new("mount").args(tmpfs).arg(&folder))
        && succeeds(Command::new("umount").arg(&folder));
    // It is empty; what remains of it does no harm.
    let _ = std::fs::remove_dir(&folder);
    mounted
}

/// Whether Debian's Python can load libseccomp. Another Python in PATH may not be accessible to the user the browser runs as.
pub(super) fn has_seccomp() -> bool {
    let load = "import ctypes; ctypes.CDLL('libseccomp.so.2')";
    succeeds(Command::new("/usr/bin/python3").args(["-c", load]))
}

/// Whether `systemd-analyze` verifies units here: it accepts a valid one and reports an unknown setting.
pub(super) fn verifies_units() -> bool {
    let verify = |section: &str| {
        let unit = UnitFile::write(section)?;
        let output = Command::new("systemd-analyze")
            .arg("verify")
            .arg(&unit.0)
            .output()
            .ok()?;
        Some(String::from_utf8_lossy(&output.stderr).contains("crawler-probe"))
    };
    exists("systemd-analyze", "--version")
        && verify("ExecStart=/bin/true") == Some(false)
        && verify("ExecStart=/bin/true\nUnknownSetting=1") == Some(true)
}

/// A unit file that is deleted when dropped.
struct UnitFile(PathBuf);

impl UnitFile {
    fn write(section: &str) -> Option<Self> {
        let name = format!("crawler-probe-{}.service", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, format!("[Service]\n{section}\n")).ok()?;
        Some(Self(path))
    }
}

impl Drop for UnitFile {
    fn drop(&mut self) {
        // What remains of it does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}
