//! Finds Chromium.

use std::env;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::processes;

/// Program names, in order of preference.
const PROGRAM_NAMES: [&str; 6] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "chromium-headless-shell",
];
/// Without `/proc` neither the sandbox nor the memory and the CPU time of a page can be checked.
const NOT_LINUX: &str = "pages are rendered only on Linux, where the browser's sandbox and its use of memory can be checked in /proc; \
     without rendering, pages are fetched by HTTP";

/// An executable Chromium.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chromium {
    program: PathBuf,
}

/// No Chromium was found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ChromiumMissing {
    message: String,
}

impl Chromium {
    /// Finds Chromium: `named`, or else the value of `CHROME`, or else the first known program name on the path. A
    /// configured program that does not exist is an error, and so is a system on which a browser cannot be supervised.
    pub fn find(named: Option<&Path>) -> Result<Self, ChromiumMissing> {
        let chrome = env::var_os("CHROME").filter(|value| !value.is_empty());
        let path = env::var_os("PATH").unwrap_or_default();
        Self::find_on_system(Path::new(processes::FOLDER), named, chrome, &path)
    }

    fn find_on_system(
        processes: &Path,
        named: Option<&Path>,
        chrome: Option<OsString>,
        path: &OsString,
    ) -> Result<Self, ChromiumMissing> {
        if !processes.join("self/stat").is_file() {
            return Err(ChromiumMissing {
                message: NOT_LINUX.to_owned(),
            });
        }
        Self::find_among(named, chrome, path)
    }

    fn find_among(
        named: Option<&Path>,
        chrome: Option<OsString>,
        path: &OsString,
    ) -> Result<Self, ChromiumMissing> {
        let (named, by) = match (named, chrome) {
            (Some(named), _) => (Some(named.to_owned()), "browser.program"),
            (None, chrome) => (chrome.map(PathBuf::from), "CHROME"),
        };
        if let Some(program) = named {
            // A bare name is searched on the path.
            let found = if program.components().count() == 1 {
                on_path(path, &program)
            } else {
                Some(program.clone()).filter(|program| can_run(program))
            };
            return found
                .map(|program| Self { program })
                .ok_or_else(|| ChromiumMissing {
                    message: format!(
                        "no Chromium at {}, set by {by}: correct the path, or remove the setting to search PATH; {INSTALL_HINT}",
                        program.display()
                    ),
                });
        }
        PROGRAM_NAMES
            .iter()
            .find_map(|name| on_path(path, Path::new(name)))
            .map(|program| Self { program })
            .ok_or_else(|| ChromiumMissing {
                message: format!(
                    "pages cannot be rendered: no Chromium in PATH ({}); {INSTALL_HINT}",
                    PROGRAM_NAMES.join(", ")
                ),
            })
    }

    /// Returns its path.
    pub fn program(&self) -> &Path {
        &self.program
    }
}

const INSTALL_HINT: &str = "to install it: apt-get install chromium (Debian, Ubuntu), dnf install chromium (Fedora), \
     or set CHROME to the program's path";

fn on_path(path: &OsString, name: &Path) -> Option<PathBuf> {
    env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|program| can_run(program))
}

fn can_run(program: &Path) -> bool {
    program
        .metadata()
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let program = folder.join(name);
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
        program
    }

    #[test]
    fn there_is_no_browser_on_a_system_that_does_not_show_its_processes() {
        let folder = tempfile::tempdir().unwrap();
        let custom = program(folder.path(), "chromium", 0o755);
        let path = folder.path().as_os_str().to_owned();
        let processes = folder.path().join("proc");
        let find = || Chromium::find_on_system(&processes, Some(&custom), None, &path);
        let message = find().unwrap_err().to_string();
        assert!(message.contains("only on Linux"), "{message}");
        fs::create_dir_all(processes.join("self")).unwrap();
        fs::write(processes.join("self/stat"), "").unwrap();
        assert!(find().is_ok());
    }

    #[test]
    fn the_configured_program_then_chrome_then_known_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().as_os_str().to_owned();
        let find = |named: Option<&Path>, chrome: Option<&Path>| {
            let chrome = chrome.map(|chrome| chrome.as_os_str().to_owned());
            Chromium::find_among(named, chrome, &path).map(|found| found.program)
        };
        let message = find(None, None).unwrap_err().to_string();
        assert!(message.contains("apt-get install chromium"), "{message}");
        program(folder.path(), "chromium", 0o644);
        let known_name = program(folder.path(), "google-chrome", 0o755);
        assert_eq!(find(None, None), Ok(known_name));
        let custom = program(folder.path(), "custom", 0o755);
        assert_eq!(find(None, Some(&custom)), Ok(custom.clone()));
        assert_eq!(find(None, Some(Path::new("custom"))), Ok(custom.clone()));
        let other = program(folder.path(), "other", 0o755);
        assert_eq!(find(Some(&other), Some(&custom)), Ok(other));
        let message = find(Some(Path::new("/no/such")), Some(&custom)).unwrap_err();
        let message = message.to_string();
        assert!(
            message.contains("/no/such, set by browser.program"),
            "{message}"
        );
    }
}
