//! The files in `deploy/`: what they say about the binary is true.

use std::path::Path;
use std::process::Command;

use service::config::SETTINGS;

fn kept(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    std::fs::read_to_string(path.join(name)).unwrap()
}

/// A command line with `--help` at its end: fails on the first word that there is not.
fn is_known(words: &[String]) {
    let output = Command::new(env!("CARGO_BIN_EXE_crawler"))
        .args(words)
        .arg("--help")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
}

#[test]
fn every_command_line_can_be_read() {
    let mut lines = Vec::new();
    for name in ["Containerfile", "compose.yaml"] {
        let text = kept(name);
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
    let unit = kept("crawler.service");
    let start = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/crawler "));
    lines.push(start.unwrap().split(' ').map(str::to_owned).collect());
    for words in &lines {
        assert_eq!(words[0], "serve");
        is_known(words);
    }
}

#[test]
fn every_variable_is_one_of_ours() {
    let known: Vec<&str> = SETTINGS.iter().filter_map(|setting| setting.env).collect();
    let unit = kept("crawler.service");
    for line in unit
        .lines()
        .filter_map(|line| line.strip_prefix("Environment="))
    {
        let name = line.split('=').next().unwrap();
        assert!(name == "CONFIG_PATH" || known.contains(&name), "{name}");
    }
    let compose = kept("compose.yaml");
    let ours = compose.split("environment: &database\n").nth(1).unwrap();
    let name = ours.trim_start().split(':').next().unwrap();
    assert!(known.contains(&name), "{name}");
}

#[test]
fn the_configuration_that_compose_tells_to_write_can_be_used() {
    let compose = kept("compose.yaml");
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
    let output = Command::new(env!("CARGO_BIN_EXE_crawler"))
        .arg("config")
        .current_dir(folder.path())
        .env_clear()
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("addr: 0.0.0.0:8080"), "{told}");
    assert!(told.contains("api_keys: (1 hidden)"), "{told}");
}
