//! A connection that does not wait for ever: not for its first words, and not for a caller who stopped reading.
//!
//! hyper's own deadline for a request's head begins when it knows which HTTP is spoken, and it has none for writing.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// What HTTP/2 begins with; the first words of HTTP/1 are as long at least.
const FIRST_WORDS: usize = 24;

/// A connection with deadlines.
pub(super) struct PatientStream {
    stream: TcpStream,
    /// Bytes read, up to [`FIRST_WORDS`].
    heard: usize,
    /// When the first words must be there.
    opening: Pin<Box<Sleep>>,
    stall: Duration,
    /// When a write that waits is given up.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl PatientStream {
    pub(super) fn new(stream: TcpStream, head: Duration, stall: Duration) -> Self {
        Self {
            stream,
            heard: 0,
            opening: Box::pin(sleep(head)),
            stall,
            stalled: None,
        }
    }

    /// What a write came to, or that nobody took anything for too long.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stall = self.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(stall)));
        ready!(stalled.as_mut().poll(cx));
        // Whoever asks again is told the same.
        stalled.as_mut().reset(Instant::now());
        Poll::Ready(Err(too_slow("nothing was read for too long")))
    }
}

fn too_slow(words: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, words)
}

impl AsyncRead for PatientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if self.heard < FIRST_WORDS {
            if read.is_pending() {
                ready!(self.opening.as_mut().poll(cx));
                return Poll::Ready(Err(too_slow("the first words took too long")));
            }
            self.heard += buffer.filled().len() - before;
        }
        read
    }
}

impl AsyncWrite for PatientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
