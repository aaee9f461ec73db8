//! Steps of a script for the raw socket, which can send any byte at any time, unlike an HTTP library.

use std::time::Duration;

use bytes::Bytes;

/// One step of a script. The connection is closed after the last step, unless it is [`SocketStep::KeepAlive`].
#[derive(Debug, Clone)]
pub enum SocketStep {
    /// Writes the bytes.
    Send(Bytes),
    /// Writes the bytes this many times: a ten-gigabyte body from one small block.
    SendTimes(Bytes, u64),
    /// Writes the bytes repeatedly, with a pause in between, until the client disconnects.
    SendForever(Bytes, Duration),
    /// Writes the bytes one by one with a pause after each.
    Drip(Bytes, Duration),
    /// Waits.
    Pause(Duration),
    /// Sends nothing more and waits until the client disconnects.
    Hang,
    /// Closes the connection (FIN).
    Close,
    /// Resets the connection (RST).
    Reset,
    /// Ends the script and serves the next request on the same connection.
    KeepAlive,
}

impl SocketStep {
    /// Creates a [`SocketStep::Send`].
    pub fn send(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Send(Bytes::from(bytes.into()))
    }
}
