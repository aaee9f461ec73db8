//! Documents generated from the code, with a check that fails when one is out of date.

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, output_of, print, root};

/// The generated files, and the arguments of `crawler` that print each.
const GENERATED: [(&str, &[&str]); 4] = [
    ("docs/cli.md", &["man", "--markdown"]),
    ("docs/crawler.1", &["man"]),
    ("docs/openapi.json", &["config", "--openapi"]),
    ("config.example.yaml", &["config", "--example"]),
];

pub(crate) fn write() -> Result<()> {
    for (path, args) in GENERATED {
        std::fs::write(root().join(path), generate(args)?)
            .with_context(|| format!("cannot write {path}"))?;
        print(&format!("wrote {path}"));
    }
    Ok(())
}

pub(crate) fn check() -> Result<()> {
    for (path, args) in GENERATED {
        let committed = std::fs::read_to_string(root().join(path)).unwrap_or_default();
        if committed != generate(args)? {
            bail!("{path} is out of date: run `cargo xtask docs` and commit the result");
        }
    }
    Ok(())
}

fn generate(args: &[&str]) -> Result<String> {
    output_of(
        cargo()
            .args([
                "run",
                "--quiet",
                "--locked",
                "--package",
                "crawler-cli",
                "--",
            ])
            .args(args),
    )
}
