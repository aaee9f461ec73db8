//! Where Chromium is.

use std::env;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What it is called, the usual first.
const NAMES: [&str; 6] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "chromium-headless-shell",
];
/// Where it is on a Mac.
const ELSEWHERE: [&str; 2] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// A Chromium that is there and can be started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chromium {
    program: PathBuf,
}

/// There is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{words}")]
pub struct ChromiumMissing {
    words: String,
}

impl Chromium {
    /// The one that is named, else the one `CHROME` names, else the first of the usual names on the path. One that is
    /// named and not there is an error, not a reason to take another.
    pub fn find(named: Option<&Path>) -> Result<Self, ChromiumMissing> {
        let chrome = env::var_os("CHROME").filter(|value| !value.is_empty());
        let path = env::var_os("PATH").unwrap_or_default();
        Self::find_among(named, chrome, &path)
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
            // A bare name is looked for as a shell would.
            let found = if program.components().count() == 1 {
                on_path(path, &program)
            } else {
                Some(program.clone()).filter(|program| can_run(program))
            };
            return found
                .map(|program| Self { program })
                .ok_or_else(|| ChromiumMissing {
                    words: format!(
                        "there is no Chromium at {}, which {by} names: correct it, or leave it out to have it looked for; {INSTALL}",
                        program.display()
                    ),
                });
        }
        NAMES
            .iter()
            .find_map(|name| on_path(path, Path::new(name)))
            .or_else(|| {
                let there = ELSEWHERE.map(PathBuf::from);
                there.into_iter().find(|program| can_run(program))
            })
            .map(|program| Self { program })
            .ok_or_else(|| ChromiumMissing {
                words: format!(
                    "pages cannot be rendered: there is no Chromium on the path ({}); {INSTALL}",
                    NAMES.join(", ")
                ),
            })
    }

    /// Where it is.
    pub fn program(&self) -> &Path {
        &self.program
    }
}

const INSTALL: &str = "to install it: apt-get install chromium (Debian, Ubuntu), dnf install chromium (Fedora), \
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
    fn the_named_one_then_chrome_then_the_usual_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().as_os_str().to_owned();
        let find = |named: Option<&Path>, chrome: Option<&Path>| {
            let chrome = chrome.map(|chrome| chrome.as_os_str().to_owned());
            Chromium::find_among(named, chrome, &path).map(|found| found.program)
        };
        let words = find(None, None).unwrap_err().to_string();
        assert!(words.contains("apt-get install chromium"), "{words}");
        program(folder.path(), "chromium", 0o644);
        let usual = program(folder.path(), "google-chrome", 0o755);
        assert_eq!(find(None, None), Ok(usual));
        let mine = program(folder.path(), "mine", 0o755);
        assert_eq!(find(None, Some(&mine)), Ok(mine.clone()));
        assert_eq!(find(None, Some(Path::new("mine"))), Ok(mine.clone()));
        let other = program(folder.path(), "other", 0o755);
        assert_eq!(find(Some(&other), Some(&mine)), Ok(other));
        let words = find(Some(Path::new("/no/such")), Some(&mine)).unwrap_err();
        let words = words.to_string();
        assert!(
            words.contains("/no/such, which browser.program names"),
            "{words}"
        );
    }
}
