//! The measured programs, a temporary folder, and a cache folder.

use std::path::PathBuf;

use anyhow::Result;

use crate::shell::{cargo, print, run, target_folder};

/// Programs and folders of a benchmark.
pub(crate) struct BenchSetup {
    pub(crate) crawler: PathBuf,
    pub(crate) testsite: PathBuf,
    pub(crate) folder: PathBuf,
    /// Cache of downloads.
    pub(crate) cache: PathBuf,
}

impl BenchSetup {
    /// Builds the measured programs in release mode.
    pub(crate) fn build() -> Result<Self> {
        print("building in release mode");
        run(cargo()
            .args(["build", "--release", "--locked", "--quiet"])
            .args([
                "--package",
                "crawler-cli",
                "--package",
                "testsite",
                "--bins",
            ]))?;
        let target = target_folder()?;
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

impl Drop for BenchSetup {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            print(&format!(
                "{} could not be removed: {error}",
                self.folder.display()
            ));
        }
    }
}
