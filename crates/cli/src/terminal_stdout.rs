//! stdout on the same terminal as the progress line, which is erased before data is written.

use std::io::{self, Write};

use crate::console::Console;

/// Writes data to stdout in turn with the progress line.
#[derive(Debug)]
pub(crate) struct TerminalStdout {
    console: Console,
}

impl TerminalStdout {
    pub(crate) fn new(console: Console) -> Self {
        Self { console }
    }
}

impl Write for TerminalStdout {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.console.write_stdout(data)?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
