//! The smallest things a misbehaving server does on its socket. A script of these can send any
//! byte at any time, which no well-meaning HTTP library would.

use std::time::Duration;

use bytes::Bytes;

/// One step of a script. When the last one is done the connection is closed, unless the script
/// says otherwise with [`Step::KeepAlive`].
#[derive(Debug, Clone)]
pub enum Step {
    /// Writes the bytes as they are.
    Send(Bytes),
    /// Writes the bytes that many times: a ten gigabyte body out of one small block.
    SendTimes(Bytes, u64),
    /// Writes the bytes again and again with a pause between, until the client goes.
    SendForever(Bytes, Duration),
    /// Writes the bytes one by one with a pause after each.
    Drip(Bytes, Duration),
    /// Waits.
    Pause(Duration),
    /// Says nothing more and waits until the client goes.
    Hang,
    /// Closes in an orderly way (FIN).
    Close,
    /// Closes at once with a reset (RST).
    Reset,
    /// Ends the script and serves the next request of the same connection.
    KeepAlive,
}

impl Step {
    /// [`Step::Send`] from anything that holds bytes.
    pub fn send(bytes: impl Into<Vec<u8>>) -> Self {
        Self::Send(Bytes::from(bytes.into()))
    }
}
