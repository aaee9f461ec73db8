//! What went wrong, from a library's error to a kind and words.

use std::error::Error;
use std::io;

use model::{FailKind, Failure};

/// Whether the same request may be sent once more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// The server refused this stream, and would take another.
    Here,
    /// The server never took it up, and its connection is no good.
    Elsewhere,
    /// The connection was lost: only what a pooled connection may do by being stale.
    IfReused,
    /// The server's own answer, or its lack.
    Never,
}

/// A request that got no head.
pub(crate) struct SendFault {
    /// For the report.
    pub(crate) failure: Failure,
    /// For the retry rule.
    pub(crate) again: Again,
}

impl SendFault {
    /// From hyper's error; `unsent`: the request came back unwritten.
    pub(crate) fn new(error: &hyper::Error, unsent: bool) -> Self {
        let h2 = cause::<h2::Error>(error);
        let again = if h2.is_some_and(|h2| h2.reason() == Some(h2::Reason::REFUSED_STREAM)) {
            Again::Here
        } else if unsent || h2.is_some_and(left_out) {
            Again::Elsewhere
        } else if is_lost(error) {
            Again::IfReused
        } else {
            Again::Never
        };
        Self {
            failure: of_head(error),
            again,
        }
    }
}

/// A connection that could not be had.
pub(crate) fn of_connect(error: &io::Error) -> Failure {
    let words = match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused",
        io::ErrorKind::NetworkUnreachable => "network unreachable",
        io::ErrorKind::HostUnreachable => "host unreachable",
        io::ErrorKind::TimedOut => "connection timed out",
        io::ErrorKind::ConnectionReset => "connection reset",
        io::ErrorKind::PermissionDenied => "connection not permitted",
        _ if error.raw_os_error() == Some(TOO_MANY_OPEN_FILES) => "too many open files",
        _ => "no connection",
    };
    Failure::new(FailKind::Connect, words)
}

/// `EMFILE` of every Unix.
const TOO_MANY_OPEN_FILES: i32 = 24;

fn of_head(error: &hyper::Error) -> Failure {
    if error.is_parse_too_large() {
        return Failure::new(FailKind::Protocol, "the answer's head is too large");
    }
    if error.is_parse() {
        return Failure::new(FailKind::Protocol, "the answer is not valid http");
    }
    match cause::<h2::Error>(error) {
        Some(h2) => of_h2(h2),
        None => Failure::new(
            FailKind::Reset,
            "the connection was closed before the answer",
        ),
    }
}

/// A body that broke off after `read` bytes, of `told` if the head told.
pub(crate) fn of_body(error: &hyper::Error, read: u64, told: Option<u64>) -> Failure {
    if let Some(io) = cause::<io::Error>(error)
        && matches!(
            io.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
        )
        && cause::<rustls::Error>(error).is_none()
    {
        return Failure::new(FailKind::Protocol, "the body's chunks are not valid http");
    }
    let words = match told {
        Some(told) => format!("the body broke off after {read} of {told} bytes"),
        None => format!("the body broke off after {read} bytes"),
    };
    Failure::new(FailKind::Reset, words)
}

fn of_h2(error: &h2::Error) -> Failure {
    // Errors the library itself raises are about what the server sent.
    if error.is_library() && !error.is_io() {
        Failure::new(
            FailKind::Protocol,
            "the answer's head is too large or not valid http/2",
        )
    } else if error.is_reset() {
        Failure::new(FailKind::Reset, "the server reset the stream")
    } else {
        Failure::new(
            FailKind::Reset,
            "the connection was closed before the answer",
        )
    }
}

/// A server that goes away says which streams it did not take up any more.
fn left_out(error: &h2::Error) -> bool {
    error.is_go_away() && error.is_remote() && error.reason() == Some(h2::Reason::NO_ERROR)
}

fn is_lost(error: &hyper::Error) -> bool {
    error.is_incomplete_message()
        || error.is_closed()
        || error.is_canceled()
        || cause::<h2::Error>(error).is_some_and(|error| error.is_io() || error.is_go_away())
        || cause::<io::Error>(error).is_some()
}

/// The first cause of the given type.
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
