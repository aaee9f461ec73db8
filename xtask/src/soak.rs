//! `cargo xtask soak`: the long form of the test that renders many pages while the browser's processes are killed.
//!
//! `cargo xtask test` renders a few; from 1,000 pages on, the bounds are strict.

use anyhow::{Context, Result, bail};

use crate::setup;
use crate::shell::{cargo, run};

const PAGES: u64 = 1_000;

/// The words after `soak`: how many pages.
pub(crate) fn start(words: &[&str]) -> Result<()> {
    let pages = asked(words)?;
    setup::browser()?;
    run(cargo()
        .args(["test", "--package", "render", "--test", "soak", "--locked"])
        .args(["--", "--nocapture", "--test-threads=1", "endurance::"])
        .env("SOAK_PAGES", pages.to_string()))
}

fn asked(words: &[&str]) -> Result<u64> {
    match words {
        [] => Ok(PAGES),
        ["--pages", text] => text
            .parse()
            .with_context(|| format!("{text:?} is no number")),
        _ => bail!("cargo xtask soak [--pages N]"),
    }
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn pages_are_a_number() {
        assert_eq!(asked(&[]).unwrap(), 1_000);
        assert_eq!(asked(&["--pages", "30"]).unwrap(), 30);
        assert!(asked(&["--pages"]).is_err());
        assert!(asked(&["--pages", "many"]).is_err());
    }
}
