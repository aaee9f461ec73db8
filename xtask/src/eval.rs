//! `cargo xtask eval <data>`: the figures of main-content extraction, in one command.
//!
//! The tool is a package of its own (`eval/`), outside the workspace, so that the extractors it
//! compares with never reach the product's lock file. Without a folder, its own tests are run: they
//! need no pages and none of the other extractors.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::shell::{self, cargo, root, tell};

const MANIFEST: &str = "eval/Cargo.toml";

/// Builds the tool with its peers and runs it over the pages in that folder.
pub(crate) fn run(folder: &Path) -> Result<()> {
    // The tool runs at the workspace's root: a relative folder is meant from here.
    let truths = folder.join("ground-truth.ndjson.gz");
    if !truths.is_file() {
        bail!(
            "{} is not there: give the folder of the labelled pages, as eval/README.md describes it",
            truths.display()
        );
    }
    let folder = folder
        .canonicalize()
        .with_context(|| format!("cannot find {}", folder.display()))?;
    let place = root().join("target").join("eval");
    std::fs::create_dir_all(&place)
        .with_context(|| format!("cannot make the folder {}", place.display()))?;
    let page = place.join("report.html");
    tell("building the evaluation tool with the extractors it compares with");
    let options = ["run", "--release", "--locked", "--features", "peers"];
    let mut command = cargo();
    command
        .args(options)
        .args(["--manifest-path", MANIFEST, "--"]);
    command.arg(folder);
    command.arg(format!("--report={}", page.display()));
    shell::run(&mut command)
}

/// The tool's own tests and lints, without pages and peers.
pub(crate) fn check() -> Result<()> {
    for (chore, rest) in [
        ("fmt", &["--check"][..]),
        (
            "clippy",
            &[
                "--locked",
                "--all-targets",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ],
        ),
        ("test", &["--locked", "--quiet"]),
    ] {
        let mut command = cargo();
        command
            .args([chore, "--manifest-path", MANIFEST])
            .args(rest);
        shell::run(&mut command)?;
    }
    Ok(())
}
