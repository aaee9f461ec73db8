//! A browser that is started by a program of the test's own.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use render::Chromium;
use tempfile::TempDir;

/// A program that does something of its own before it becomes Chromium, in a folder that everybody may write to: as root
/// the browser is somebody else. `$HERE` is the folder, `$CHROMIUM` the browser.
pub(crate) struct Launcher {
    folder: TempDir,
    pub(crate) program: PathBuf,
}

impl Launcher {
    pub(crate) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("launcher");
        let chromium = Chromium::find(None).expect("these tests need a Chromium");
        let script = format!(
            "#!/bin/sh\nHERE={}\nCHROMIUM={}\n{script}\n",
            folder.path().display(),
            chromium.program().display()
        );
        std::fs::write(&program, script).unwrap();
        for path in [folder.path(), &program] {
            std::fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
        }
        Self { folder, program }
    }

    /// A file beside it.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
