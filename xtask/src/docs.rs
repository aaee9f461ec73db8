//! Documents generated from the code, with a check that fails when one is stale.

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, output_of, root, tell};

/// The generated files and the command line that prints each.
const GENERATED: [(&str, &[&str]); 4] = [
    ("docs/cli.md", &["man", "--markdown"]),
    ("docs/crawler.1", &["man"]),
    ("docs/openapi.json", &["config", "--openapi"]),
    ("config.example.yaml", &["config", "--example"]),
];

pub(crate) fn write() -> Result<()> {
    for (path, words) in GENERATED {
        std::fs::write(root().join(path), generate(words)?)
            .with_context(|| format!("cannot write {path}"))?;
        tell(&format!("wrote {path}"));
    }
    Ok(())
}

pub(crate) fn check() -> Result<()> {
    for (path, words) in GENERATED {
        let kept = std::fs::read_to_string(root().join(path)).unwrap_or_default();
        if kept != generate(words)? {
            bail!("{path} is stale; run cargo xtask docs and commit it");
        }
    }
    Ok(())
}

fn generate(words: &[&str]) -> Result<String> {
    output_of(
        cargo()
            .args(["run", "--quiet", "--locked", "--package", "crawler", "--"])
            .args(words),
    )
}
