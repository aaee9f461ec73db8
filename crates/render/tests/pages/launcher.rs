//! A custom program that starts the browser.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crawler_render::Chromium;
use tempfile::TempDir;

/// A script that runs before it executes Chromium, in a world-writable folder, because the browser may run as another
/// user. `$HERE` is the folder, `$CHROMIUM` the browser.
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

    /// Returns the path of a file in the same folder.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
