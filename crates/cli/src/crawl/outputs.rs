//! A crawl's outputs, created or reopened where an earlier run stopped.

use std::io::IsTerminal;
use std::path::Path;

use crawler_model::SinkError;
use crawler_output::{Target, Written};

use crate::console::Console;
use crate::terminal_stdout::TerminalStdout;

/// Opens outputs and tracks how much is written to each.
pub(crate) struct Outputs<'a> {
    console: &'a Console,
    /// Bytes already written to each output, in the order they are opened; `None` without a state file.
    lengths: Option<Vec<u64>>,
    /// Byte counts of the opened outputs, with a state file.
    pub(crate) written: Vec<Written>,
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(console: &'a Console, lengths: Option<Vec<u64>>) -> Self {
        Self {
            console,
            lengths,
            written: Vec::new(),
        }
    }

    /// Opens a file, or stdout for `None` and `-`.
    pub(crate) fn open(&mut self, file: Option<&Path>) -> Result<Target, SinkError> {
        let file = file.filter(|file| *file != Path::new("-"));
        let Some(lengths) = &self.lengths else {
            return file.map_or_else(|| Ok(self.stdout()), Target::create);
        };
        let length = lengths.get(self.written.len()).copied().unwrap_or(0);
        let (target, written) = match file {
            Some(file) => Target::reopen(file, length)?,
            None => self.stdout().after(length),
        };
        self.written.push(written);
        Ok(target)
    }

    fn stdout(&self) -> Target {
        let console = self.console;
        if std::io::stdout().is_terminal() && console.shows_progress() && console.redraws() {
            let terminal = TerminalStdout::new(console.clone());
            return Target::writer("stdout", Box::new(terminal));
        }
        Target::stdout()
    }
}
