//! Crate dependencies point down, and the table in the documentation matches.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::layers::{LAYERS, Layer};
use crate::shell::{cargo, output_of, root};

use super::SourceFile;

/// Dependencies that are only declared to enable their features.
const FEATURES_ONLY: [(&str, &str); 1] = [("crawler-store-postgres", "sqlx-core")];

/// Dependencies that differ from the table, crates missing from it, rows missing from the documentation, and dependencies
/// that are declared but not used.
pub(super) fn findings(files: &[SourceFile]) -> Result<Vec<String>> {
    let text =
        output_of(cargo().args(["metadata", "--format-version", "1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"]
        .as_array()
        .context("no packages in the output of cargo metadata")?;
    let names = packages
        .iter()
        .filter_map(|package| package["name"].as_str());
    let ours: BTreeSet<&str> = names.collect();
    let docs = std::fs::read_to_string(root().join("docs/architecture.md"))
        .context("cannot read docs/architecture.md")?;
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        findings.extend(unused(package, files));
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
            findings.push(format!("{name} is missing from xtask/src/layers.rs"));
            continue;
        };
        findings.extend(differences(layer, package, &ours));
        let row = table_row(layer);
        if !docs.lines().any(|line| line.starts_with(&row)) {
            findings.push(format!(
                "docs/architecture.md lacks the row that starts with {row:?}"
            ));
        }
    }
    for layer in &LAYERS {
        if !ours.contains(layer.name) {
            findings.push(format!(
                "{} is in xtask/src/layers.rs but not in the workspace",
                layer.name
            ));
        }
    }
    Ok(findings)
}

/// Differences between a crate's dependencies on our crates and its row in the table.
fn differences(layer: &Layer, package: &Value, ours: &BTreeSet<&str>) -> Vec<String> {
    let used: BTreeSet<&str> = dependencies(package)
        .filter(|(name, is_dev)| !is_dev && ours.contains(name))
        .map(|(name, _)| name)
        .collect();
    let listed: BTreeSet<&str> = layer.uses.iter().copied().collect();
    let crate_name = layer.name;
    let not_allowed = used
        .difference(&listed)
        .map(|name| format!("{crate_name} uses {name}, which xtask/src/layers.rs does not allow"));
    let not_used = listed
        .difference(&used)
        .map(|name| format!("{crate_name} does not use {name}, which xtask/src/layers.rs lists"));
    not_allowed.chain(not_used).collect()
}

/// Dependencies that no source file of the package names.
fn unused(package: &Value, files: &[SourceFile]) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let manifest = package["manifest_path"].as_str().map(Path::new);
    let folder = manifest
        .and_then(Path::parent)
        .and_then(|folder| folder.strip_prefix(root()).ok())
        .unwrap_or(Path::new(""));
    let names_it = |dependency: &str, is_dev: bool| {
        let below = if is_dev {
            folder.to_owned()
        } else {
            folder.join("src")
        };
        files
            .iter()
            .filter(|file| file.is_rust() && Path::new(&file.path).starts_with(&below))
            .any(|file| names(&file.text, &dependency.replace('-', "_")))
    };
    dependencies(package)
        .filter(|(dependency, is_dev)| {
            !names_it(dependency, *is_dev) && !FEATURES_ONLY.contains(&(name, dependency))
        })
        .map(|(dependency, _)| format!("{name} declares {dependency} and does not use it"))
        .collect()
}

/// Names of a package's dependencies, and whether only its tests use them.
fn dependencies(package: &Value) -> impl Iterator<Item = (&str, bool)> {
    let dependencies = package["dependencies"].as_array();
    dependencies.into_iter().flatten().filter_map(|dependency| {
        let name = dependency["name"].as_str()?;
        Some((name, dependency["kind"] == "dev"))
    })
}

/// Whether the code, without its comments, contains this identifier.
fn names(code: &str, identifier: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.any(|line| {
        line.match_indices(identifier).any(|(at, _)| {
            !line[..at].ends_with(is_part) && !line[at + identifier.len()..].starts_with(is_part)
        })
    })
}

/// The start of a crate's row in the documentation: `| name | uses |`, without the common prefix of the used crates.
fn table_row(layer: &Layer) -> String {
    if layer.uses.is_empty() {
        return format!("| `{}` | – |", layer.name);
    }
    let short = |name: &&str| name.strip_prefix("crawler-").unwrap_or(name).to_owned();
    let uses: Vec<String> = layer.uses.iter().map(short).collect();
    format!("| `{}` | {} |", layer.name, uses.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_dependency_that_points_up_and_a_listed_one_that_is_not_used_are_found() {
        let ours = BTreeSet::from(["crawler-weburl", "crawler-model", "crawler-engine"]);
        let package = json!({"dependencies": [
            {"name": "crawler-engine", "kind": null},
            {"name": "testsite", "kind": "dev"},
            {"name": "url", "kind": null},
        ]});
        let layer = LAYERS.iter().find(|layer| layer.name == "crawler-model");
        assert_eq!(
            differences(layer.unwrap(), &package, &ours),
            [
                "crawler-model uses crawler-engine, which xtask/src/layers.rs does not allow",
                "crawler-model does not use crawler-weburl, which xtask/src/layers.rs lists"
            ]
        );
    }

    #[test]
    fn a_dependency_that_no_source_names_is_found() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let files = [
            file(
                "crates/a/src/lib.rs",
                "use http_body::Body;\n// regex is not used\nfn f(my_url: &str) {}\n",
            ),
            file("crates/a/tests/t.rs", "let folder = tempfile::tempdir();\n"),
            file("crates/b/src/lib.rs", "use regex::Regex;\n"),
        ];
        let package = json!({
            "name": "a",
            "manifest_path": root().join("crates/a/Cargo.toml"),
            "dependencies": [
                {"name": "http-body", "kind": null},
                {"name": "regex", "kind": null},
                {"name": "tempfile", "kind": "dev"},
                {"name": "url", "kind": "dev"},
            ],
        });
        assert_eq!(
            unused(&package, &files),
            [
                "a declares regex and does not use it",
                "a declares url and does not use it"
            ]
        );
    }

    #[test]
    fn the_table_itself_points_down() {
        for (index, layer) in LAYERS.iter().enumerate() {
            for used in layer.uses {
                assert!(
                    LAYERS[..index].iter().any(|lower| lower.name == *used),
                    "{} uses {used}",
                    layer.name
                );
            }
        }
    }
}
