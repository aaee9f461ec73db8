//! Documents generated from the code, with a check that fails when one is out of date.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, output_of, print, root, target_folder};

/// The generated files, and the arguments of `crawler` that print each.
const GENERATED: [(&str, &[&str]); 4] = [
    ("docs/cli.md", &["man", "--markdown"]),
    ("docs/crawler.1", &["man"]),
    ("docs/openapi.json", &["config", "--openapi"]),
    ("config.example.yaml", &["config", "--example"]),
];

pub(crate) fn write() -> Result<()> {
    for (path, args) in GENERATED {
        let text = output_of(cargo_run().args(args))?;
        std::fs::write(root().join(path), text).with_context(|| format!("cannot write {path}"))?;
        print(&format!("wrote {path}"));
    }
    Ok(())
}

/// Checks the generated files with a program that is built first.
pub(crate) fn check() -> Result<()> {
    check_with(cargo_run)
}

/// Checks the generated files with the program that the tests of the workspace built. `cargo run` would build it again,
/// because the features of its dependencies differ when only its package is selected.
pub(crate) fn check_built() -> Result<()> {
    let program = target_folder()?.join("debug/crawler");
    if !program.is_file() {
        bail!("{} does not exist: run the tests first", program.display());
    }
    check_with(|| Command::new(&program))
}

fn check_with(program: impl Fn() -> Command) -> Result<()> {
    for (path, args) in GENERATED {
        let committed = std::fs::read_to_string(root().join(path)).unwrap_or_default();
        if committed != output_of(program().args(args))? {
            bail!("{path} is out of date: run `cargo xtask docs` and commit the result");
        }
    }
    Ok(())
}

fn cargo_run() -> Command {
    let mut command = cargo();
    command.args(["run", "--quiet", "--locked"]);
    command.args(["--package", "crawler-cli", "--"]);
    command
}
