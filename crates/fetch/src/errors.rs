//! Converts I/O, HTTP and HTTP/2 errors into failures.

use std::error::Error;
use std::io;

use crawler_model::{FailKind, Failure, counted};

/// Whether the same request may be sent again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Resend {
    /// On the same connection: the server refused this stream only.
    SameConnection,
    /// On another connection: the server did not process the request, and the connection is unusable.
    NewConnection,
    /// If the connection came from the pool: it was lost and may have been stale.
    IfReused,
    /// Not at all.
    Never,
}

/// A request that got no response head.
pub(crate) struct SendError {
    /// The failure to report.
    pub(crate) failure: Failure,
    /// Whether to send it again.
    pub(crate) resend: Resend,
}

impl SendError {
    /// Converts a hyper error; `unsent`: hyper returned the request without writing it.
    pub(crate) fn new(error: &hyper::Error, unsent: bool) -> Self {
        let h2 = cause::<h2::Error>(error);
        let resend = if h2.is_some_and(|h2| h2.reason() == Some(h2::Reason::REFUSED_STREAM)) {
            Resend::SameConnection
        } else if unsent || h2.is_some_and(is_unprocessed) {
            Resend::NewConnection
        } else if is_lost(error) {
            Resend::IfReused
        } else {
            Resend::Never
        };
        Self {
            failure: from_head(error),
            resend,
        }
    }
}

/// Converts an error of `connect`.
pub(crate) fn from_connect(error: &io::Error) -> Failure {
    let message = match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused",
        io::ErrorKind::NetworkUnreachable => "network unreachable",
        io::ErrorKind::HostUnreachable => "host unreachable",
        io::ErrorKind::TimedOut => "connection timed out",
        io::ErrorKind::ConnectionReset => "connection reset",
        io::ErrorKind::PermissionDenied => "connection not permitted",
        _ if error.raw_os_error() == Some(TOO_MANY_OPEN_FILES) => "too many open files",
        _ => "could not connect",
    };
    Failure::new(FailKind::Connect, message)
}

/// `EMFILE` on every Unix.
const TOO_MANY_OPEN_FILES: i32 = 24;

fn from_head(error: &hyper::Error) -> Failure {
    if error.is_parse_too_large() {
        return Failure::new(FailKind::Protocol, "the response headers are too large");
    }
    if error.is_parse() {
        return Failure::new(FailKind::Protocol, "the response is not valid HTTP");
    }
    match cause::<h2::Error>(error) {
        Some(h2) => from_h2(h2),
        None => Failure::new(
            FailKind::Reset,
            "the connection was closed before the response",
        ),
    }
}

/// Converts an error while reading a body, after `read` of `expected` bytes.
pub(crate) fn from_body(error: &hyper::Error, read: u64, expected: Option<u64>) -> Failure {
    if let Some(io) = cause::<io::Error>(error)
        && matches!(
            io.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
        )
        && cause::<rustls::Error>(error).is_none()
    {
        return Failure::new(FailKind::Protocol, "the body's chunks are not valid HTTP");
    }
    let message = match expected {
        Some(expected) => format!(
            "the body ended after {read} of {}",
            counted(expected, "byte")
        ),
        None => format!("the body ended after {}", counted(read, "byte")),
    };
    Failure::new(FailKind::Reset, message)
}

fn from_h2(error: &h2::Error) -> Failure {
    // The library raises errors only for invalid data from the server.
    if error.is_library() && !error.is_io() {
        Failure::new(
            FailKind::Protocol,
            "the response headers are too large or not valid HTTP/2",
        )
    } else if error.is_reset() {
        Failure::new(FailKind::Reset, "the server reset the stream")
    } else {
        Failure::new(
            FailKind::Reset,
            "the connection was closed before the response",
        )
    }
}

/// Whether the server is shutting down (GOAWAY) and did not process this stream.
fn is_unprocessed(error: &h2::Error) -> bool {
    error.is_go_away() && error.is_remote() && error.reason() == Some(h2::Reason::NO_ERROR)
}

fn is_lost(error: &hyper::Error) -> bool {
    error.is_incomplete_message()
        || error.is_closed()
        || error.is_canceled()
        || cause::<h2::Error>(error).is_some_and(|error| error.is_io() || error.is_go_away())
        || cause::<io::Error>(error).is_some()
}

/// Returns the first cause of the given type.
fn cause<E: Error + 'static>(error: &hyper::Error) -> Option<&E> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(found) = cause.downcast_ref::<E>() {
            return Some(found);
        }
        source = cause.source();
    }
    None
}
