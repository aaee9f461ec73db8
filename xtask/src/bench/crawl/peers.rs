//! The programs that ours is measured beside: from Debian's packages, and spider by a small driver in `peers/spider`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::runner::Runner;
use crate::bench::workplace::Workplace;
use crate::setup;
use crate::shell::{cargo, output_of, root, run, tell};

/// Those that can be run here.
pub(crate) struct Peers {
    /// What each says it is, ours first.
    pub(crate) versions: Vec<(Runner, String)>,
    pub(crate) spider: PathBuf,
}

impl Peers {
    /// Installs and builds what is missing.
    pub(crate) fn installed(place: &Workplace) -> Result<Self> {
        for name in ["wrk", "wget2"] {
            install(name)?;
        }
        let spider = build_spider(place)?;
        let ours = output_of(Command::new(&place.crawler).arg("--version"))?;
        Ok(Self {
            versions: vec![
                (Runner::Ours, ours.trim().to_owned()),
                (Runner::Wrk, package("wrk")?),
                (Runner::Wget2, package("wget2")?),
                (Runner::Spider, spider_version()?),
            ],
            spider,
        })
    }
}

fn install(name: &str) -> Result<()> {
    if package(name).is_ok() {
        return Ok(());
    }
    tell(&format!("installing {name}, to be measured beside"));
    setup::packages(&[name])
        .with_context(|| format!("{name} is needed: install it (`apt install {name}`)"))
}

/// A package's name and version; wrk has no flag that says it and ends well.
fn package(name: &str) -> Result<String> {
    let version = output_of(Command::new("dpkg-query").args(["-W", "-f", "${Version}", name]))?;
    Ok(format!("{name} {version} (Debian's package)"))
}

fn build_spider(place: &Workplace) -> Result<PathBuf> {
    tell("building the driver of spider");
    let target = place.cache.join("peers");
    run(cargo()
        .args(["build", "--release", "--locked", "--quiet"])
        .current_dir(root().join("peers/spider"))
        .env("CARGO_TARGET_DIR", &target))?;
    Ok(target.join("release/spider-peer"))
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

/// Why it is not among them.
pub(crate) const COLLY: &str = "not measured; it needs a Go toolchain, which was not there";
