//! The files in `deploy/` use commands and settings that exist.

use std::path::{Path, PathBuf};
use std::process::Command;

use crawler_service::config::SETTINGS;
use serde_json::{Value, json};

use crate::api::isolated_run;
use crate::run::Run;

fn deploy_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    std::fs::read_to_string(path.join(name)).unwrap()
}

const UNITS: [&str; 2] = ["crawler.service", "crawler-render.service"];

fn compose() -> Value {
    serde_saphyr::from_str(&deploy_file("compose.yaml")).unwrap()
}

fn service_of(compose: &Value, name: &str) -> Value {
    compose["services"][name].clone()
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
    assert_eq!(lines.len(), 4, "{lines:?}");
    for name in UNITS {
        let unit = deploy_file(name);
        let start = unit
            .lines()
            .find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/crawler "));
        lines.push(start.unwrap().split(' ').map(str::to_owned).collect());
    }
    for args in &lines {
        assert_eq!(args[0], "serve");
        assert_known(args);
    }
}

#[test]
fn every_environment_variable_exists() {
    let known: Vec<&str> = SETTINGS.iter().filter_map(|setting| setting.env).collect();
    for unit in UNITS.map(deploy_file) {
        for line in unit
            .lines()
            .filter_map(|line| line.strip_prefix("Environment="))
        {
            let name = line.split('=').next().unwrap();
            assert!(name == "CONFIG_PATH" || known.contains(&name), "{name}");
        }
    }
    for service in ["api", "worker", "render"] {
        for name in service_of(&compose(), service)["environment"]
            .as_object()
            .unwrap()
            .keys()
        {
            assert!(known.contains(&name.as_str()), "{name}");
        }
    }
}

/// The process with the browser can reach neither the database nor anything else that it does not need.
#[test]
fn the_browser_is_confined_in_compose() {
    let compose = compose();
    for name in ["api", "worker", "render"] {
        let service = service_of(&compose, name);
        assert_eq!(service["cap_drop"], json!(["ALL"]), "{name}");
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["init"], true, "{name}");
        assert!(service["pids_limit"].as_u64().is_some(), "{name}");
        assert!(service["mem_limit"].as_str().is_some(), "{name}");
        let options = service["security_opt"].as_array().unwrap();
        assert!(options.contains(&json!("no-new-privileges")), "{name}");
        let unconfined = |option: &Value| option.as_str().unwrap().contains("unconfined");
        assert!(!options.iter().any(unconfined), "{name}");
        for option in ["privileged", "cap_add", "devices", "pid", "network_mode"] {
            assert_eq!(service.get(option), None, "{name}");
        }
        // All of them use the socket.
        let socket = service["environment"]["BROWSER_SOCKET"].as_str().unwrap();
        let folder = socket.rsplit_once('/').unwrap().0;
        let volumes = service["volumes"].as_array().unwrap();
        assert!(
            volumes.contains(&json!(format!("render:{folder}"))),
            "{name}"
        );
    }
    let render = service_of(&compose, "render");
    assert_eq!(render["environment"].as_object().unwrap().len(), 1);
    assert_eq!(render["volumes"].as_array().unwrap().len(), 1);
    assert_eq!(render.get("env_file"), None);
    assert_eq!(render.get("ports"), None);
    assert_eq!(render["networks"], json!(["web"]));
    assert_eq!(
        service_of(&compose, "postgres")["networks"],
        json!(["database"])
    );
    assert_eq!(compose["networks"]["database"]["internal"], true);
    let options = render["security_opt"].as_array().unwrap();
    assert!(options.contains(&json!("seccomp=deploy/seccomp.json")));
}

#[test]
fn the_seccomp_profile_permits_what_the_sandbox_needs_and_nothing_that_reaches_the_host() {
    let profile: Value = serde_json::from_str(&deploy_file("seccomp.json")).unwrap();
    assert_eq!(profile["defaultAction"], "SCMP_ACT_ERRNO");
    let rules = profile["syscalls"].as_array().unwrap();
    let rules_of = |name: &str| -> Vec<&Value> {
        let has = |rule: &&Value| rule["names"].as_array().unwrap().contains(&json!(name));
        rules.iter().filter(has).collect()
    };
    for forbidden in [
        "mount",
        "umount2",
        "pivot_root",
        "setns",
        "ptrace",
        "process_vm_readv",
        "process_vm_writev",
        "bpf",
        "perf_event_open",
        "keyctl",
        "add_key",
        "request_key",
        "kexec_load",
        "init_module",
        "finit_module",
        "open_by_handle_at",
        "userfaultfd",
        "io_uring_setup",
        "reboot",
        "swapon",
        "syslog",
        "mknod",
        "mknodat",
        "settimeofday",
        "clock_settime",
        "fsopen",
        "move_mount",
        "open_tree",
    ] {
        assert!(rules_of(forbidden).is_empty(), "{forbidden}");
    }
    // mount, host name, IPC and control group namespaces.
    let forbidden = 0x0002_0000_u64 | 0x0400_0000 | 0x0800_0000 | 0x0200_0000;
    let needed = 0x1000_0000 | 0x2000_0000 | 0x4000_0000;
    for name in ["clone", "unshare"] {
        let [rule] = rules_of(name)[..] else {
            panic!("{name}")
        };
        let [argument] = &rule["args"].as_array().unwrap()[..] else {
            panic!("{name}")
        };
        assert_eq!(
            (&argument["op"], &argument["valueTwo"]),
            (&json!("SCMP_CMP_MASKED_EQ"), &json!(0))
        );
        let mask = argument["value"].as_u64().unwrap();
        assert_eq!((mask & forbidden, mask & needed), (forbidden, 0), "{name}");
    }
    assert_eq!(rules_of("clone3")[0]["errnoRet"], 38);
    assert_eq!(rules_of("chroot").len(), 1);
}

#[test]
fn the_units_are_confined() {
    for name in UNITS {
        let unit = deploy_file(name);
        for line in [
            "CapabilityBoundingSet=",
            "NoNewPrivileges=yes",
            "ProtectSystem=strict",
            "ProtectHome=yes",
            "PrivateTmp=yes",
            "SystemCallFilter=@system-service",
        ] {
            assert!(unit.lines().any(|one| one == line), "{name}: {line}");
        }
        for key in ["MemoryMax=", "TasksMax="] {
            assert!(
                unit.lines().any(|one| one.starts_with(key)),
                "{name}: {key}"
            );
        }
    }
    let render = deploy_file("crawler-render.service");
    assert!(!render.contains("DATABASE_URL") && !render.contains("LoadCredential"));
    assert!(render.contains("InaccessiblePaths=-/etc/crawler/config.yaml"));
    // Both sides name the same socket, whose folder the group can enter. The main unit starts without that group.
    let socket = "Environment=BROWSER_SOCKET=/run/crawler-render/render.sock";
    let (drop_in, main) = (
        deploy_file("crawler-render.conf"),
        deploy_file("crawler.service"),
    );
    assert!(render.contains(socket) && drop_in.contains(socket));
    assert!(render.contains("RuntimeDirectory=crawler-render"));
    assert!(drop_in.contains("SupplementaryGroups=crawler-render"));
    assert!(!main.contains("SupplementaryGroups") && !main.contains("BROWSER_SOCKET"));
}

/// `systemd-analyze` reports unknown settings and values.
#[test]
fn systemd_accepts_the_units() {
    let folder = tempfile::tempdir().unwrap();
    for name in UNITS {
        let unit = deploy_file(name).replace("/usr/local/bin/crawler", "/bin/true");
        // Manual pages are looked up on this machine.
        let unit = unit.replace("Documentation=man:crawler(1)\n", "");
        std::fs::write(folder.path().join(name), unit).unwrap();
    }
    let wrong = folder.path().join("crawler-wrong.service");
    std::fs::write(&wrong, "[Service]\nExecStart=/bin/true\nUnknownSetting=1\n").unwrap();
    let findings = |units: &[PathBuf]| -> Vec<String> {
        let output = Command::new("systemd-analyze")
            .arg("verify")
            .args(units)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let own = said.lines().filter(|line| line.contains("crawler"));
        own.map(str::to_owned).collect()
    };
    // Where it verifies nothing, it accepts everything.
    assert_eq!(findings(&[wrong]).len(), 1);
    let own = findings(&UNITS.map(|name| folder.path().join(name)));
    assert!(own.is_empty(), "{own:?}");
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
