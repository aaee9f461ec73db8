//! A log writer that puts every event on one line, whatever text an event contains.

use std::io::{self, Write};

use tracing_subscriber::fmt::MakeWriter;

/// Writes events to stderr, one per line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneLine;

impl<'a> MakeWriter<'a> for OneLine {
    type Writer = Lines<io::Stderr>;

    fn make_writer(&'a self) -> Self::Writer {
        Lines(io::stderr())
    }
}

/// Escapes line breaks within an event. The formatter passes one event per write.
#[derive(Debug)]
pub(crate) struct Lines<W>(W);

impl<W: Write> Lines<W> {
    /// Ignores errors: the subscriber would print them to a closed stderr and panic.
    fn write_line(&mut self, line: &[u8]) {
        let _ = self.0.write_all(line);
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let (text, end) = match event.split_last() {
            Some((b'\n', text)) => (text, &b"\n"[..]),
            _ => (event, &b""[..]),
        };
        if text.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            let mut line = Vec::with_capacity(text.len() + 16);
            for byte in text {
                match byte {
                    b'\n' => line.extend_from_slice(b"\\n"),
                    b'\r' => line.extend_from_slice(b"\\r"),
                    byte => line.push(*byte),
                }
            }
            line.extend_from_slice(end);
            self.write_line(&line);
        } else {
            self.write_line(event);
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let mut lines = Lines(Vec::new());
        lines.write_all(b"first: a\r\nforged: b\n").unwrap();
        lines.write_all(b"second\n").unwrap();
        assert_eq!(lines.0, b"first: a\\r\\nforged: b\nsecond\n");
    }
}
