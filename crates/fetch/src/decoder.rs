//! Decodes content codings piece by piece, with bounded output.
//!
//! A layer never writes past its output limit, so a ten-gigabyte decompression bomb costs no more memory than the
//! cap. Layers are plain state machines without I/O.

mod brotli;
mod inflate;
mod layer;
mod zstd;

use self::layer::Layer;
use crate::coding::Coding;

/// Why a body cannot be decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DecodeError {
    /// The input is not valid for its content coding.
    Corrupt,
    /// A zstd frame needs a larger window than web content may use.
    WindowTooLarge,
}

impl DecodeError {
    /// Returns the message for the user.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Corrupt => "the body does not match its content coding",
            Self::WindowTooLarge => "the body needs a zstd window of more than 8 MiB",
        }
    }
}

/// Size of the buffer between two layers.
const LAYER_BUFFER: usize = 16 * 1024;

/// Decoder of one body, with one or two layers.
pub(crate) struct Decoder {
    outer: Layer,
    inner: Option<InnerLayer>,
}

/// The second layer and the output of the first.
struct InnerLayer {
    layer: Layer,
    buffer: Vec<u8>,
    passed: u64,
    /// Maximum total output of the first layer: a second layer that produces nothing must not keep the first
    /// one busy for gigabytes.
    max_passed: u64,
}

impl Decoder {
    /// Creates the decoder for codings in the order they were applied; `None` if there are none.
    pub(crate) fn for_codings(codings: &[Coding], max_passed: u64) -> Option<Self> {
        let (outer, rest) = codings.split_last()?;
        Some(Self {
            outer: Layer::new(*outer),
            inner: rest.last().map(|coding| InnerLayer {
                layer: Layer::new(*coding),
                buffer: Vec::new(),
                passed: 0,
                max_passed,
            }),
        })
    }

    /// Decodes a piece into `out`, up to `limit` bytes. The rest is discarded.
    pub(crate) fn feed(
        &mut self,
        piece: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), DecodeError> {
        let Some(inner) = &mut self.inner else {
            return self.outer.feed(piece, out, limit).map(|_| ());
        };
        let mut rest = piece;
        while out.len() < limit && !inner.is_spent() {
            inner.buffer.clear();
            let consumed = self.outer.feed(rest, &mut inner.buffer, LAYER_BUFFER)?;
            rest = &rest[consumed..];
            if inner.buffer.is_empty() {
                break;
            }
            inner.passed += inner.buffer.len() as u64;
            inner.layer.feed(&inner.buffer, out, limit)?;
        }
        Ok(())
    }

    /// Whether the encoded stream is complete.
    pub(crate) fn is_finished(&self) -> bool {
        let inner = self.inner.as_ref();
        self.outer.is_finished() && inner.is_none_or(|inner| inner.layer.is_finished())
    }

    /// Whether no input can produce more output.
    pub(crate) fn is_spent(&self) -> bool {
        self.inner.as_ref().is_some_and(InnerLayer::is_spent)
    }
}

impl InnerLayer {
    fn is_spent(&self) -> bool {
        self.passed > self.max_passed
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(plain).unwrap();
        writer.finish().unwrap()
    }

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(plain).unwrap();
        writer.finish().unwrap()
    }

    fn raw_deflate(plain: &[u8]) -> Vec<u8> {
        let mut writer =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(plain).unwrap();
        writer.finish().unwrap()
    }

    /// Decodes in pieces of the given size. Returns the output and whether the stream was complete.
    fn decode(codings: &[Coding], wire: &[u8], size: usize, limit: usize) -> (Vec<u8>, bool) {
        let mut decoder = Decoder::for_codings(codings, 1 << 20).unwrap();
        let mut out = Vec::new();
        for piece in wire.chunks(size) {
            decoder.feed(piece, &mut out, limit).unwrap();
        }
        (out, decoder.is_finished())
    }

    fn plain() -> Vec<u8> {
        (0..4_000_u32)
            .flat_map(|number| {
                format!("<p>{}</p>", number.wrapping_mul(2_654_435_761)).into_bytes()
            })
            .collect()
    }

    #[test]
    fn the_size_of_the_pieces_does_not_matter() {
        let plain = plain();
        let twice = gzip(&gzip(&plain));
        for size in [1, 2, 7, 1_000, 1 << 20] {
            for (codings, wire) in [
                (&[Coding::Gzip][..], &gzip(&plain)),
                (&[Coding::Deflate], &zlib(&plain)),
                (&[Coding::Deflate], &raw_deflate(&plain)),
                (&[Coding::Gzip, Coding::Gzip], &twice),
            ] {
                let (out, finished) = decode(codings, wire, size, usize::MAX);
                assert!(finished, "{codings:?} in pieces of {size}");
                assert!(out == plain, "{codings:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn several_gzip_members_are_decoded_and_padding_is_ignored() {
        let mut wire = gzip(b"one ");
        wire.extend(gzip(b"two"));
        wire.extend([0; 64]);
        for size in [1, 3, 1_000] {
            let (out, finished) = decode(&[Coding::Gzip], &wire, size, 100);
            assert_eq!((out.as_slice(), finished), (&b"one two"[..], true));
        }
    }

    #[test]
    fn the_output_stops_at_its_limit() {
        let bomb = gzip(&vec![0; 20 << 20]);
        let (out, finished) = decode(&[Coding::Gzip], &bomb, 1_000, 5_000);
        assert!(out.len() >= 5_000 && out.len() < 5_100 && !finished);
        assert!(out.capacity() < 20_000, "{}", out.capacity());
        let (out, _) = decode(&[Coding::Gzip, Coding::Gzip], &gzip(&bomb), 1_000, 5_000);
        assert!(out.len() >= 5_000 && out.len() < 5_100);
    }

    #[test]
    fn empty_members_under_a_second_coding_do_not_run_forever() {
        let empties: Vec<u8> = std::iter::repeat_n(gzip(b""), 500_000).flatten().collect();
        let wire = gzip(&empties);
        let mut decoder = Decoder::for_codings(&[Coding::Gzip, Coding::Gzip], 10_000).unwrap();
        let mut out = Vec::new();
        decoder.feed(&wire, &mut out, 100).unwrap();
        assert!(out.is_empty() && decoder.is_spent());
    }

    #[test]
    fn garbage_is_corrupt_in_every_coding() {
        for coding in [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd] {
            let mut decoder = Decoder::for_codings(&[coding], 1 << 20).unwrap();
            let garbage = b"\xff\xfe<html>this is not compressed at all</html>";
            let result = decoder.feed(garbage, &mut Vec::new(), 1 << 20);
            assert_eq!(result, Err(DecodeError::Corrupt), "{coding:?}");
        }
    }

    #[test]
    fn a_zstd_window_larger_than_the_web_allows_has_its_own_error() {
        // A frame with a window of 2^(10 + exponent) bytes and one raw block.
        let frame = |exponent: u8| {
            let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3, 0x29, 0, 0];
            frame.extend_from_slice(b"hello");
            frame
        };
        for (exponent, result) in [(13, Ok(())), (14, Err(DecodeError::WindowTooLarge))] {
            let mut decoder = Decoder::for_codings(&[Coding::Zstd], 1 << 20).unwrap();
            let mut out = Vec::new();
            assert_eq!(decoder.feed(&frame(exponent), &mut out, 100), result);
            assert_eq!(out == b"hello", result.is_ok(), "{exponent}");
        }
    }
}
