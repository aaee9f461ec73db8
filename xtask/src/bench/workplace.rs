//! The programs that are measured, a folder that is gone afterwards, and one that stays.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell::{cargo, output_of, run, tell};

/// Programs and a folder.
pub(crate) struct Workplace {
    pub(crate) crawler: PathBuf,
    pub(crate) testsite: PathBuf,
    pub(crate) folder: PathBuf,
    /// What is downloaded stays here.
    pub(crate) cache: PathBuf,
}

impl Workplace {
    /// Builds what is measured as it is released.
    pub(crate) fn build() -> Result<Self> {
        tell("building the release");
        run(cargo()
            .args(["build", "--release", "--locked", "--quiet"])
            .args(["--package", "crawler", "--package", "testsite", "--bins"]))?;
        let metadata = output_of(cargo().args(["metadata", "--no-deps", "--format-version=1"]))?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        let target = metadata["target_directory"].as_str();
        let target = Path::new(target.context("no target_directory")?);
        let programs = target.join("release");
        let folder = std::env::temp_dir().join(format!("crawler-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self {
            crawler: programs.join("crawler"),
            testsite: programs.join("testsite"),
            folder,
            cache: target.join("xtask"),
        })
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            tell(&format!("{} stays behind: {error}", self.folder.display()));
        }
    }
}
