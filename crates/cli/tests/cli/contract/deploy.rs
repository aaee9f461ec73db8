//! The files in `deploy/` use commands and settings that exist.

use std::path::Path;
use std::process::Command;

use crawler_service::config::SETTINGS;

use crate::api::isolated_run;
use crate::run::Run;

fn deploy_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    std::fs::read_to_string(path.join(name)).unwrap()
}

/// Asserts that the arguments are valid: with `--help` after them, an unknown one is still an error.
fn assert_known(args: &[String]) {
    Run::new(args).args(["--help"]).finish().success();
}

#[test]
fn every_command_line_is_valid() {
    let mut lines = Vec::new();
    for name in ["Containerfile", "compose.yaml"] {
        let text = deploy_file(name);
        let lists = text.lines().filter_map(|line| {
            let line = line.trim();
            let list = line
                .strip_prefix("CMD ")
                .or(line.strip_prefix("command: "))?;
            serde_json::from_str::<Vec<String>>(list).ok()
        });
        lines.extend(lists);
    }
    assert_eq!(lines.len(), 3, "{lines:?}");
    let unit = deploy_file("crawler.service");
    let start = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/crawler "));
    lines.push(start.unwrap().split(' ').map(str::to_owned).collect());
    for args in &lines {
        assert_eq!(args[0], "serve");
        assert_known(args);
    }
}

#[test]
fn every_environment_variable_exists() {
    let known: Vec<&str> = SETTINGS.iter().filter_map(|setting| setting.env).collect();
    let unit = deploy_file("crawler.service");
    for line in unit
        .lines()
        .filter_map(|line| line.strip_prefix("Environment="))
    {
        let name = line.split('=').next().unwrap();
        assert!(name == "CONFIG_PATH" || known.contains(&name), "{name}");
    }
    let compose = deploy_file("compose.yaml");
    let ours = compose.split("environment: &database\n").nth(1).unwrap();
    let name = ours.trim_start().split(':').next().unwrap();
    assert!(known.contains(&name), "{name}");
}

#[test]
fn the_configuration_described_in_compose_is_valid() {
    let compose = deploy_file("compose.yaml");
    let script: Vec<&str> = compose
        .lines()
        .filter_map(|line| line.strip_prefix("#   "))
        .filter(|line| line.starts_with("echo") || line.starts_with("printf"))
        .collect();
    assert_eq!(script.len(), 3);
    let folder = tempfile::tempdir().unwrap();
    let written = Command::new("bash")
        .args(["-e", "-c", &script.join("\n")])
        .current_dir(folder.path())
        .status();
    assert!(written.unwrap().success());
    let config = isolated_run(folder.path(), &["config"]).finish().stdout;
    assert!(config.contains("addr: 0.0.0.0:8080"), "{config}");
    assert!(config.contains("api_keys: (1 hidden)"), "{config}");
}
