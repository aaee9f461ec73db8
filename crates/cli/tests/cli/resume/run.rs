//! A crawl with a state file that is ended early and resumed.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use testsite::Server;

use crate::run::{Finished, Run, Running};

/// Number of random rounds: `RESUME_ROUNDS`, or the default.
pub(crate) fn rounds(default: u64) -> u64 {
    let rounds = std::env::var("RESUME_ROUNDS").ok();
    rounds.map_or(default, |rounds| rounds.parse().unwrap())
}

/// One command, run several times in the same folder.
pub(crate) struct ResumableCrawl {
    folder: TempDir,
    args: Vec<String>,
    to_file: bool,
}

impl ResumableCrawl {
    /// A crawl of the server from `/`, written to a file.
    pub(crate) fn of(server: &Server, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut args = vec![server.url("/")];
        args.extend(flags.iter().map(|flag| (*flag).to_owned()));
        Self {
            folder,
            args,
            to_file: true,
        }
    }

    /// The same, written to stdout.
    pub(crate) fn on_stdout(mut self) -> Self {
        self.to_file = false;
        self
    }

    /// The same with another command: `map`.
    pub(crate) fn command(mut self, command: &str) -> Self {
        self.args.insert(0, command.to_owned());
        self
    }

    pub(crate) fn state_file(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(crate) fn output_file(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub(crate) fn written(&self) -> String {
        std::fs::read_to_string(self.output_file()).unwrap_or_default()
    }

    pub(crate) fn start(&self) -> Running {
        self.start_with(&[])
    }

    /// Starts it with additional arguments.
    pub(crate) fn start_with(&self, more: &[&str]) -> Running {
        self.start_in(self.folder.path(), more)
    }

    fn start_in(&self, folder: &Path, more: &[&str]) -> Running {
        let run = Run::new(&self.args).args(more).in_folder(folder);
        let run = run.args([Path::new("--state"), &folder.join("state")]);
        if self.to_file {
            return run.args([Path::new("-o"), &folder.join("out")]).start();
        }
        run.start()
    }

    #[track_caller]
    pub(crate) fn finish(&self) -> Finished {
        self.start().finish()
    }

    /// Runs it on the files of another crawl.
    #[track_caller]
    pub(crate) fn finish_in_folder_of(&self, other: &Self) -> Finished {
        self.start_in(other.folder.path(), &[]).finish()
    }

    /// Runs it to the end and asserts success.
    #[track_caller]
    pub(crate) fn success(&self) -> Finished {
        self.finish().success()
    }
}
