//! Where bytes go: stdout, a file, or memory.
//!
//! One buffer, filled by hand and written whole. Formats push into it without error handling and call
//! [`Target::relieve`] after each piece, which writes once enough has gathered; so neither a crawl nor a
//! single page with very many links makes it grow. Every error names the target.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use model::SinkError;

use crate::continued::{Continued, Written};
use crate::{json_text, plain_line};

/// Bytes gathered before they are written.
const FULL: usize = 128 * 1024;

/// Where a sink's bytes go.
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

    /// A file, made or emptied at once, so that it is there from the first moment.
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

    /// A file that goes on after the bytes it has: what is longer is cut, and the first `kept` bytes that are written are
    /// swallowed. One that is shorter, or gone, is written from the beginning.
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

    /// The same, its first `kept` bytes swallowed: they were written before.
    pub fn after(self, kept: u64) -> (Self, Written) {
        let (continued, written) = Continued::stream(self.name.clone(), self.writer, kept);
        let target = Self {
            writer: Box::new(continued),
            ..self
        };
        (target, written)
    }

    /// Memory, and a handle to read what arrived there.
    pub fn memory() -> (Self, Memory) {
        let memory = Memory::default();
        let target = Self::writer("memory", Box::new(memory.clone()));
        (target, memory)
    }

    /// Anything that takes bytes, under a name for its errors.
    pub fn writer(name: impl Into<String>, writer: Box<dyn Write + Send>) -> Self {
        Self {
            name: name.into(),
            path: None,
            writer,
            buffer: Vec::new(),
        }
    }

    /// The file's path, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// An error of this target.
    pub(crate) fn error(&self, error: io::Error) -> SinkError {
        SinkError {
            target: self.name.clone(),
            error,
        }
    }

    /// Text as it is.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.buffer.extend_from_slice(text.as_bytes());
        self
    }

    /// A URL in a line of text: control characters cannot get through.
    pub(crate) fn line_text(&mut self, text: &str) -> &mut Self {
        plain_line::push(&mut self.buffer, text);
        self
    }

    /// A JSON string with its quotes.
    pub(crate) fn json(&mut self, text: &str) -> &mut Self {
        json_text::push(&mut self.buffer, text);
        self
    }

    /// A JSON string with its quotes that has nothing to escape.
    pub(crate) fn plain_json(&mut self, text: &str) -> &mut Self {
        json_text::push_plain(&mut self.buffer, text);
        self
    }

    /// A number.
    pub(crate) fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        json_text::push_number(&mut self.buffer, number.into());
        self
    }

    /// The buffer itself, for formats with their own escaping.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes the buffer if enough has gathered.
    #[inline]
    pub(crate) fn relieve(&mut self) -> Result<(), SinkError> {
        if self.buffer.len() < FULL {
            return Ok(());
        }
        self.write_out()
    }

    /// Everything so far reaches the reader.
    pub(crate) fn flush(&mut self) -> Result<(), SinkError> {
        self.write_out()?;
        self.writer.flush().map_err(|error| self.error(error))
    }

    fn write_out(&mut self) -> Result<(), SinkError> {
        let written = self.writer.write_all(&self.buffer);
        // Cleared after an error too: what could not be written must not pile up.
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

/// What arrived at [`Target::memory`].
#[derive(Clone, Default, Debug)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    /// The bytes written so far; what is still in the target's buffer is not among them.
    pub fn bytes(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The bytes as text, with anything that is not UTF-8 replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
