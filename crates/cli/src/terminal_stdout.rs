//! stdout on the same terminal as the progress line: data erases the line before it is written.

use std::io::{self, Write};

use crate::talk::Talk;

/// Writes data to stdout, taking turns with the progress line.
#[derive(Debug)]
pub(crate) struct TerminalStdout {
    talk: Talk,
}

impl TerminalStdout {
    pub(crate) fn new(talk: Talk) -> Self {
        Self { talk }
    }
}

impl Write for TerminalStdout {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.talk.let_through(data)?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
