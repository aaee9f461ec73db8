//! Playwright for comparison: its library from npm in a cache folder, with the same browser as ours.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::bench_setup::BenchSetup;
use crate::shell::{exists, output_of, print, root, run};

/// The version that was measured last.
const VERSION: &str = "1.65.0";
/// User id of `nobody`: Chromium does not run as root with its sandbox on.
const NOBODY: u32 = 65_534;

/// An installed Playwright.
pub(crate) struct Playwright {
    folder: PathBuf,
    browser: String,
}

impl Playwright {
    /// Installs it if it is missing.
    pub(crate) fn installed(setup: &BenchSetup) -> Result<Self> {
        for program in ["node", "npm"] {
            if !exists(program, "--version") {
                bail!(
                    "{program} is needed to compare with Playwright: install it (`apt install nodejs npm`)"
                );
            }
        }
        let folder = setup.cache.join(format!("playwright-{VERSION}"));
        if !folder.join("node_modules/playwright-core").is_dir() {
            print("installing playwright-core");
            std::fs::create_dir_all(&folder)?;
            run(Command::new("npm")
                .args([
                    "install",
                    "--no-fund",
                    "--no-audit",
                    "--ignore-scripts",
                    "--prefix",
                ])
                .arg(&folder)
                .arg(format!("playwright-core@{VERSION}"))
                .stdout(Stdio::null()))?;
        }
        Ok(Self {
            folder,
            browser: browser()?,
        })
    }

    /// Versions of Playwright, Node.js and the browser.
    pub(crate) fn description(&self) -> Result<String> {
        let version_of = |program: &str| output_of(Command::new(program).arg("--version"));
        let (node, browser) = (version_of("node")?, version_of(&self.browser)?);
        let browser = browser.split(" built on").next().unwrap_or_default();
        Ok(format!(
            "Playwright {VERSION} on node {}; {}",
            node.trim(),
            browser.trim()
        ))
    }

    /// Command that renders a site's pages; `contexts` is "reused" (one per tab) or "fresh" (one per page).
    pub(crate) fn command(
        &self,
        site: &str,
        pages: u64,
        tabs: usize,
        contexts: &str,
        home: &Path,
    ) -> Result<Command> {
        std::fs::create_dir_all(home)?;
        let mut command = Command::new("node");
        command
            .arg(root().join("xtask/src/bench/render.mjs"))
            .arg(&self.folder)
            .args([
                &self.browser,
                site,
                &pages.to_string(),
                &tabs.to_string(),
                contexts,
            ])
            .current_dir(home)
            .env("HOME", home)
            .env("TMPDIR", home);
        if std::fs::metadata("/proc/self")?.uid() == 0 {
            chown(home, Some(NOBODY), Some(NOBODY))?;
            command.uid(NOBODY).gid(NOBODY);
        }
        Ok(command)
    }
}

/// The browser that the crawler would use.
fn browser() -> Result<String> {
    let from_env = std::env::var("CHROME").unwrap_or_default();
    let well_known = ["chromium", "chromium-browser", "google-chrome"];
    let mut programs = [from_env.as_str()].into_iter().chain(well_known);
    let program = programs
        .find(|program| !program.is_empty() && exists(program, "--version"))
        .context("no Chromium: install it (`apt install chromium`)")?;
    let path = output_of(Command::new("sh").args(["-c", "command -v \"$1\"", "sh", program]))?;
    Ok(path.trim().to_owned())
}
