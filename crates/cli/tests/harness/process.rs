//! The built program as a child process: signaled, waited for with a deadline, and killed at the end of its test.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::wait::wait_until;

/// The built program.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_crawler"))
}

/// The program in a folder with an empty environment.
pub(crate) fn isolated_program(folder: &Path, args: &[&str]) -> Command {
    let mut command = program();
    command.args(args).current_dir(folder).env_clear();
    command
}

/// Sends a signal to any process by its name, `KILL`. Returns false if there is no such process.
pub(crate) fn send_signal(id: u32, name: &str) -> bool {
    let sent = Command::new("kill")
        .args([format!("-{name}"), id.to_string()])
        .stderr(Stdio::null())
        .status();
    sent.unwrap().success()
}

/// A child process; killed when it is dropped.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().unwrap())
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// The child, to take its pipes.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Sends a signal by its name, `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        assert!(send_signal(self.id(), name), "kill -{name} {}", self.id());
    }

    /// Kills the process without warning, as a power failure would, and waits for its end.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits for the end; returns the status and how long that took.
    #[track_caller]
    pub(crate) fn wait_for_exit(&mut self, timeout: Duration) -> (ExitStatus, Duration) {
        let mut status = None;
        let took = wait_until("the process ends", timeout, || {
            status = self.0.try_wait().unwrap();
            status.is_some()
        });
        (status.unwrap(), took)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if the process has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
