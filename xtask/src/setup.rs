//! What the tests need beyond Rust: a browser, a real documentation site, another crawler to compare with, and real
//! pages by the thousand.
//!
//! Installed from Debian's packages where that is possible. Where it is not, the comparison is left out by name,
//! loudly, and in CI that is an error; without a browser nothing is run at all.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::shell::{exists, run, tell};

const HANDBOOK: &str = "/usr/share/doc/debian-handbook/html/en-US";
/// Tests that compare with the outside world, by the beginning of their name.
pub(crate) const OUTSIDE_TESTS: &str = "beside_wget";
/// Tests that read the manuals of Debian's packages.
pub(crate) const MANUAL_TESTS: &str = "manuals_";
/// Manuals written with different tools: DocBook, Sphinx, AsciiDoc, texinfo, gtk-doc, and by hand with drawings in svg.
const MANUALS: [&str; 7] = [
    "apache2-doc",
    "bash-doc",
    "debian-handbook",
    "debian-policy",
    "git-doc",
    "libgtk-3-doc",
    "sqlite3-doc",
];

/// A program that must be there; installed from Debian's package of the same name where it is not.
pub(crate) fn program(name: &str, why: &str) -> Result<()> {
    if exists(name, "--version") {
        return Ok(());
    }
    tell(&format!("installing {name}: {why}"));
    if packages(&[name]).is_err() || !exists(name, "--version") {
        bail!("the program {name} is needed ({why}): install it (`apt install {name}`)");
    }
    Ok(())
}

/// Installs Debian's packages.
pub(crate) fn packages(names: &[&str]) -> Result<()> {
    run(Command::new("apt-get").args(["update", "-qq"]))?;
    run(Command::new("apt-get")
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(names)
        .env("DEBIAN_FRONTEND", "noninteractive"))
}

/// A browser for the tests that render. They never leave themselves out, so where none can be had nothing goes on.
pub(crate) fn browser() -> Result<()> {
    let named = std::env::var("CHROME").unwrap_or_default();
    let usual = ["chromium", "chromium-browser", "google-chrome"];
    let mut programs = usual.into_iter().chain([named.as_str()]);
    if programs.any(|program| !program.is_empty() && exists(program, "--version")) {
        return Ok(());
    }
    program(
        "chromium",
        "pages are rendered with it; CHROME=/path names another",
    )
}

/// Installs what is missing. False: it cannot be had here, so leave out [`OUTSIDE_TESTS`].
pub(crate) fn outside_world() -> Result<bool> {
    if is_there() {
        return Ok(true);
    }
    tell("installing wget and debian-handbook, which the comparison tests crawl");
    if installed(&["wget", "debian-handbook"]) && is_there() {
        return Ok(true);
    }
    if std::env::var_os("CI").is_some() {
        bail!("wget and debian-handbook cannot be installed, and CI must compare with them");
    }
    Ok(false)
}

/// Installs the manuals that are missing. False: they cannot be had here, so leave out [`MANUAL_TESTS`].
pub(crate) fn manuals() -> Result<bool> {
    let are_there = || {
        let folder = Path::new("/usr/share/doc");
        MANUALS.iter().all(|name| folder.join(name).is_dir())
    };
    if are_there() {
        return Ok(true);
    }
    tell("installing manuals, whose pages the scanner is tried on");
    if installed(&MANUALS) && are_there() {
        return Ok(true);
    }
    if std::env::var_os("CI").is_some() {
        bail!("{MANUALS:?} cannot be installed, and CI must read them");
    }
    Ok(false)
}

/// The same; false where that cannot be done.
fn installed(names: &[&str]) -> bool {
    exists("apt-get", "--version") && packages(names).is_ok()
}

fn is_there() -> bool {
    Path::new(HANDBOOK).join("index.html").is_file() && exists("wget", "--version")
}
