//! An output that resumes where it stopped.
//!
//! The output of a sink depends only on its input. Replaying the input produces the same bytes, and those already written
//! are skipped here, so the formats need no resume logic.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crawler_model::SinkError;

/// Number of bytes written to an output.
#[derive(Clone, Debug)]
pub struct Written {
    name: String,
    bytes: Arc<AtomicU64>,
    /// File to sync to disk; `None` for a stream.
    file: Option<Arc<File>>,
}

impl Written {
    fn new(name: String, file: Option<Arc<File>>) -> Self {
        Self {
            name,
            bytes: Arc::default(),
            file,
        }
    }

    /// Bytes written so far, including those of earlier runs.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Syncs the file to disk; does nothing for a stream.
    pub fn sync(&self) -> Result<(), SinkError> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        file.sync_data().map_err(|error| SinkError {
            target: self.name.clone(),
            error,
        })
    }
}

/// Skips the bytes that are already written and counts all bytes.
pub(crate) struct Continued {
    writer: Box<dyn Write + Send>,
    /// Bytes still to skip.
    to_skip: u64,
    bytes: Arc<AtomicU64>,
}

impl Continued {
    pub(crate) fn reopen(path: &Path, kept: u64) -> io::Result<(Self, Written)> {
        let mut file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let name = path.display().to_string();
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(Self::stream(name, Box::new(file), kept));
        }
        let start = if metadata.len() < kept { 0 } else { kept };
        file.set_len(start)?;
        file.seek(SeekFrom::Start(start))?;
        let file = Arc::new(file);
        let written = Written::new(name, Some(Arc::clone(&file)));
        let continued = Self {
            writer: Box::new(file),
            to_skip: start,
            bytes: Arc::clone(&written.bytes),
        };
        Ok((continued, written))
    }

    /// A terminal, a pipe or a device, which cannot be truncated.
    pub(crate) fn stream(
        name: String,
        writer: Box<dyn Write + Send>,
        kept: u64,
    ) -> (Self, Written) {
        let written = Written::new(name, None);
        let continued = Self {
            writer,
            to_skip: kept,
            bytes: Arc::clone(&written.bytes),
        };
        (continued, written)
    }
}

impl Write for Continued {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = if self.to_skip > 0 {
            let limit = usize::try_from(self.to_skip).unwrap_or(usize::MAX);
            let count = bytes.len().min(limit);
            self.to_skip -= count as u64;
            count
        } else {
            self.writer.write(bytes)?
        };
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resume(path: &Path, kept: u64, bytes: &[u8]) -> (Vec<u8>, u64) {
        let (mut continued, written) = Continued::reopen(path, kept).unwrap();
        for piece in bytes.chunks(3) {
            continued.write_all(piece).unwrap();
        }
        written.sync().unwrap();
        (std::fs::read(path).unwrap(), written.bytes())
    }

    #[test]
    fn a_file_is_truncated_and_resumed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let output = b"one two three four";
        let all = (output.to_vec(), output.len() as u64);
        assert_eq!(resume(&path, 0, output), all);
        std::fs::write(&path, b"one two thr]]]]]]]]]]]]]]]]]]]]]").unwrap();
        assert_eq!(
            resume(&path, 11, output),
            all,
            "bytes past `kept` are truncated"
        );
        std::fs::write(&path, b"one two thr").unwrap();
        assert_eq!(resume(&path, 11, output), all);
        std::fs::write(&path, b"one").unwrap();
        assert_eq!(
            resume(&path, 11, output),
            all,
            "shorter file: rewritten from the start"
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            resume(&path, 11, output),
            all,
            "missing file: written from the start"
        );
    }

    #[test]
    fn a_stream_skips_bytes_already_written() {
        let memory = crate::Memory::default();
        let (mut continued, written) =
            Continued::stream("stdout".into(), Box::new(memory.clone()), 4);
        continued.write_all(b"one two three").unwrap();
        assert_eq!((memory.text().as_str(), written.bytes()), ("two three", 13));
    }
}
