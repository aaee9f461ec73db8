//! The GitHub workflows and templates are valid YAML, and the jobs run what they are for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

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
        let workflow = workflow(name);
        assert_eq!(workflow["permissions"]["contents"], "read", "{name}");
        for (job, description) in workflow["jobs"].as_object().unwrap() {
            // The jobs of another workflow have limits of their own.
            if description.get("uses").is_some() {
                continue;
            }
            assert!(description["timeout-minutes"].is_u64(), "{name}: {job}");
            assert!(description["runs-on"].is_string(), "{name}: {job}");
        }
    }
}

fn workflow(name: &str) -> Value {
    parse(&root().join(format!(".github/workflows/{name}.yml")))
}

fn jobs(workflow: &Value) -> Vec<&str> {
    let jobs = workflow["jobs"].as_object().unwrap();
    jobs.keys().map(String::as_str).collect()
}

fn steps(job: &Value) -> &[Value] {
    job["steps"].as_array().map_or(&[], Vec::as_slice)
}

/// The step of a job that runs a command that contains this.
#[track_caller]
fn step<'a>(job: &'a Value, command: &str) -> &'a Value {
    let runs = |step: &&Value| {
        step["run"]
            .as_str()
            .is_some_and(|run| run.contains(command))
    };
    let found = steps(job).iter().find(runs);
    found.unwrap_or_else(|| panic!("no step runs {command}: {job:#}"))
}

#[test]
fn ci_tests_on_linux_checks_on_macos_and_checks_toolchains_and_dependencies() {
    let ci = workflow("ci");
    assert_eq!(jobs(&ci), ["check", "deny", "test", "toolchains"]);
    let job = |name: &str| &ci["jobs"][name];

    // The command that developers run, with the right to create network namespaces and to mount file systems.
    assert_eq!(step(job("test"), "xtask")["run"], "cargo xtask test");
    let container = &job("test")["container"];
    assert_eq!(container["image"], "debian:bookworm");
    let options = container["options"].as_str().unwrap();
    assert!(options.split(' ').any(|one| one == "--privileged"));

    assert_eq!(job("check")["runs-on"], "macos-latest");
    step(job("check"), "cargo xtask check");
    step(job("check"), "cargo test --locked -p crawler-weburl");

    let checked = &job("toolchains")["strategy"]["matrix"]["toolchain"];
    assert_eq!(checked.as_array().unwrap()[1..], ["stable", "beta"]);
    step(job("toolchains"), "rustup toolchain install");
    step(
        job("toolchains"),
        "cargo check --workspace --all-targets --locked",
    );

    let deny = job("deny");
    let action = steps(deny).iter().find(|step| {
        let uses = step["uses"].as_str().unwrap_or_default();
        uses.starts_with("EmbarkStudios/cargo-deny-action@")
    });
    assert_eq!(
        action.unwrap()["with"]["command"],
        "check ${{ matrix.checks }}"
    );
    assert_eq!(
        deny["strategy"]["matrix"]["checks"],
        json!(["advisories", "bans licenses sources"])
    );
    // As SECURITY.md says.
    assert_eq!(
        deny["continue-on-error"],
        "${{ matrix.checks == 'advisories' && github.event_name == 'pull_request' }}"
    );
}

#[test]
fn a_release_needs_ci_notes_and_all_binaries() {
    let release = workflow("release");
    assert_eq!(jobs(&release), ["build", "ci", "notes", "release"]);
    let job = |name: &str| &release["jobs"][name];
    assert_eq!(job("ci")["uses"], "./.github/workflows/ci.yml");
    assert!(
        workflow("ci")["on"]
            .as_object()
            .unwrap()
            .contains_key("workflow_call")
    );
    assert_eq!(job("release")["needs"], json!(["ci", "notes", "build"]));
    let targets = job("build")["strategy"]["matrix"]["include"].as_array();
    assert_eq!(targets.unwrap().len(), 5);
    step(job("build"), "cargo build --profile dist --locked");
    step(job("build"), "test \"$GITHUB_REF_NAME\" = ");
    step(job("release"), "sha256sum --check SHA256SUMS");
    step(job("release"), "--notes-file notes.md");
}

#[test]
fn a_release_without_notes_fails() {
    let release = workflow("release");
    let script = step(&release["jobs"]["notes"], "notes.md")["run"]
        .as_str()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let changelog = "# Changelog\n\n## [Unreleased]\n\n- Later.\n\n## [0.2.0] - 2026-11-19\n\n- Faster.\n\n\
        ## [0.1.1]\n\n## [0.1.0]\n\n- First.\n";
    fs::write(folder.path().join("CHANGELOG.md"), changelog).unwrap();
    for (tag, notes) in [
        ("v0.2.0", Some("\n- Faster.\n\n")),
        ("v0.1.0", Some("\n- First.\n")),
        ("v0.1.1", None),
        ("v0.3.0", None),
    ] {
        let mut bash = Command::new("bash");
        bash.args(["-e", "-c", script])
            .current_dir(folder.path())
            .env("GITHUB_REF_NAME", tag);
        let output = bash.output().unwrap();
        let written = fs::read_to_string(folder.path().join("notes.md")).unwrap();
        assert_eq!(
            output.status.success(),
            notes.is_some(),
            "{tag}: {output:?}"
        );
        if let Some(notes) = notes {
            assert_eq!(written, notes, "{tag}");
        }
    }
}

/// What a branch such as `master` contains may change between two runs.
#[test]
fn actions_are_pinned_to_versions() {
    let mut used = 0;
    for name in ["ci", "release"] {
        for (_, job) in workflow(name)["jobs"].as_object().unwrap() {
            for step in steps(job) {
                let Some(action) = step["uses"].as_str() else {
                    continue;
                };
                let version = action.split_once('@').unwrap().1;
                let version = version.strip_prefix('v').unwrap_or(version);
                assert!(
                    version.starts_with(|c: char| c.is_ascii_digit()),
                    "{action}"
                );
                used += 1;
            }
        }
    }
    assert!(used >= 15, "{used}");
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
