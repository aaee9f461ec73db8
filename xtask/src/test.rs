//! `cargo xtask test`: everything that must hold before a change lands, in the order it is cheapest to fail.

use std::time::Instant;

use anyhow::Result;

use crate::postgres::{self, Postgres};
use crate::setup::{self, MANUAL_TESTS, OUTSIDE_TESTS};
use crate::shell::{self, cargo, exists, tell};
use crate::{docs, micro, sqlx, tidy};

fn run_step(name: &str, step: impl FnOnce() -> Result<()>) -> Result<()> {
    tell(&format!("── {name}"));
    let begun = Instant::now();
    step()?;
    tell(&format!(
        "── {name}: ok ({:.0} s)",
        begun.elapsed().as_secs_f64()
    ));
    Ok(())
}

pub(crate) fn run() -> Result<()> {
    let begun = Instant::now();
    let mut left_out = Vec::new();
    run_step("setup", || {
        if !setup::outside_world()? {
            left_out.push((OUTSIDE_TESTS, "install wget and debian-handbook"));
        }
        if !setup::manuals()? {
            left_out.push((MANUAL_TESTS, "install what xtask/src/setup.rs names"));
        }
        for name in ["curl", "jq"] {
            setup::program(name, "the README's lines about the service use it")?;
        }
        setup::browser()
    })?;
    run_step("format", || {
        shell::run(cargo().args(["fmt", "--all", "--check"]))
    })?;
    run_step("tidy", tidy::run)?;
    run_step("clippy", || {
        let lints = [
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ];
        shell::run(cargo().args(lints))
    })?;
    let postgres = Postgres::at_hand()?;
    run_step("checked queries", || sqlx::check(&postgres))?;
    run_step("tests", || tests(&left_out, &postgres))?;
    drop(postgres);
    run_step("doc tests", || {
        shell::run(cargo().args(["test", "--workspace", "--locked", "--doc", "--quiet"]))
    })?;
    run_step("docs build", || {
        let docs = ["doc", "--workspace", "--locked", "--no-deps", "--quiet"];
        shell::run(cargo().args(docs).env("RUSTDOCFLAGS", "-D warnings"))
    })?;
    run_step("generated files", docs::check)?;
    run_step("instruction counts", micro::check)?;
    tell(&format!(
        "── all of it: ok ({:.0} s)",
        begun.elapsed().as_secs_f64()
    ));
    for (tests, remedy) in left_out {
        tell(&format!("── NOT RUN: {tests}…; {remedy} to run it"));
    }
    Ok(())
}

/// nextest where present, else plain cargo.
fn tests(left_out: &[(&str, &str)], postgres: &Postgres) -> Result<()> {
    let mut command = cargo();
    command.env(postgres::VARIABLE, &postgres.url);
    if exists("cargo-nextest", "--version") {
        command.args([
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--no-fail-fast",
        ]);
        if !left_out.is_empty() {
            let names = left_out.iter().map(|(tests, _)| format!("test({tests})"));
            let names: Vec<String> = names.collect();
            command.args(["-E", &format!("not ({})", names.join(" or "))]);
        }
    } else {
        command.args([
            "test",
            "--workspace",
            "--locked",
            "--no-fail-fast",
            "--all-targets",
        ]);
        if !left_out.is_empty() {
            command.arg("--");
            for (tests, _) in left_out {
                command.args(["--skip", tests]);
            }
        }
    }
    shell::run(&mut command)
}
