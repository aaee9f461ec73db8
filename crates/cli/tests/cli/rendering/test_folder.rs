//! A folder for each test. It identifies the browsers that the test starts: their profile is below it, and their command
//! line names the profile.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::api::{ANY_PORT, Api};
use crate::harness::process::program;
use crate::harness::wait::{TIMEOUT, wait_until};
use crate::run::Run;

/// Configuration of a service that may reach the test sites.
pub(crate) const CONFIG: &str = "egress:
  allow: [127.0.0.1]
worker:
  per_host_rps: 0
  per_host_concurrency: 8
browser:
  pool_size: 2
";

pub(crate) struct TestFolder(TempDir);

impl TestFolder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("cr-").tempdir().unwrap();
        // For root, the browser runs as another user, which needs access to its profile.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// A command of `crawler` in this folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = program();
        command
            .args(args)
            .current_dir(self.path())
            .env("TMPDIR", self.path())
            .env_remove("BROWSER_SANDBOX");
        command
    }

    /// A run of `crawler` in this folder, with the browser of the environment.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args)).within(TIMEOUT)
    }

    /// Starts the service with this configuration and waits until it listens; `change` adds to its environment.
    #[track_caller]
    pub(crate) fn serve(&self, config: &str, change: impl FnOnce(&mut Command)) -> Api {
        std::fs::write(self.path().join("config.yaml"), config).unwrap();
        let mut command = self.command(&[&["serve"][..], &ANY_PORT].concat());
        command.env_remove("DATABASE_URL");
        change(&mut command);
        Api::of(command)
    }

    /// The browser processes started here, each with its command line.
    fn browsers(&self) -> Vec<String> {
        let folder = self.path().to_str().unwrap();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|process| {
                let line = std::fs::read(process.path().join("cmdline")).ok()?;
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                let id = process.file_name().into_string().ok()?;
                let is_browser = line.contains(folder) && line.contains("--user-data-dir=");
                is_browser.then(|| format!("{id} {line}"))
            })
            .collect()
    }

    fn profiles(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap().flatten();
        entries
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }

    #[track_caller]
    pub(crate) fn wait_for_browser(&self) {
        wait_until("a browser runs", TIMEOUT, || !self.browsers().is_empty());
    }

    /// Waits until no browser process and no profile is left.
    #[track_caller]
    pub(crate) fn wait_for_cleanup(&self) {
        wait_until("every browser ended", TIMEOUT, || {
            self.browsers().is_empty()
        });
        wait_until("every profile is deleted", TIMEOUT, || {
            self.profiles().is_empty()
        });
    }
}
