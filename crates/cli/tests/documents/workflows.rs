//! The GitHub workflows and templates are valid YAML, and CI runs the right command.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::root;

fn yaml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            yaml_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "yml") {
            found.push(path);
        }
    }
}

fn parse(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn github_files_are_valid_yaml() {
    let mut files = Vec::new();
    yaml_files(&root().join(".github"), &mut files);
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        assert!(parse(&file).is_object(), "{}", file.display());
    }
}

/// Every job has a timeout, and the default permissions are read-only.
#[test]
fn workflows_are_bounded() {
    for name in ["ci", "release"] {
        let workflow = parse(&root().join(format!(".github/workflows/{name}.yml")));
        assert_eq!(workflow["permissions"]["contents"], "read", "{name}");
        for (job, description) in workflow["jobs"].as_object().unwrap() {
            assert!(description["timeout-minutes"].is_u64(), "{name}: {job}");
            assert!(description["runs-on"].is_string(), "{name}: {job}");
        }
    }
}

#[test]
fn ci_runs_the_command_that_developers_run() {
    let ci = parse(&root().join(".github/workflows/ci.yml"));
    let steps = ci["jobs"]["test"]["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["run"] == "cargo xtask test"));
}

/// The pinned toolchain, the minimum version and the toolchain of CI are the same version.
#[test]
fn the_same_rust_version_is_named_everywhere() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let manifest = read("Cargo.toml");
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = \""))
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap();
    assert!(read("rust-toolchain.toml").contains(&format!("channel = \"{version}.0\"")));
    for name in [
        "README.md",
        "CONTRIBUTING.md",
        "docs/getting-started.md",
        "docs/versioning.md",
    ] {
        assert!(
            read(name).contains(version),
            "{name} names another version than {version}"
        );
    }
    for name in ["ci", "release"] {
        let workflow = read(&format!(".github/workflows/{name}.yml"));
        assert!(workflow.contains(&format!("{version}.0")), "{name}.yml");
    }
}
