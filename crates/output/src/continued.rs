//! An output that continues where it stopped.
//!
//! The output of a sink depends only on its input. Replaying the input gives the same bytes, and those already written are
//! skipped here, so no format has to know that it was interrupted.

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
    /// The file, if the output is one, to be synced to disk.
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

    /// Syncs a file to disk.
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

/// Skips the bytes that are already written, and counts all.
pub(crate) struct Continued {
    writer: Box<dyn Write + Send>,
    swallow: u64,
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
        let there = if metadata.len() < kept { 0 } else { kept };
        file.set_len(there)?;
        file.seek(SeekFrom::Start(there))?;
        let file = Arc::new(file);
        let written = Written::new(name, Some(Arc::clone(&file)));
        let continued = Self {
            writer: Box::new(file),
            swallow: there,
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
            swallow: kept,
            bytes: Arc::clone(&written.bytes),
        };
        (continued, written)
    }
}

impl Write for Continued {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = if self.swallow > 0 {
            let most = usize::try_from(self.swallow).unwrap_or(usize::MAX);
            let count = bytes.len().min(most);
            self.swallow -= count as u64;
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

    fn goes_on(path: &Path, kept: u64, bytes: &[u8]) -> (Vec<u8>, u64) {
        let (mut continued, written) = Continued::reopen(path, kept).unwrap();
        for piece in bytes.chunks(3) {
            continued.write_all(piece).unwrap();
        }
        written.sync().unwrap();
        (std::fs::read(path).unwrap(), written.bytes())
    }

    #[test]
    fn a_file_is_cut_back_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let whole = b"one two three four";
        let all = (whole.to_vec(), whole.len() as u64);
        assert_eq!(goes_on(&path, 0, whole), all);
        std::fs::write(&path, b"one two thr]]]]]]]]]]]]]]]]]]]]]").unwrap();
        assert_eq!(goes_on(&path, 11, whole), all, "what was not kept is cut");
        std::fs::write(&path, b"one two thr").unwrap();
        assert_eq!(goes_on(&path, 11, whole), all);
        std::fs::write(&path, b"one").unwrap();
        assert_eq!(
            goes_on(&path, 11, whole),
            all,
            "shorter: from the beginning"
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(goes_on(&path, 11, whole), all, "gone: from the beginning");
    }

    #[test]
    fn a_stream_is_not_told_twice() {
        let memory = crate::Memory::default();
        let (mut continued, written) =
            Continued::stream("stdout".into(), Box::new(memory.clone()), 4);
        continued.write_all(b"one two three").unwrap();
        assert_eq!((memory.text().as_str(), written.bytes()), ("two three", 13));
    }
}
