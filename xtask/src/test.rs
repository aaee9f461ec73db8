//! `cargo xtask test`: every check that a change must pass, cheapest steps first; and `cargo xtask check`, the subset
//! for daily work.

use std::time::Instant;

use anyhow::Result;

use crate::postgres::{self, Postgres};
use crate::requirements::{self, Missing, POSTGRES, SQLITE3, VALGRIND};
use crate::shell::{cargo, print, run};
use crate::{docs, features, micro, sqlx, tidy};

fn run_step(name: &str, step: impl FnOnce() -> Result<()>) -> Result<()> {
    print(&format!("── {name}"));
    let started = Instant::now();
    step()?;
    let seconds = started.elapsed().as_secs_f64();
    print(&format!("── {name}: ok ({seconds:.0} s)"));
    Ok(())
}

/// Format, tidy, lints and unit tests. Installs nothing.
pub(crate) fn check() -> Result<()> {
    let started = Instant::now();
    run_step("format", format)?;
    run_step("tidy", tidy::run)?;
    run_step("clippy", clippy)?;
    run_step("unit tests", || {
        let unit_tests = ["--workspace", "--locked", "--lib", "--bins"];
        if requirements::has_nextest() {
            let mut command = cargo();
            command.args(["nextest", "run", "--status-level=slow"]);
            run(command.args(unit_tests))
        } else {
            run(cargo().args(["test", "--quiet"]).args(unit_tests))
        }
    })?;
    let seconds = started.elapsed().as_secs_f64();
    print(&format!("── check: ok ({seconds:.0} s)"));
    Ok(())
}

/// Runs every step. Installs missing tools if that is allowed.
pub(crate) fn run_all(may_install: bool) -> Result<()> {
    let started = Instant::now();
    let mut missing = Missing::default();
    run_step("requirements", || {
        missing = requirements::prepare(may_install)?;
        Ok(())
    })?;
    run_step("format", format)?;
    run_step("tidy", tidy::run)?;
    run_step("clippy", clippy)?;
    run_step("features", features::check)?;
    let postgres = if POSTGRES.is_present() {
        Some(Postgres::from_env_or_start()?)
    } else {
        None
    };
    if let Some(postgres) = postgres.as_ref().filter(|_| SQLITE3.is_present()) {
        run_step("checked queries", || sqlx::check(postgres))?;
    }
    run_step("tests", || tests(&missing, postgres.as_ref(), &[]))?;
    drop(postgres);
    run_step("doc tests", || {
        run(cargo().args(["test", "--workspace", "--locked", "--doc", "--quiet"]))
    })?;
    run_step("docs build", || {
        let docs = ["doc", "--workspace", "--locked", "--no-deps", "--quiet"];
        run(cargo().args(docs).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    run_step("generated files", docs::check_built)?;
    if VALGRIND.is_present() {
        run_step("instruction counts", micro::check)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    print(&format!("── test: ok ({seconds:.0} s)"));
    for line in missing.lines() {
        print(&format!("── {line}"));
    }
    Ok(())
}

fn format() -> Result<()> {
    run(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Result<()> {
    let lints = ["clippy", "--workspace", "--all-targets", "--locked"];
    run(cargo().args(lints).args(["--", "-D", "warnings"]))
}

/// The number of cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

/// Runs all tests, with these further arguments of nextest.
pub(crate) fn tests(missing: &Missing, postgres: Option<&Postgres>, args: &[&str]) -> Result<()> {
    let mut command = cargo();
    command.args([
        "nextest",
        "run",
        "--workspace",
        "--locked",
        "--no-fail-fast",
    ]);
    // Most tests wait for sockets and timers: with one per core, the cores are idle half of the time.
    command.args(["--test-threads", &(2 * cores()).to_string()]);
    command.args(args);
    if let Some(postgres) = postgres {
        command.env(postgres::VARIABLE, &postgres.url);
    }
    postgres::pass_programs(&mut command);
    if let Some(filter) = missing.filter() {
        command.args(["-E", &filter]);
    }
    run(&mut command)
}
