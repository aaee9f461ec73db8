//! A body as it comes in: counted, decoded, cut at its cap.

use http::HeaderMap;
use model::Failure;

use crate::coding::{Coding, undecodable};
use crate::decoder::{Corrupt, Decoder};

/// Codings may make a short body a little longer; beyond that a longer wire is an endless one.
const WIRE_SLACK: u64 = 64 * 1024;
/// Reserved at most on the word of a `Content-Length` alone.
const MOST_RESERVED: u64 = 4 << 20;

/// Whether the body is wanted further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// Go on.
    More,
    /// All that is wanted is here.
    Enough,
}

/// The bytes of one body.
pub(crate) struct BodyIntake {
    bytes: Vec<u8>,
    cap: usize,
    decoder: Option<Decoder>,
    wire_bytes: u64,
    wire_cap: u64,
    truncated: bool,
}

/// A body at its end.
pub(crate) struct Taken {
    /// The decoded bytes.
    pub(crate) bytes: Vec<u8>,
    /// Not all of it.
    pub(crate) truncated: bool,
}

impl BodyIntake {
    /// An empty intake of at most `cap` decoded bytes, of a body that may have told its length.
    pub(crate) fn new(
        headers: &HeaderMap,
        cap: u64,
        told_length: Option<u64>,
    ) -> Result<Self, Failure> {
        let codings = Coding::all(headers)?;
        let wire_cap = cap.saturating_add(WIRE_SLACK);
        let decoder = Decoder::for_codings(&codings, wire_cap);
        let reserved = match (&decoder, told_length) {
            (None, Some(length)) => length.min(cap).min(MOST_RESERVED),
            _ => 0,
        };
        Ok(Self {
            bytes: Vec::with_capacity(usize::try_from(reserved).unwrap_or_default()),
            cap: usize::try_from(cap).unwrap_or(usize::MAX),
            decoder,
            wire_bytes: 0,
            wire_cap,
            truncated: false,
        })
    }

    /// Takes a piece off the wire.
    pub(crate) fn take(&mut self, piece: &[u8]) -> Result<Flow, Failure> {
        self.wire_bytes += piece.len() as u64;
        if let Some(decoder) = &mut self.decoder {
            // One more than wanted, to know whether there is more.
            let most = self.cap.saturating_add(1);
            match decoder.feed(piece, &mut self.bytes, most) {
                Err(Corrupt) if self.bytes.is_empty() => {
                    return Err(undecodable("the body is not what its content coding says"));
                }
                Err(Corrupt) => self.truncated = true,
                Ok(()) => self.truncated = decoder.is_spent(),
            }
        } else {
            let room = (self.cap - self.bytes.len()).min(piece.len());
            self.bytes.extend_from_slice(&piece[..room]);
            self.truncated = room < piece.len();
        }
        if self.bytes.len() > self.cap {
            self.bytes.truncate(self.cap);
            self.truncated = true;
        }
        self.truncated |= self.wire_bytes > self.wire_cap;
        Ok(if self.truncated {
            Flow::Enough
        } else {
            Flow::More
        })
    }

    /// What is decoded so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes taken off the wire so far.
    pub(crate) fn wire_bytes(&self) -> u64 {
        self.wire_bytes
    }

    /// The body ended, or is wanted no further.
    pub(crate) fn end(self) -> Result<Taken, Failure> {
        let broken_off = self.wire_bytes > 0
            && !self.truncated
            && self.decoder.as_ref().is_some_and(|one| !one.is_finished());
        if broken_off && self.bytes.is_empty() {
            return Err(undecodable("the body ends inside its content coding"));
        }
        Ok(Taken {
            bytes: self.bytes,
            truncated: self.truncated || broken_off,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_exactly_the_cap_is_whole() {
        let mut intake = BodyIntake::new(&HeaderMap::new(), 4, Some(4)).unwrap();
        assert_eq!(intake.take(b"ab"), Ok(Flow::More));
        assert_eq!(intake.take(b"cd"), Ok(Flow::More));
        let taken = intake.end().unwrap();
        assert_eq!(
            (taken.bytes.as_slice(), taken.truncated),
            (&b"abcd"[..], false)
        );
    }

    #[test]
    fn one_byte_more_is_cut() {
        let mut intake = BodyIntake::new(&HeaderMap::new(), 4, None).unwrap();
        assert_eq!(intake.take(b"abc"), Ok(Flow::More));
        assert_eq!(intake.take(b"de"), Ok(Flow::Enough));
        assert_eq!(intake.wire_bytes(), 5);
        let taken = intake.end().unwrap();
        assert_eq!(
            (taken.bytes.as_slice(), taken.truncated),
            (&b"abcd"[..], true)
        );
    }

    #[test]
    fn a_told_length_is_not_believed_blindly() {
        let intake = BodyIntake::new(&HeaderMap::new(), u64::MAX, Some(u64::MAX)).unwrap();
        assert!(intake.bytes.capacity() <= 4 << 20);
    }
}
