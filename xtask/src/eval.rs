//! `cargo xtask eval <data>`: measures main-content extraction.
//!
//! The tool (`eval/`) is outside the workspace, so that the extractors it
//! compares with never reach our lock file. Without a folder, its own tests run: they
//! need no pages and none of the other extractors.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::shell::{self, cargo, print, root};

const MANIFEST: &str = "eval/Cargo.toml";

/// Builds the tool with the other extractors and runs it on the pages in a folder.
pub(crate) fn run(folder: &Path) -> Result<()> {
    // The tool runs in the workspace root: resolve a relative folder here.
    let truths = folder.join("ground-truth.ndjson.gz");
    if !truths.is_file() {
        bail!(
            "{} does not exist: pass the folder of labeled pages that eval/README.md describes",
            truths.display()
        );
    }
    let folder = folder
        .canonicalize()
        .with_context(|| format!("cannot find {}", folder.display()))?;
    let report_folder = root().join("target").join("eval");
    std::fs::create_dir_all(&report_folder)
        .with_context(|| format!("cannot create the folder {}", report_folder.display()))?;
    let page = report_folder.join("report.html");
    print("building the evaluation tool with the extractors it compares with");
    let options = ["run", "--release", "--locked", "--features", "peers"];
    let mut command = cargo();
    command
        .args(options)
        .args(["--manifest-path", MANIFEST, "--"]);
    command.arg(folder);
    command.arg(format!("--report={}", page.display()));
    shell::run(&mut command)
}

/// Runs the tool's own tests and lints, which need neither pages nor the other extractors.
pub(crate) fn check() -> Result<()> {
    for (subcommand, rest) in [
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
            .args([subcommand, "--manifest-path", MANIFEST])
            .args(rest);
        shell::run(&mut command)?;
    }
    Ok(())
}
