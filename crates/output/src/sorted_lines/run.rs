//! A sorted run on disk: each line as its length, then its bytes.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// Size of the read and write buffers; a merge holds one per run.
const BUFFER: usize = 64 * 1024;

/// A finished run.
#[derive(Debug)]
pub(super) struct Run {
    file: File,
}

/// A run being written.
#[derive(Debug)]
pub(super) struct RunWriter {
    file: BufWriter<File>,
}

impl RunWriter {
    /// Creates an unnamed temporary file, deleted when it is closed.
    pub(super) fn new() -> io::Result<Self> {
        let file = tempfile::tempfile()?;
        Ok(Self {
            file: BufWriter::with_capacity(BUFFER, file),
        })
    }

    pub(super) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let length = u32::try_from(line.len()).map_err(|_| {
            io::Error::new(io::ErrorKind::InvalidInput, "a line is longer than 4 GiB")
        })?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(line)
    }

    pub(super) fn finish(self) -> io::Result<Run> {
        let mut file = self.file.into_inner()?;
        file.rewind()?;
        Ok(Run { file })
    }
}

/// A run being read.
#[derive(Debug)]
pub(super) struct RunReader {
    file: BufReader<File>,
}

impl RunReader {
    pub(super) fn new(run: Run) -> Self {
        Self {
            file: BufReader::with_capacity(BUFFER, run.file),
        }
    }

    /// Reads the next line into `line`; false at the end.
    pub(super) fn read(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        let mut length = [0; 4];
        match self.file.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
        line.resize(u32::from_le_bytes(length) as usize, 0);
        self.file.read_exact(line)?;
        Ok(true)
    }
}
