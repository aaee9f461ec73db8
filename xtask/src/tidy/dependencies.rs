//! Crate dependencies point down, and the table in the documentation matches.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::layers::{LAYERS, Layer};
use crate::shell::{cargo, output_of, root};

/// Dependencies that the table does not allow, crates missing from it, and rows missing from the documentation.
pub(super) fn findings() -> Result<Vec<String>> {
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
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
            findings.push(format!("{name} is missing from xtask/src/layers.rs"));
            continue;
        };
        findings.extend(disallowed(layer, package, &ours));
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

fn disallowed(layer: &Layer, package: &Value, ours: &BTreeSet<&str>) -> Vec<String> {
    let dependencies = package["dependencies"].as_array();
    dependencies
        .into_iter()
        .flatten()
        .filter(|dependency| dependency["kind"].is_null())
        .filter_map(|dependency| dependency["name"].as_str())
        .filter(|name| ours.contains(name) && !layer.may_use.contains(name))
        .map(|name| {
            format!(
                "{} uses {name}, which xtask/src/layers.rs does not allow",
                layer.name
            )
        })
        .collect()
}

/// The start of a crate's row in the documentation: `| name | uses |`, without the common prefix of the used crates.
fn table_row(layer: &Layer) -> String {
    if layer.may_use.is_empty() {
        return format!("| `{}` | – |", layer.name);
    }
    let short = |name: &&str| name.strip_prefix("crawler-").unwrap_or(name).to_owned();
    let uses: Vec<String> = layer.may_use.iter().map(short).collect();
    format!("| `{}` | {} |", layer.name, uses.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_dependency_that_points_up_is_found() {
        let ours = BTreeSet::from(["crawler-weburl", "crawler-model", "crawler-engine"]);
        let package = json!({"dependencies": [
            {"name": "crawler-weburl", "kind": null},
            {"name": "crawler-engine", "kind": null},
            {"name": "testsite", "kind": "dev"},
            {"name": "url", "kind": null},
        ]});
        let layer = LAYERS.iter().find(|layer| layer.name == "crawler-model");
        assert_eq!(
            disallowed(layer.unwrap(), &package, &ours),
            ["crawler-model uses crawler-engine, which xtask/src/layers.rs does not allow"]
        );
    }

    #[test]
    fn the_table_itself_points_down() {
        for (index, layer) in LAYERS.iter().enumerate() {
            for used in layer.may_use {
                assert!(
                    LAYERS[..index].iter().any(|lower| lower.name == *used),
                    "{} uses {used}",
                    layer.name
                );
            }
        }
    }
}
