//! The tools that the tests need besides Rust, and the tests that are skipped without them.
//!
//! `cargo xtask test` prints this list before it installs anything. Tests and steps whose tool cannot be installed are
//! skipped and named at the end of the run; in CI this is an error.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::postgres;
use crate::shell::{exists, print, run};

/// A tool, or a set of files, that some tests use.
pub(crate) struct Requirement {
    name: &'static str,
    /// The part of the tests that uses it.
    purpose: &'static str,
    is_present: fn() -> bool,
    /// Debian packages that provide it.
    packages: &'static [&'static str],
    /// The nextest filter of the tests that fail without it; empty if a step is skipped instead.
    tests: &'static str,
}

const HANDBOOK: &str = "/usr/share/doc/debian-handbook/html/en-US/index.html";
/// Manuals written with different tools: DocBook, Sphinx, AsciiDoc, Texinfo, gtk-doc, and by hand with SVG drawings.
const MANUALS: [&str; 7] = [
    "apache2-doc",
    "bash-doc",
    "debian-handbook",
    "debian-policy",
    "git-doc",
    "libgtk-3-doc",
    "sqlite3-doc",
];

pub(crate) const POSTGRES: Requirement = Requirement {
    name: "Postgres",
    purpose: "the Postgres store, and the check of its queries",
    is_present: postgres::is_available,
    packages: &["postgresql"],
    tests: "package(crawler-store-postgres) | test(/postgres/) | binary(chaos)",
};
pub(crate) const CHROMIUM: Requirement = Requirement {
    name: "Chromium",
    purpose: "rendering (CHROME=/path names another)",
    is_present: has_browser,
    packages: &["chromium"],
    tests: "(package(crawler-render) & kind(test)) | test(/rendering::/) | test(/rounds_render::/) | test(/need_a_browser/)",
};
pub(crate) const SQLITE3: Requirement = Requirement {
    name: "sqlite3",
    purpose: "the check of the SQLite store's queries",
    is_present: || exists("sqlite3", "--version"),
    packages: &["sqlite3"],
    tests: "",
};
pub(crate) const VALGRIND: Requirement = Requirement {
    name: "valgrind",
    purpose: "instruction counts",
    is_present: || exists("valgrind", "--version"),
    packages: &["valgrind"],
    tests: "",
};
const CURL_AND_JQ: Requirement = Requirement {
    name: "curl and jq",
    purpose: "the commands in the documentation",
    is_present: || exists("curl", "--version") && exists("jq", "--version"),
    packages: &["curl", "jq"],
    tests: "binary(documents)",
};
const WGET: Requirement = Requirement {
    name: "wget and the Debian handbook",
    purpose: "the comparison with another crawler",
    is_present: || Path::new(HANDBOOK).is_file() && exists("wget", "--version"),
    packages: &["wget", "debian-handbook"],
    tests: "test(/wget_visits/)",
};
const HTML_MANUALS: Requirement = Requirement {
    name: "manuals in HTML",
    purpose: "the link scanner on real pages",
    is_present: || {
        let folder = Path::new("/usr/share/doc");
        MANUALS.iter().all(|name| folder.join(name).is_dir())
    },
    packages: &MANUALS,
    tests: "test(/manuals_/)",
};

/// Everything `cargo xtask test` uses.
const ALL: [&Requirement; 7] = [
    &POSTGRES,
    &CHROMIUM,
    &SQLITE3,
    &VALGRIND,
    &CURL_AND_JQ,
    &WGET,
    &HTML_MANUALS,
];

impl Requirement {
    /// Whether it is installed.
    pub(crate) fn is_present(&self) -> bool {
        (self.is_present)()
    }

    /// Installs it if it is missing, for a command that requires it.
    pub(crate) fn ensure(&self) -> Result<()> {
        if self.is_present() {
            return Ok(());
        }
        let packages = self.packages.join(" ");
        print(&format!("installing {packages}: {}", self.purpose));
        if install(self.packages).is_err() || !self.is_present() {
            bail!(
                "{} is needed for {}: install it (`apt install {packages}`)",
                self.name,
                self.purpose
            );
        }
        Ok(())
    }
}

/// The requirements that could not be installed.
#[derive(Default)]
pub(crate) struct Missing(Vec<&'static Requirement>);

impl Missing {
    /// The nextest filter of the tests that can run; `None` if all can.
    pub(crate) fn filter(&self) -> Option<String> {
        let tests = self.0.iter().map(|requirement| requirement.tests);
        let tests: Vec<&str> = tests.filter(|tests| !tests.is_empty()).collect();
        (!tests.is_empty()).then(|| format!("not ({})", tests.join(" | ")))
    }

    /// One line for each part of the tests that was not run.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines = self.0.iter().map(|requirement| {
            format!(
                "NOT RUN: {} (needs {}: `apt install {}`)",
                requirement.purpose,
                requirement.name,
                requirement.packages.join(" ")
            )
        });
        lines.collect()
    }
}

/// Prints what is needed, installs what is missing if that is wanted and possible, and returns what is still missing.
pub(crate) fn prepare(may_install: bool) -> Result<Missing> {
    let missing: Vec<&Requirement> = ALL.into_iter().filter(|one| !one.is_present()).collect();
    let packages: Vec<&str> = missing
        .iter()
        .flat_map(|one| one.packages)
        .copied()
        .collect();
    for requirement in ALL {
        let state = if requirement.is_present() {
            "found"
        } else {
            "missing"
        };
        print(&format!(
            "{state:>8}  {}: {}",
            requirement.name, requirement.purpose
        ));
    }
    if missing.is_empty() {
        return Ok(Missing::default());
    }
    if may_install && exists("apt-get", "--version") {
        print(&format!(
            "installing Debian packages: {} (--no-install leaves out the tests that need them)",
            packages.join(" ")
        ));
        // A package that cannot be installed must not prevent installing the others.
        for requirement in &missing {
            if let Err(error) = install(requirement.packages) {
                print(&format!("{}: {error:#}", requirement.name));
            }
        }
    }
    let missing = missing.into_iter().filter(|one| !one.is_present());
    let missing = Missing(missing.collect());
    if !missing.0.is_empty() && std::env::var_os("CI").is_some() {
        bail!("CI runs every test:\n{}", missing.lines().join("\n"));
    }
    Ok(missing)
}

/// Installs Debian packages.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    run(Command::new("apt-get").args(["update", "-qq"]))?;
    run(Command::new("apt-get")
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive"))
}

fn has_browser() -> bool {
    let from_env = std::env::var("CHROME").unwrap_or_default();
    let well_known = ["chromium", "chromium-browser", "google-chrome"];
    let mut programs = well_known.into_iter().chain([from_env.as_str()]);
    programs.any(|program| !program.is_empty() && exists(program, "--version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_without_their_requirement_are_filtered_out() {
        assert_eq!(Missing::default().filter(), None);
        assert!(Missing::default().lines().is_empty());
        let missing = Missing(vec![&WGET, &VALGRIND, &HTML_MANUALS]);
        assert_eq!(
            missing.filter().unwrap(),
            "not (test(/wget_visits/) | test(/manuals_/))"
        );
        assert_eq!(missing.lines().len(), 3);
        assert!(missing.lines()[1].contains("instruction counts"));
    }
}
