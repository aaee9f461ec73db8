//! What the tests need besides Rust: tools, files and rights. And the tests that are left out without them.
//!
//! `cargo xtask test` prints this list before it installs anything. Tests and steps whose requirement is missing are
//! left out and named at the end of the run; in CI this is an error. The tests themselves do not skip anything: without
//! its requirement, a test fails.

mod probes;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::postgres;
use crate::shell::{cargo, exists, print, run};

/// A tool, a set of files or a right that some tests use.
pub(crate) struct Requirement {
    name: &'static str,
    /// The part of the tests that uses it.
    purpose: &'static str,
    is_present: fn() -> bool,
    /// Debian packages that provide it.
    packages: &'static [&'static str],
    /// How to get the rights it needs, which cannot be installed; empty if the packages are enough.
    rights: &'static str,
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
    rights: "",
    tests: "package(crawler-store-postgres) | test(/postgres/) | binary(chaos)",
};
pub(crate) const CHROMIUM: Requirement = Requirement {
    name: "Chromium",
    purpose: "rendering (CHROME=/path names another)",
    is_present: has_browser,
    packages: &["chromium"],
    rights: "",
    tests: "(package(crawler-render) & kind(test)) | test(/rendering::/) | test(/rounds_render::/) | test(/need_a_browser/)",
};
pub(crate) const SQLITE3: Requirement = Requirement {
    name: "sqlite3",
    purpose: "the check of the SQLite store's queries",
    is_present: || exists("sqlite3", "--version"),
    packages: &["sqlite3"],
    rights: "",
    tests: "",
};
pub(crate) const VALGRIND: Requirement = Requirement {
    name: "valgrind",
    purpose: "instruction counts",
    is_present: || exists("valgrind", "--version"),
    packages: &["valgrind"],
    rights: "",
    tests: "",
};
const CURL_AND_JQ: Requirement = Requirement {
    name: "curl and jq",
    purpose: "the commands in the documentation",
    is_present: || exists("curl", "--version") && exists("jq", "--version"),
    packages: &["curl", "jq"],
    rights: "",
    tests: "binary(documents)",
};
const WGET: Requirement = Requirement {
    name: "wget and the Debian handbook",
    purpose: "the comparison with another crawler",
    is_present: || Path::new(HANDBOOK).is_file() && exists("wget", "--version"),
    packages: &["wget", "debian-handbook"],
    rights: "",
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
    rights: "",
    tests: "test(/manuals_/)",
};

const NETWORK_NAMESPACES: Requirement = Requirement {
    name: "network namespaces",
    purpose: "the isolation of rendered pages from private networks",
    is_present: probes::has_network_namespaces,
    packages: &["iproute2", "util-linux"],
    rights: AS_ROOT,
    tests: "(package(crawler-render) & binary(isolation) & test(/^channels::/))",
};
pub(crate) const SMALL_DISKS: Requirement = Requirement {
    name: "mounting a file system",
    purpose: "full disks",
    is_present: probes::can_mount,
    packages: &["mount"],
    rights: AS_ROOT,
    tests: "test(/a_full_disk_is_survived/) | test(/a_disk_that_fills_in_the_middle/) | test(/an_output_or_state_file_fills_the_disk/)",
};
const SECCOMP: Requirement = Requirement {
    name: "libseccomp",
    purpose: "the seccomp profile for containers",
    is_present: probes::has_seccomp,
    packages: &["libseccomp2", "python3-minimal"],
    rights: "",
    tests: "(package(crawler-render) & test(/^seccomp::/))",
};
const SYSTEMD: Requirement = Requirement {
    name: "systemd-analyze",
    purpose: "the systemd units",
    is_present: probes::verifies_units,
    packages: &["systemd"],
    rights: "",
    tests: "test(/systemd_accepts_the_units/)",
};

const AS_ROOT: &str = "run as root, in a container with `--privileged`";

/// Everything that some tests and steps of `cargo xtask test` use. All tests need cargo-nextest.
const ALL: [&Requirement; 11] = [
    &POSTGRES,
    &CHROMIUM,
    &SQLITE3,
    &VALGRIND,
    &CURL_AND_JQ,
    &WGET,
    &HTML_MANUALS,
    &NETWORK_NAMESPACES,
    &SMALL_DISKS,
    &SECCOMP,
    &SYSTEMD,
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
                "{}: missing, needed for {} ({})",
                self.name,
                self.purpose,
                self.remedy()
            );
        }
        Ok(())
    }

    /// What to do if it is missing.
    fn remedy(&self) -> String {
        let packages = format!("`apt install {}`", self.packages.join(" "));
        if self.rights.is_empty() {
            packages
        } else {
            format!("{packages}; {}", self.rights)
        }
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
                "NOT RUN: {} (needs {}: {})",
                requirement.purpose,
                requirement.name,
                requirement.remedy()
            )
        });
        lines.collect()
    }
}

/// Prints what is needed, installs what is missing if that is wanted and possible, and returns what is still missing.
pub(crate) fn prepare(may_install: bool) -> Result<Missing> {
    let has_nextest = has_nextest();
    print_state(has_nextest, "cargo-nextest", "running the tests");
    let missing: Vec<&Requirement> = ALL.into_iter().filter(|one| !one.is_present()).collect();
    let packages: Vec<&str> = missing
        .iter()
        .flat_map(|one| one.packages)
        .copied()
        .collect();
    for requirement in ALL {
        let is_missing = missing.iter().any(|one| one.name == requirement.name);
        print_state(!is_missing, requirement.name, requirement.purpose);
    }
    if !has_nextest {
        ensure_nextest(may_install)?;
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

fn print_state(is_present: bool, name: &str, purpose: &str) {
    let state = if is_present { "found" } else { "missing" };
    print(&format!("{state:>8}  {name}: {purpose}"));
}

/// Whether cargo-nextest is installed.
pub(crate) fn has_nextest() -> bool {
    exists("cargo-nextest", "--version")
}

/// Installs cargo-nextest, without which no test can be run, if that is allowed.
fn ensure_nextest(may_install: bool) -> Result<()> {
    let install = ["install", "--locked", "cargo-nextest"];
    let command = format!("cargo {}", install.join(" "));
    let needed = || format!("the tests need cargo-nextest: `{command}`");
    if !may_install {
        bail!(needed());
    }
    print(&format!("installing cargo-nextest: {command}"));
    run(cargo().args(install)).with_context(needed)
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

    #[test]
    fn rights_that_cannot_be_installed_are_named() {
        let missing = Missing(vec![&SMALL_DISKS, &SECCOMP]);
        let lines = missing.lines();
        assert!(
            lines[0].starts_with("NOT RUN: full disks") && lines[0].contains("as root"),
            "{lines:?}"
        );
        assert!(!lines[1].contains("as root"), "{lines:?}");
    }

    /// A filter that matches no test would leave tests in that fail, and name them as left out.
    #[test]
    fn filters_name_tests_that_exist() {
        let tests = |filter: &str| -> Vec<String> {
            let names = filter.split("test(/").skip(1);
            let names = names.filter_map(|rest| rest.split_once("/)"));
            names.map(|(name, _)| name.to_owned()).collect()
        };
        let files = rust_files(&crate::shell::root().join("crates"));
        for requirement in ALL {
            for name in tests(requirement.tests) {
                let word = name.trim_start_matches('^').trim_end_matches("::");
                let mut lines = files.iter().flat_map(|text| text.lines());
                let exists = lines.any(|line| declares(line, word));
                assert!(exists, "{}: {name}", requirement.name);
            }
        }
    }

    /// Whether a line declares a function or a module with this in its name.
    fn declares(line: &str, word: &str) -> bool {
        let line = line.trim_start();
        let mut starts = ["fn ", "async fn ", "mod "].into_iter();
        starts.any(|start| line.starts_with(start)) && line.contains(word)
    }

    fn rust_files(folder: &Path) -> Vec<String> {
        let mut texts = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                texts.extend(rust_files(&path));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                texts.push(std::fs::read_to_string(path).unwrap());
            }
        }
        texts
    }
}
