//! Runs ignored tests of the service as processes: the long forms of what is promised to several callers.

use anyhow::{Result, bail};

use crate::postgres;
use crate::requirements::POSTGRES;
use crate::shell::{cargo, run};

/// Runs the tests whose names contain the filter, one after the other, with these variables.
pub(crate) fn run_tests(filter: &str, variables: &[(&str, String)]) -> Result<()> {
    POSTGRES.ensure()?;
    let mut command = cargo();
    command
        .args(["test", "--locked"])
        .args(["--package", "crawler-cli", "--test", "chaos"])
        .args(["--", "--ignored", "--nocapture", "--test-threads=1", filter])
        .envs(variables.iter().map(|(name, value)| (name, value)));
    postgres::pass_programs(&mut command);
    run(&mut command)
}

/// `cargo xtask tenants`: what each endpoint shows of another owner's jobs, on both stores.
pub(crate) fn tenants(args: &[&str]) -> Result<()> {
    if !args.is_empty() {
        bail!("cargo xtask tenants takes no arguments");
    }
    run_tests("tenants_on_", &[])
}
