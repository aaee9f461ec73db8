//! Where a crawl's bytes go: opened new, or where they stopped.

use std::io::IsTerminal;
use std::path::Path;

use model::SinkError;
use output::{Target, Written};

use crate::talk::Talk;
use crate::terminal_stdout::TerminalStdout;

/// Opens outputs in the order they are asked for.
pub(crate) struct Outputs<'a> {
    talk: &'a Talk,
    /// What each has already, in the same order; `None` where nobody keeps count.
    kept: Option<Vec<u64>>,
    /// Those that are counted.
    pub(crate) written: Vec<Written>,
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(talk: &'a Talk, kept: Option<Vec<u64>>) -> Self {
        Self {
            talk,
            kept,
            written: Vec::new(),
        }
    }

    /// A file, or stdout, which `-` names too.
    pub(crate) fn open(&mut self, file: Option<&Path>) -> Result<Target, SinkError> {
        let file = file.filter(|file| *file != Path::new("-"));
        let Some(kept) = &self.kept else {
            return file.map_or_else(|| Ok(self.stdout()), Target::create);
        };
        let kept = kept.get(self.written.len()).copied().unwrap_or(0);
        let (target, written) = match file {
            Some(file) => Target::reopen(file, kept)?,
            None => self.stdout().after(kept),
        };
        self.written.push(written);
        Ok(target)
    }

    fn stdout(&self) -> Target {
        let talk = self.talk;
        if std::io::stdout().is_terminal() && talk.shows_progress() && talk.redraws() {
            let terminal = TerminalStdout::new(talk.clone());
            return Target::writer("stdout", Box::new(terminal));
        }
        Target::stdout()
    }
}
