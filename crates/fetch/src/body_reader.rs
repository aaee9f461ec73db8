//! Reads a response body, or skips it, over its connection.

use std::time::Duration;

use bytes::Bytes;
use crawler_model::Failure;
use hyper::body::{Body as _, Incoming};
use tokio::time::timeout;

use crate::body_buffer::{BodyBuffer, Flow};
use crate::errors;
use crate::http_connection::HttpConnection;
use crate::request_timer::{Phase, RequestTimer};

/// An unneeded body of at most this many bytes is read to its end, so that the connection can be reused.
const MAX_DRAINED: u64 = 16 * 1024;
/// Maximum time spent on reading an unneeded body.
const MAX_DRAIN_TIME: Duration = Duration::from_millis(250);
/// Decoded bytes used to recognize a body without a content type.
const SNIFF_BYTES: usize = 512;

/// The part of a body that was read.
pub(crate) struct BodyRead {
    /// The decoded bytes; `None` if the body was skipped.
    pub(crate) bytes: Option<Bytes>,
    /// Bytes received, before decoding.
    pub(crate) wire_bytes: u64,
    /// Whether the body is longer than what was read.
    pub(crate) truncated: bool,
    /// Whether the body was read to its end, so that the connection can be reused.
    pub(crate) ended: bool,
}

impl BodyRead {
    fn skipped(wire_bytes: u64, ended: bool) -> Self {
        Self {
            bytes: None,
            wire_bytes,
            truncated: false,
            ended,
        }
    }
}

/// Skips a body. A small one is read and discarded, so that the connection can be reused. A body of unknown length
/// counts as small if `unknown_is_small`, until it turns out not to be.
pub(crate) async fn skip(
    connection: &mut HttpConnection,
    body: &mut Incoming,
    unknown_is_small: bool,
) -> BodyRead {
    let expected = body.size_hint().exact();
    if !expected.map_or(unknown_is_small, |length| length <= MAX_DRAINED) {
        return BodyRead::skipped(0, false);
    }
    let mut wire_bytes = 0;
    let drain = async {
        while !body.is_end_stream() && wire_bytes <= MAX_DRAINED {
            match connection.frame(body).await {
                None => return true,
                Some(Err(_)) => return false,
                Some(Ok(frame)) => {
                    wire_bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                }
            }
        }
        wire_bytes <= MAX_DRAINED
    };
    // An error here affects only the reuse of the connection, not the response.
    let ended = timeout(MAX_DRAIN_TIME, drain).await.unwrap_or(false);
    BodyRead::skipped(wire_bytes, ended)
}

/// Reads a body into a buffer. With `sniff`, only if `sniff` accepts its first bytes.
pub(crate) async fn read(
    connection: &mut HttpConnection,
    body: &mut Incoming,
    mut buffer: BodyBuffer,
    sniff: Option<fn(&[u8]) -> bool>,
    timer: &mut RequestTimer,
) -> Result<BodyRead, Failure> {
    let expected = body.size_hint().exact();
    let mut pending_sniff = sniff;
    let mut ended = body.is_end_stream();
    while !ended {
        let Some(frame) = timer.within(Phase::Body, connection.frame(body)).await? else {
            ended = true;
            break;
        };
        let frame =
            frame.map_err(|error| errors::from_body(&error, buffer.wire_bytes(), expected))?;
        let Some(piece) = frame.data_ref() else {
            continue;
        };
        let flow = buffer.push(piece)?;
        if let Some(sniff) = pending_sniff
            && buffer.bytes().len() >= SNIFF_BYTES
        {
            if !sniff(buffer.bytes()) {
                return Ok(BodyRead::skipped(buffer.wire_bytes(), false));
            }
            pending_sniff = None;
        }
        if flow == Flow::Stop {
            break;
        }
        ended = body.is_end_stream();
    }
    let wire_bytes = buffer.wire_bytes();
    if pending_sniff.is_some_and(|sniff| !sniff(buffer.bytes())) {
        return Ok(BodyRead::skipped(wire_bytes, ended));
    }
    let body = buffer.finish()?;
    Ok(BodyRead {
        bytes: Some(body.bytes),
        wire_bytes,
        truncated: body.truncated,
        ended,
    })
}
