//! Habits kept by machines: the dependency table, file sizes, names, and what must not be said.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::layers::{ROOMS, Room};
use crate::shell::{cargo, output_of, root, tell};

/// A file longer than this is more than one noun.
const MOST_LINES: usize = 500;
/// Names that say nothing.
const EMPTY_NAMES: [&str; 9] = [
    "util", "utils", "helper", "helpers", "common", "misc", "manager", "base", "shared",
];

pub(crate) fn run() -> Result<()> {
    let mut wrong = Vec::new();
    wrong.extend(wrong_arrows()?);
    wrong.extend(wrong_files()?);
    if wrong.is_empty() {
        return Ok(());
    }
    for line in &wrong {
        tell(line);
    }
    bail!("{} things are out of place", wrong.len())
}

/// Arrows that point up, crates that nobody placed, and a table in the docs that tells otherwise.
fn wrong_arrows() -> Result<Vec<String>> {
    let text =
        output_of(cargo().args(["metadata", "--format-version", "1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists packages")?;
    let ours: BTreeSet<&str> = packages
        .iter()
        .filter_map(|package| package["name"].as_str())
        .collect();
    let docs = std::fs::read_to_string(root().join("docs/architecture.md"))
        .context("docs/architecture.md is the map; it must exist")?;
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(room) = ROOMS.iter().find(|room| room.name == name) else {
            wrong.push(format!(
                "{name} has no place in the table of xtask/src/layers.rs"
            ));
            continue;
        };
        wrong.extend(wrong_uses(room, package, &ours));
        let row = table_row(room);
        if !docs.lines().any(|line| line.starts_with(&row)) {
            wrong.push(format!(
                "docs/architecture.md lacks the row that begins {row:?}"
            ));
        }
    }
    for room in &ROOMS {
        if !ours.contains(room.name) {
            wrong.push(format!(
                "{} is in the table but not in the workspace",
                room.name
            ));
        }
    }
    Ok(wrong)
}

fn wrong_uses(room: &Room, package: &Value, ours: &BTreeSet<&str>) -> Vec<String> {
    let uses = package["dependencies"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    uses.iter()
        .filter(|dependency| dependency["kind"].is_null())
        .filter_map(|dependency| dependency["name"].as_str())
        .filter(|name| ours.contains(name) && !room.may_use.contains(name))
        .map(|name| format!("{} uses {name}, which the table does not allow", room.name))
        .collect()
}

/// How the docs show a room: `| name | uses |`.
fn table_row(room: &Room) -> String {
    let uses = if room.may_use.is_empty() {
        "–".to_owned()
    } else {
        room.may_use.join(", ")
    };
    format!("| `{}` | {uses} |", room.name)
}

fn wrong_files() -> Result<Vec<String>> {
    let listed = output_of(
        Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(root()),
    )?;
    let mut wrong = Vec::new();
    for path in listed.lines().filter(|path| {
        Path::new(path)
            .extension()
            .is_some_and(|ending| ending == "rs")
    }) {
        // A file that was deleted but not committed yet is listed too.
        let Ok(text) = std::fs::read_to_string(root().join(path)) else {
            continue;
        };
        let lines = text.lines().count();
        if lines > MOST_LINES {
            wrong.push(format!("{path} has {lines} lines; at most {MOST_LINES}"));
        }
        let stem = Path::new(path)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        if EMPTY_NAMES.contains(&stem) {
            wrong.push(format!("{path}: the name says nothing"));
        }
        for (at, line) in text.lines().enumerate() {
            let told = line.trim_start();
            if told.starts_with("#[allow(") || told.starts_with("#![allow(") {
                wrong.push(format!("{path}:{}: use #[expect(…, reason = …)]", at + 1));
            }
            // One that another test starts, in an environment of its own, says so.
            if told.starts_with("#[ignore") && !told.contains("run by") {
                wrong.push(format!("{path}:{}: a test that never runs", at + 1));
            }
        }
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_arrow_that_points_up_is_found() {
        let ours = BTreeSet::from(["weburl", "model", "engine"]);
        let package = json!({"dependencies": [
            {"name": "weburl", "kind": null},
            {"name": "engine", "kind": null},
            {"name": "testsite", "kind": "dev"},
            {"name": "url", "kind": null},
        ]});
        let room = ROOMS.iter().find(|room| room.name == "model").unwrap();
        assert_eq!(
            wrong_uses(room, &package, &ours),
            ["model uses engine, which the table does not allow"]
        );
    }

    #[test]
    fn the_table_itself_points_down() {
        for (at, room) in ROOMS.iter().enumerate() {
            for used in room.may_use {
                assert!(
                    ROOMS[..at].iter().any(|lower| lower.name == *used),
                    "{} → {used}",
                    room.name
                );
            }
        }
    }
}
