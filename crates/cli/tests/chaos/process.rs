//! Processes of the service with the configuration of a folder.

use std::path::Path;

use crate::harness::process::isolated_program;
use crate::harness::service::Service;

/// Starts a process that reads the folder's `config.yaml` and nothing else.
pub(crate) fn start(folder: &Path, mode: &str, database: Option<&str>) -> Service {
    let mut command = isolated_program(folder, &["serve", "--mode", mode]);
    command.args(["--addr", "127.0.0.1:0", "--log-format", "json"]);
    if let Some(url) = database {
        command.env("DATABASE_URL", url);
    }
    Service::start(command)
}

/// Starts a process and waits until it is ready.
#[track_caller]
pub(crate) fn start_ready(folder: &Path, mode: &str, database: Option<&str>) -> Service {
    let service = start(folder, mode, database);
    let ready = if mode == "worker" {
        "working"
    } else {
        "listening"
    };
    service.wait_for_log(ready);
    service
}
