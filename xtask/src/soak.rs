//! `cargo xtask soak`: the long form of the test that renders many pages while the browser's processes are killed.
//!
//! `cargo xtask test` renders a few pages; from 1,000 pages on, the bounds are strict.

use anyhow::{Context, Result, bail};

use crate::requirements::CHROMIUM;
use crate::shell::{cargo, run};

const PAGES: u64 = 1_000;

/// Parses the arguments after `soak` and renders that many pages.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let pages = parse(args)?;
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

fn parse(args: &[&str]) -> Result<u64> {
    match args {
        [] => Ok(PAGES),
        ["--pages", text] => text
            .parse()
            .with_context(|| format!("{text:?} is not a number")),
        _ => bail!("cargo xtask soak [--pages N]"),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_number_of_pages_is_parsed() {
        assert_eq!(parse(&[]).unwrap(), 1_000);
        assert_eq!(parse(&["--pages", "30"]).unwrap(), 30);
        assert!(parse(&["--pages"]).is_err());
        assert!(parse(&["--pages", "many"]).is_err());
    }
}
