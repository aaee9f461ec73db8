//! `cargo xtask soak`: the long form of the test that renders many pages while the browser's processes are killed.
//!
//! `cargo xtask test` renders a few pages; from 1,000 pages on, the bounds are strict.

use anyhow::Result;

use crate::requirements::CHROMIUM;
use crate::shell::{cargo, parse_count, run};

const PAGES: u64 = 1_000;

/// Parses the arguments after `soak` and renders that many pages.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let pages = parse_count(args, "--pages", PAGES, "cargo xtask soak [--pages N]")?;
    CHROMIUM.ensure()?;
    run(cargo()
        .args([
            "test",
            "--package",
            "crawler-render",
            "--test",
            "soak",
            "--locked",
        ])
        .args(["--", "--nocapture", "--test-threads=1", "endurance::"])
        .env("SOAK_PAGES", pages.to_string()))
}
