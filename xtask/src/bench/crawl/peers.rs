//! The programs that ours is measured beside: from Debian's packages, and spider by a small driver in `peers/spider`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::runner::Runner;
use crate::bench::workplace::Workplace;
use crate::setup;
use crate::shell::{cargo, output_of, root, run, tell};

/// Those that can be run here.
pub(crate) struct Peers {
    /// What each is, or why it is not there.
    found: BTreeMap<Runner, Result<String>>,
    pub(crate) spider: PathBuf,
}

impl Peers {
    /// Installs and builds what is missing. One that cannot be had is left out, loudly: its bars do not hold.
    pub(crate) fn installed(place: &Workplace) -> Result<Self> {
        let ours = output_of(Command::new(&place.crawler).arg("--version"))?;
        let target = place.cache.join("peers");
        let found = BTreeMap::from([
            (Runner::Ours, Ok(ours.trim().to_owned())),
            (Runner::Wrk, package("wrk")),
            (Runner::Wget2, package("wget2")),
            (Runner::Spider, build_spider(&target)),
        ]);
        for (runner, reason) in &found {
            if let Err(reason) = reason {
                tell(&format!("{} is left out: {reason:#}", runner.name()));
            }
        }
        Ok(Self {
            found,
            spider: target.join("release/spider-peer"),
        })
    }

    /// Whether it can be run.
    pub(crate) fn has(&self, runner: Runner) -> bool {
        self.found.get(&runner).is_some_and(Result::is_ok)
    }

    /// A line for each.
    pub(crate) fn said(&self) -> Vec<String> {
        let said = |(runner, found): (&Runner, &Result<String>)| match found {
            Ok(version) => version.clone(),
            Err(reason) => format!("{}: not measured: {reason:#}", runner.name()),
        };
        let colly = "Colly: not measured; it needs a Go toolchain and its sources";
        let all = self.found.iter().map(said);
        all.chain([colly.to_owned()]).collect()
    }
}

/// Debian's package of that name, installed where it is missing, with its version.
fn package(name: &str) -> Result<String> {
    if installed(name).is_err() {
        tell(&format!("installing {name}, to be measured beside"));
        setup::packages(&[name])?;
    }
    let version = installed(name)?;
    Ok(format!("{name} {version} (Debian's package)"))
}

/// Asked of the packages: wrk has no flag that says its version and ends well.
fn installed(name: &str) -> Result<String> {
    output_of(Command::new("dpkg-query").args(["-W", "-f", "${Version}", name]))
}

fn build_spider(target: &Path) -> Result<String> {
    tell("building the driver of spider");
    run(cargo()
        .args(["build", "--release", "--locked", "--quiet"])
        .current_dir(root().join("peers/spider"))
        .env("CARGO_TARGET_DIR", target))?;
    spider_version()
}

/// From the driver's lock file.
fn spider_version() -> Result<String> {
    let lock = std::fs::read_to_string(root().join("peers/spider/Cargo.lock"))?;
    let version = lock
        .split("[[package]]")
        .find_map(|package| {
            package
                .trim()
                .strip_prefix("name = \"spider\"\nversion = \"")
        })
        .and_then(|rest| rest.split('"').next())
        .context("no spider in peers/spider/Cargo.lock")?;
    Ok(format!("spider {version} (crate, default features)"))
}
