//! Collects a body: counts it, decodes it and truncates it at a cap.

use bytes::Bytes;
use crawler_model::Failure;
use http::HeaderMap;

use crate::coding::{Coding, undecodable};
use crate::decoder::Decoder;

/// Encoding may make a short body slightly longer. Anything beyond this is treated as endless.
const WIRE_SLACK: u64 = 64 * 1024;
/// Maximum memory reserved because of a `Content-Length` alone.
const MAX_RESERVED: u64 = 4 << 20;

/// A body that arrives in one piece and is at least this long is kept without copying. A shorter one is copied, which
/// costs less than keeping the connection's read buffer alive.
const MIN_ZERO_COPY: usize = 16 * 1024;

/// Whether to read more of the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// Continue reading.
    Continue,
    /// Everything that is needed has been read.
    Stop,
}

/// The bytes of one body, up to a cap.
pub(crate) struct BodyBuffer {
    bytes: Vec<u8>,
    /// The complete body, if it arrived in one piece; `bytes` is empty then.
    single_piece: Option<Bytes>,
    content_length: Option<u64>,
    cap: usize,
    decoder: Option<Decoder>,
    wire_bytes: u64,
    wire_cap: u64,
    truncated: bool,
}

/// A completely read, or truncated, body.
pub(crate) struct FinishedBody {
    /// The decoded bytes.
    pub(crate) bytes: Bytes,
    /// Whether bytes are missing at the end.
    pub(crate) truncated: bool,
}

impl BodyBuffer {
    /// Creates an empty buffer for at most `cap` decoded bytes.
    pub(crate) fn new(
        headers: &HeaderMap,
        cap: u64,
        content_length: Option<u64>,
    ) -> Result<Self, Failure> {
        let codings = Coding::all(headers)?;
        let wire_cap = cap.saturating_add(WIRE_SLACK);
        let decoder = Decoder::for_codings(&codings, wire_cap);
        Ok(Self {
            bytes: Vec::new(),
            single_piece: None,
            content_length: content_length.filter(|_| decoder.is_none()),
            cap: usize::try_from(cap).unwrap_or(usize::MAX),
            decoder,
            wire_bytes: 0,
            wire_cap,
            truncated: false,
        })
    }

    /// Adds a piece as received from the network.
    pub(crate) fn push(&mut self, piece: &Bytes) -> Result<Flow, Failure> {
        if self.wire_bytes == 0 && self.is_complete_body(piece) {
            self.wire_bytes = piece.len() as u64;
            self.single_piece = Some(piece.clone());
            return Ok(Flow::Continue);
        }
        if self.bytes.capacity() == 0 {
            self.bytes.reserve(self.capacity_hint());
        }
        if let Some(single_piece) = self.single_piece.take() {
            self.bytes.extend_from_slice(&single_piece);
        }
        self.wire_bytes += piece.len() as u64;
        if let Some(decoder) = &mut self.decoder {
            // One byte more than the cap, to detect that the body is longer.
            let limit = self.cap.saturating_add(1);
            match decoder.feed(piece, &mut self.bytes, limit) {
                Err(error) if self.bytes.is_empty() => return Err(undecodable(error.message())),
                Err(_) => self.truncated = true,
                Ok(()) => self.truncated = decoder.is_spent(),
            }
        } else {
            let length = (self.cap - self.bytes.len()).min(piece.len());
            self.bytes.extend_from_slice(&piece[..length]);
            self.truncated = length < piece.len();
        }
        if self.bytes.len() > self.cap {
            self.bytes.truncate(self.cap);
            self.truncated = true;
        }
        self.truncated |= self.wire_bytes > self.wire_cap;
        Ok(if self.truncated {
            Flow::Stop
        } else {
            Flow::Continue
        })
    }

    /// Whether the first piece is the complete body and can be kept without copying.
    fn is_complete_body(&self, piece: &Bytes) -> bool {
        (MIN_ZERO_COPY..=self.cap).contains(&piece.len())
            && self.content_length == Some(piece.len() as u64)
    }

    /// Returns the capacity to reserve, based on `Content-Length`.
    fn capacity_hint(&self) -> usize {
        let expected = self.content_length.unwrap_or_default().min(MAX_RESERVED);
        usize::try_from(expected).map_or(self.cap, |expected| expected.min(self.cap))
    }

    /// Returns the bytes decoded so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.single_piece.as_deref().unwrap_or(&self.bytes)
    }

    /// Returns the number of bytes received so far, before decoding.
    pub(crate) fn wire_bytes(&self) -> u64 {
        self.wire_bytes
    }

    /// Ends the body: it is complete, or no more of it is needed.
    pub(crate) fn finish(self) -> Result<FinishedBody, Failure> {
        let ended_early = self.wire_bytes > 0
            && !self.truncated
            && self
                .decoder
                .as_ref()
                .is_some_and(|decoder| !decoder.is_finished());
        if ended_early && self.bytes.is_empty() {
            return Err(undecodable(
                "the body ended in the middle of its content coding",
            ));
        }
        Ok(FinishedBody {
            bytes: self.single_piece.unwrap_or_else(|| self.bytes.into()),
            truncated: self.truncated || ended_early,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_exactly_the_cap_is_complete() {
        let mut buffer = BodyBuffer::new(&HeaderMap::new(), 4, Some(4)).unwrap();
        assert_eq!(buffer.push(&Bytes::from_static(b"ab")), Ok(Flow::Continue));
        assert_eq!(buffer.push(&Bytes::from_static(b"cd")), Ok(Flow::Continue));
        let body = buffer.finish().unwrap();
        assert_eq!((&body.bytes[..], body.truncated), (&b"abcd"[..], false));
    }

    #[test]
    fn one_byte_over_the_cap_is_truncated() {
        let mut buffer = BodyBuffer::new(&HeaderMap::new(), 4, None).unwrap();
        assert_eq!(buffer.push(&Bytes::from_static(b"abc")), Ok(Flow::Continue));
        assert_eq!(buffer.push(&Bytes::from_static(b"de")), Ok(Flow::Stop));
        assert_eq!(buffer.wire_bytes(), 5);
        let body = buffer.finish().unwrap();
        assert_eq!((&body.bytes[..], body.truncated), (&b"abcd"[..], true));
    }

    /// A long body in one piece is not copied. In two pieces, or with bytes beyond `Content-Length`, it is copied and
    /// nothing is lost.
    #[test]
    fn a_body_in_one_piece_is_not_copied() {
        let long = Bytes::from(vec![b'x'; MIN_ZERO_COPY]);
        let taken = |expected: usize, pieces: &[Bytes]| {
            let expected = Some(expected as u64);
            let mut buffer = BodyBuffer::new(&HeaderMap::new(), 1 << 20, expected).unwrap();
            for piece in pieces {
                assert_eq!(buffer.push(piece), Ok(Flow::Continue));
            }
            let length: usize = pieces.iter().map(Bytes::len).sum();
            assert_eq!(
                (buffer.bytes().len(), buffer.wire_bytes()),
                (length, length as u64)
            );
            let body = buffer.finish().unwrap();
            assert!(!body.truncated);
            assert_eq!(body.bytes.len(), length);
            body.bytes.as_ptr() == long.as_ptr()
        };
        assert!(taken(MIN_ZERO_COPY, std::slice::from_ref(&long)));
        assert!(!taken(
            MIN_ZERO_COPY + 2,
            &[long.clone(), Bytes::from_static(b"yz")]
        ));
        assert!(!taken(
            MIN_ZERO_COPY,
            &[long.clone(), Bytes::from_static(b"yz")]
        ));
        assert!(!taken(2, &[Bytes::from_static(b"yz")]));
    }

    #[test]
    fn a_huge_content_length_does_not_reserve_memory() {
        for expected in [1 << 40, u64::MAX] {
            let mut buffer = BodyBuffer::new(&HeaderMap::new(), u64::MAX, Some(expected)).unwrap();
            buffer.push(&Bytes::from_static(b"x")).unwrap();
            assert!(buffer.bytes.capacity() <= 4 << 20);
        }
    }
}
