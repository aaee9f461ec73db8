//! Processes of the service with the configuration of a folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::process::isolated_program;
use crate::harness::service::Service;

/// Starts a process that reads the folder's `config.yaml` and nothing else.
pub(crate) fn start(folder: &Path, mode: &str, database: Option<&str>) -> Service {
    Service::start(command(folder, mode, database))
}

fn command(folder: &Path, mode: &str, database: Option<&str>) -> Command {
    let mut command = isolated_program(folder, &["serve", "--mode", mode]);
    command.args(["--addr", "127.0.0.1:0", "--log-format", "json"]);
    if let Some(url) = database {
        command.env("DATABASE_URL", url);
    }
    command
}

/// A library that shifts the wall clock of a process that loads it.
pub(crate) struct SkewedClock(PathBuf);

impl SkewedClock {
    /// Compiles the library into this folder.
    pub(crate) fn compile(folder: &Path) -> Self {
        let library = folder.join("skewed_clock.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chaos/skewed_clock.c");
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-o"]);
        let compiled = command.arg(&library).arg(source).arg("-ldl").status();
        assert!(compiled.unwrap().success(), "a C compiler is needed");
        Self(library)
    }

    /// Starts a process whose clock is ahead by this many seconds, and waits until it is ready.
    pub(crate) fn start_ready(&self, folder: &Path, mode: &str, url: &str, ahead: i64) -> Service {
        let mut command = command(folder, mode, Some(url));
        command.env("LD_PRELOAD", &self.0);
        command.env("CLOCK_OFFSET", ahead.to_string());
        let service = wait_until_ready(Service::start(command), mode);
        if cfg!(target_os = "linux") {
            let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
            let shown = seconds_of(&service.wait_for_log("working")["timestamp"]);
            let difference = shown - i64::try_from(now).unwrap() - ahead;
            assert!(
                difference.abs() < 3_600,
                "its clock is off by {difference} s"
            );
        }
        service
    }
}

/// A time of the log, as seconds since 1970.
fn seconds_of(timestamp: &Value) -> i64 {
    let time = timestamp.as_str().unwrap();
    let output = Command::new("date").args(["-d", time, "+%s"]).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    text.trim().parse().unwrap()
}

/// Starts a process and waits until it is ready.
#[track_caller]
pub(crate) fn start_ready(folder: &Path, mode: &str, database: Option<&str>) -> Service {
    wait_until_ready(start(folder, mode, database), mode)
}

#[track_caller]
fn wait_until_ready(service: Service, mode: &str) -> Service {
    let ready = if mode == "worker" {
        "working"
    } else {
        "listening"
    };
    service.wait_for_log(ready);
    service
}
