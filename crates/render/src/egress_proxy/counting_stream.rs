//! A stream that counts its bytes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::idle_timer::IdleTimer;
use super::proxy_stats::ProxyStats;

/// A stream that resets the idle timer and, on the network side, counts bytes and fails when the page exceeds a budget.
#[derive(Debug)]
pub(super) struct CountingStream {
    stream: TcpStream,
    idle_timer: Arc<IdleTimer>,
    stats: Option<Arc<ProxyStats>>,
}

impl CountingStream {
    /// Wraps the connection from the browser.
    pub(super) fn browser_side(stream: TcpStream, idle_timer: Arc<IdleTimer>) -> Self {
        Self {
            stream,
            idle_timer,
            stats: None,
        }
    }

    /// Wraps the connection to the network.
    pub(super) fn network_side(
        stream: TcpStream,
        idle_timer: Arc<IdleTimer>,
        stats: Arc<ProxyStats>,
    ) -> Self {
        Self {
            stream,
            idle_timer,
            stats: Some(stats),
        }
    }

    fn count_written(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = written {
            self.idle_timer.touch();
            let stats = self.stats.as_ref();
            if stats.is_some_and(|stats| !stats.add_bytes_out(bytes as u64)) {
                return Poll::Ready(Err(over_budget()));
            }
        }
        written
    }
}

impl AsyncRead for CountingStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let got = buf.filled().len().saturating_sub(before);
        if got > 0 {
            self.idle_timer.touch();
            let stats = self.stats.as_ref();
            if stats.is_some_and(|stats| !stats.add_bytes_in(got as u64)) {
                return Poll::Ready(Err(over_budget()));
            }
        }
        read
    }
}

/// The browser sees a broken connection; the page ends for another reason.
fn over_budget() -> io::Error {
    io::Error::other("the page exceeded a budget")
}

impl AsyncWrite for CountingStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.count_written(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.count_written(written)
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
