//! A body as it comes in: counted, decoded, cut at its cap.

use bytes::Bytes;
use http::HeaderMap;
use model::Failure;

use crate::coding::{Coding, undecodable};
use crate::decoder::{Corrupt, Decoder};

/// Codings may make a short body a little longer; beyond that a longer wire is an endless one.
const WIRE_SLACK: u64 = 64 * 1024;
/// Reserved at most on the word of a `Content-Length` alone.
const MOST_RESERVED: u64 = 4 << 20;

/// A body that comes whole is kept as it came if it is as long as this; a shorter one is copied, which costs less than the
/// connection's buffer that it would hold on to.
const LEAST_KEPT: usize = 16 * 1024;

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
    /// All of the body, where it came in one piece; then `bytes` is empty.
    whole: Option<Bytes>,
    told_length: Option<u64>,
    cap: usize,
    decoder: Option<Decoder>,
    wire_bytes: u64,
    wire_cap: u64,
    truncated: bool,
}

/// A body at its end.
pub(crate) struct Taken {
    /// The decoded bytes.
    pub(crate) bytes: Bytes,
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
        Ok(Self {
            bytes: Vec::new(),
            whole: None,
            told_length: told_length.filter(|_| decoder.is_none()),
            cap: usize::try_from(cap).unwrap_or(usize::MAX),
            decoder,
            wire_bytes: 0,
            wire_cap,
            truncated: false,
        })
    }

    /// Takes a piece off the wire.
    pub(crate) fn take(&mut self, piece: &Bytes) -> Result<Flow, Failure> {
        if self.wire_bytes == 0 && self.is_whole(piece) {
            self.wire_bytes = piece.len() as u64;
            self.whole = Some(piece.clone());
            return Ok(Flow::More);
        }
        if self.bytes.capacity() == 0 {
            self.bytes.reserve(self.room_told());
        }
        if let Some(whole) = self.whole.take() {
            self.bytes.extend_from_slice(&whole);
        }
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

    /// Whether a first piece is all that comes, and is kept as it is.
    fn is_whole(&self, piece: &Bytes) -> bool {
        (LEAST_KEPT..=self.cap).contains(&piece.len())
            && self.told_length == Some(piece.len() as u64)
    }

    /// What to reserve on the word of a `Content-Length`.
    fn room_told(&self) -> usize {
        let told = self.told_length.unwrap_or_default().min(MOST_RESERVED);
        usize::try_from(told).map_or(self.cap, |told| told.min(self.cap))
    }

    /// What is decoded so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.whole.as_deref().unwrap_or(&self.bytes)
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
            bytes: self.whole.unwrap_or_else(|| self.bytes.into()),
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
        assert_eq!(intake.take(&Bytes::from_static(b"ab")), Ok(Flow::More));
        assert_eq!(intake.take(&Bytes::from_static(b"cd")), Ok(Flow::More));
        let taken = intake.end().unwrap();
        assert_eq!((&taken.bytes[..], taken.truncated), (&b"abcd"[..], false));
    }

    #[test]
    fn one_byte_more_is_cut() {
        let mut intake = BodyIntake::new(&HeaderMap::new(), 4, None).unwrap();
        assert_eq!(intake.take(&Bytes::from_static(b"abc")), Ok(Flow::More));
        assert_eq!(intake.take(&Bytes::from_static(b"de")), Ok(Flow::Enough));
        assert_eq!(intake.wire_bytes(), 5);
        let taken = intake.end().unwrap();
        assert_eq!((&taken.bytes[..], taken.truncated), (&b"abcd"[..], true));
    }

    /// A long body in one piece is not copied; in two, or with more behind what was told, it is, and nothing is lost.
    #[test]
    fn a_body_in_one_piece_is_kept_as_it_came() {
        let long = Bytes::from(vec![b'x'; LEAST_KEPT]);
        let taken = |told: usize, pieces: &[Bytes]| {
            let told = Some(told as u64);
            let mut intake = BodyIntake::new(&HeaderMap::new(), 1 << 20, told).unwrap();
            for piece in pieces {
                assert_eq!(intake.take(piece), Ok(Flow::More));
            }
            let length: usize = pieces.iter().map(Bytes::len).sum();
            assert_eq!(
                (intake.bytes().len(), intake.wire_bytes()),
                (length, length as u64)
            );
            let taken = intake.end().unwrap();
            assert!(!taken.truncated);
            assert_eq!(taken.bytes.len(), length);
            taken.bytes.as_ptr() == long.as_ptr()
        };
        assert!(taken(LEAST_KEPT, std::slice::from_ref(&long)));
        assert!(!taken(
            LEAST_KEPT + 2,
            &[long.clone(), Bytes::from_static(b"yz")]
        ));
        assert!(!taken(
            LEAST_KEPT,
            &[long.clone(), Bytes::from_static(b"yz")]
        ));
        assert!(!taken(2, &[Bytes::from_static(b"yz")]));
    }

    #[test]
    fn a_told_length_is_not_believed_blindly() {
        for told in [1 << 40, u64::MAX] {
            let mut intake = BodyIntake::new(&HeaderMap::new(), u64::MAX, Some(told)).unwrap();
            intake.take(&Bytes::from_static(b"x")).unwrap();
            assert!(intake.bytes.capacity() <= 4 << 20);
        }
    }
}
