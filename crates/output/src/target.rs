//! The destination of an output: stdout, a file, or memory.
//!
//! Formats push into one buffer without error handling and call [`Target::write_if_full`] after each piece, which writes the buffer
//! once it is full; so neither a long crawl nor a page with very many links makes it grow. Every error names the target.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crawler_model::{SinkError, lock};

use crate::continued::{Continued, Written};
use crate::{json_text, plain_line};

/// Size of the buffer at which it is written.
const BUFFER_SIZE: usize = 128 * 1024;

/// The destination of a sink's output.
pub struct Target {
    name: String,
    path: Option<PathBuf>,
    writer: Box<dyn Write + Send>,
    buffer: Vec<u8>,
}

impl Target {
    /// Standard output.
    pub fn stdout() -> Self {
        Self::writer("stdout", Box::new(io::stdout()))
    }

    /// A file, created or truncated immediately.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        let name = path.display().to_string();
        match File::create(path) {
            Ok(file) => Ok(Self {
                path: Some(path.to_owned()),
                ..Self::writer(name, Box::new(file))
            }),
            Err(error) => Err(SinkError {
                target: name,
                error,
            }),
        }
    }

    /// A file to resume: it is truncated to `kept` bytes, and the first `kept` bytes written are skipped. A shorter or
    /// missing file is written from the start.
    pub fn reopen(path: &Path, kept: u64) -> Result<(Self, Written), SinkError> {
        let name = path.display().to_string();
        match Continued::reopen(path, kept) {
            Ok((continued, written)) => {
                let target = Self {
                    path: Some(path.to_owned()),
                    ..Self::writer(name, Box::new(continued))
                };
                Ok((target, written))
            }
            Err(error) => Err(SinkError {
                target: name,
                error,
            }),
        }
    }

    /// The same target with the first `kept` bytes skipped, since they are already written.
    pub fn after(self, kept: u64) -> (Self, Written) {
        let (continued, written) = Continued::stream(self.name.clone(), self.writer, kept);
        let target = Self {
            writer: Box::new(continued),
            ..self
        };
        (target, written)
    }

    /// Memory, and a handle to read it.
    pub fn memory() -> (Self, Memory) {
        let memory = Memory::default();
        let target = Self::writer("memory", Box::new(memory.clone()));
        (target, memory)
    }

    /// Any writer, with a name for its errors.
    pub fn writer(name: impl Into<String>, writer: Box<dyn Write + Send>) -> Self {
        Self {
            name: name.into(),
            path: None,
            writer,
            buffer: Vec::new(),
        }
    }

    /// Path of the target, if it is a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// An I/O error that names this target.
    pub(crate) fn error(&self, error: io::Error) -> SinkError {
        SinkError {
            target: self.name.clone(),
            error,
        }
    }

    /// Appends text unchanged.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.buffer.extend_from_slice(text.as_bytes());
        self
    }

    /// Appends a URL to a line of text, with control characters encoded.
    pub(crate) fn line_text(&mut self, text: &str) -> &mut Self {
        plain_line::push(&mut self.buffer, text);
        self
    }

    /// Appends a JSON string with its quotes.
    pub(crate) fn json(&mut self, text: &str) -> &mut Self {
        json_text::push(&mut self.buffer, text);
        self
    }

    /// Appends a JSON string with its quotes that has nothing to escape.
    pub(crate) fn plain_json(&mut self, text: &str) -> &mut Self {
        json_text::push_plain(&mut self.buffer, text);
        self
    }

    /// Appends a number.
    pub(crate) fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        json_text::push_number(&mut self.buffer, number.into());
        self
    }

    /// The buffer itself, for formats with their own escaping.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes the buffer if it is full.
    #[inline]
    pub(crate) fn write_if_full(&mut self) -> Result<(), SinkError> {
        if self.buffer.len() < BUFFER_SIZE {
            return Ok(());
        }
        self.write_out()
    }

    /// Writes and flushes everything so far.
    pub(crate) fn flush(&mut self) -> Result<(), SinkError> {
        self.write_out()?;
        self.writer.flush().map_err(|error| self.error(error))
    }

    fn write_out(&mut self) -> Result<(), SinkError> {
        let written = self.writer.write_all(&self.buffer);
        // Cleared after an error too, so that the buffer does not grow.
        self.buffer.clear();
        written.map_err(|error| self.error(error))
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("name", &self.name)
            .field("buffered", &self.buffer.len())
            .finish_non_exhaustive()
    }
}

/// The bytes written to [`Target::memory`].
#[derive(Clone, Default, Debug)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    /// The bytes written so far, without those still in the target's buffer.
    pub fn bytes(&self) -> Vec<u8> {
        lock(&self.0).clone()
    }

    /// The bytes as text, with anything that is not UTF-8 replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
