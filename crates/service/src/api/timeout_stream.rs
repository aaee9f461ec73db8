//! A connection with timeouts for its first bytes and for a client that stops reading.
//!
//! hyper's own timeout for the head of a request starts only after it has detected the HTTP version, and it has none
//! for writing.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// Length of the HTTP/2 preface, after which hyper knows the HTTP version. An HTTP/1 head is at least as long.
const PREFACE_BYTES: usize = 24;

/// A connection with timeouts.
pub(super) struct TimeoutStream {
    stream: TcpStream,
    /// Bytes read, up to [`PREFACE_BYTES`].
    received: usize,
    /// Deadline for the first [`PREFACE_BYTES`].
    preface_deadline: Pin<Box<Sleep>>,
    stall_timeout: Duration,
    /// Deadline of the pending write, if any.
    write_deadline: Option<Pin<Box<Sleep>>>,
}

impl TimeoutStream {
    pub(super) fn new(stream: TcpStream, head_timeout: Duration, stall_timeout: Duration) -> Self {
        Self {
            stream,
            received: 0,
            preface_deadline: Box::pin(sleep(head_timeout)),
            stall_timeout,
            write_deadline: None,
        }
    }

    /// Returns the result of a write, or an error if the client has not read anything for too long.
    fn check_write<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write_deadline = None;
            return written;
        }
        let timeout = self.stall_timeout;
        let deadline = self
            .write_deadline
            .get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(deadline.as_mut().poll(cx));
        // A further poll returns the same error.
        deadline.as_mut().reset(Instant::now());
        Poll::Ready(Err(timed_out("the client stopped reading the response")))
    }
}

fn timed_out(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, message)
}

impl AsyncRead for TimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if self.received < PREFACE_BYTES {
            if read.is_pending() {
                ready!(self.preface_deadline.as_mut().poll(cx));
                return Poll::Ready(Err(timed_out("timed out reading the request head")));
            }
            self.received += buffer.filled().len() - before;
        }
        read
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check_write(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.check_write(cx, written)
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
