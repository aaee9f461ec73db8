//! Reading a body, or not, over the connection it comes on.

use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as _, Incoming};
use model::Failure;
use tokio::time::timeout;

use crate::alarm::{Alarm, Phase};
use crate::body_intake::{BodyIntake, Flow};
use crate::fault;
use crate::link::Link;

/// A body that is not wanted is read to its end if it is no longer than this: a new connection costs
/// more.
const MOST_DRAINED: u64 = 16 * 1024;
/// And if it takes no longer than this.
const DRAIN_TIME: Duration = Duration::from_millis(250);
/// Decoded bytes that tell what a body without a type is.
const SNIFFED: usize = 512;

/// What was read of a body.
pub(crate) struct Reading {
    /// The decoded bytes; `None` if they were not wanted.
    pub(crate) bytes: Option<Bytes>,
    /// Bytes taken off the wire.
    pub(crate) wire_bytes: u64,
    /// There is more than was read.
    pub(crate) truncated: bool,
    /// The body came to its end, so the connection is free again.
    pub(crate) ended: bool,
}

impl Reading {
    fn unwanted(wire_bytes: u64, ended: bool) -> Self {
        Self {
            bytes: None,
            wire_bytes,
            truncated: false,
            ended,
        }
    }
}

/// Leaves a body alone, but for a rest so small that the connection is worth more. A body of unknown
/// length counts as small if `unknown_is_small`, until it turns out not to be.
pub(crate) async fn skip(link: &mut Link, body: &mut Incoming, unknown_is_small: bool) -> Reading {
    let told = body.size_hint().exact();
    if !told.map_or(unknown_is_small, |length| length <= MOST_DRAINED) {
        return Reading::unwanted(0, false);
    }
    let mut wire_bytes = 0;
    let drain = async {
        while !body.is_end_stream() && wire_bytes <= MOST_DRAINED {
            match link.frame(body).await {
                None => return true,
                Some(Err(_)) => return false,
                Some(Ok(frame)) => {
                    wire_bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                }
            }
        }
        wire_bytes <= MOST_DRAINED
    };
    // What goes wrong here concerns the connection, not the answer.
    let ended = timeout(DRAIN_TIME, drain).await.unwrap_or(false);
    Reading::unwanted(wire_bytes, ended)
}

/// Reads a body into an intake. With `sniff`, only if its first bytes pass.
pub(crate) async fn read(
    link: &mut Link,
    body: &mut Incoming,
    mut intake: BodyIntake,
    sniff: Option<fn(&[u8]) -> bool>,
    alarm: &mut Alarm,
) -> Result<Reading, Failure> {
    let told = body.size_hint().exact();
    let mut undecided = sniff;
    let mut ended = body.is_end_stream();
    while !ended {
        let Some(frame) = alarm.within(Phase::Piece, link.frame(body)).await? else {
            ended = true;
            break;
        };
        let frame = frame.map_err(|error| fault::of_body(&error, intake.wire_bytes(), told))?;
        let Some(piece) = frame.data_ref() else {
            continue;
        };
        let flow = intake.take(piece)?;
        if let Some(passes) = undecided
            && intake.bytes().len() >= SNIFFED
        {
            if !passes(intake.bytes()) {
                return Ok(Reading::unwanted(intake.wire_bytes(), false));
            }
            undecided = None;
        }
        if flow == Flow::Enough {
            break;
        }
        ended = body.is_end_stream();
    }
    let wire_bytes = intake.wire_bytes();
    if undecided.is_some_and(|passes| !passes(intake.bytes())) {
        return Ok(Reading::unwanted(wire_bytes, ended));
    }
    let taken = intake.end()?;
    Ok(Reading {
        bytes: Some(taken.bytes),
        wire_bytes,
        truncated: taken.truncated,
        ended,
    })
}
