//! The programs we compare with: Debian packages, and spider through a small driver in `peers/spider`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::runner::Runner;
use crate::bench::bench_setup::BenchSetup;
use crate::requirements;
use crate::shell::{cargo, output_of, print, root, run};

/// The programs that can run on this machine.
pub(crate) struct Peers {
    /// The version of each, or why it is missing.
    found: BTreeMap<Runner, Result<String>>,
    pub(crate) spider: PathBuf,
}

impl Peers {
    /// Installs and builds what is missing. One that cannot be installed is reported and left out, and its bars are missed.
    pub(crate) fn installed(setup: &BenchSetup) -> Result<Self> {
        let ours = output_of(Command::new(&setup.crawler).arg("--version"))?;
        let target = setup.cache.join("peers");
        let found = BTreeMap::from([
            (Runner::Ours, Ok(ours.trim().to_owned())),
            (Runner::Wrk, package("wrk")),
            (Runner::Wget2, package("wget2")),
            (Runner::Spider, build_spider(&target)),
        ]);
        for (runner, reason) in &found {
            if let Err(reason) = reason {
                print(&format!("{} is left out: {reason:#}", runner.name()));
            }
        }
        Ok(Self {
            found,
            spider: target.join("release/spider-peer"),
        })
    }

    /// Whether it can run.
    pub(crate) fn has(&self, runner: Runner) -> bool {
        self.found.get(&runner).is_some_and(Result::is_ok)
    }

    /// One line per program.
    pub(crate) fn describe(&self) -> Vec<String> {
        let describe = |(runner, found): (&Runner, &Result<String>)| match found {
            Ok(version) => version.clone(),
            Err(reason) => format!("{}: not measured: {reason:#}", runner.name()),
        };
        let colly = "Colly: not measured; it needs a Go toolchain and its sources";
        let all = self.found.iter().map(describe);
        all.chain([colly.to_owned()]).collect()
    }
}

/// Installs the Debian package of that name if it is missing, and returns its version.
fn package(name: &str) -> Result<String> {
    if installed(name).is_err() {
        print(&format!("installing {name} for comparison"));
        requirements::install(&[name])?;
    }
    let version = installed(name)?;
    Ok(format!("{name} {version} (Debian package)"))
}

/// Version from dpkg: wrk has no version flag that exits with 0.
fn installed(name: &str) -> Result<String> {
    output_of(Command::new("dpkg-query").args(["-W", "-f", "${Version}", name]))
}

fn build_spider(target: &Path) -> Result<String> {
    print("building the spider driver");
    // Our own build may have debug info enabled; that must not rebuild spider.
    run(cargo()
        .env_remove("CARGO_PROFILE_RELEASE_DEBUG")
        .env_remove("CARGO_PROFILE_RELEASE_STRIP")
        .args(["build", "--release", "--locked", "--quiet"])
        .current_dir(root().join("peers/spider"))
        .env("CARGO_TARGET_DIR", target))?;
    spider_version()
}

/// Version from the driver's lock file.
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
