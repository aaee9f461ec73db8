//! Taking content codings off, piece by piece, with the output bounded.
//!
//! A layer never writes past the room it is given, so a bomb of ten gigabytes costs no more than the
//! cap: that, and not the length of the input, is what keeps memory bounded. Layers are plain state
//! machines without I/O; they could be kept and reset between bodies.

mod brotli;
mod inflate;
mod layer;
mod zstd;

use self::layer::Layer;
use crate::coding::Coding;

/// The body is not what its coding says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Corrupt;

/// Bytes handed from one layer to the next at a time.
const BETWEEN: usize = 16 * 1024;

/// The decoder of one body: one layer, or two.
pub(crate) struct Decoder {
    outer: Layer,
    inner: Option<Inner>,
}

/// The second layer, with what the first has written for it.
struct Inner {
    layer: Layer,
    waiting: Vec<u8>,
    passed: u64,
    /// Bytes the first layer may write in all: a second layer that yields nothing must not keep the
    /// first one busy for gigabytes.
    most_passed: u64,
}

impl Decoder {
    /// The decoder for codings in the order they were put on; `None` if there are none.
    pub(crate) fn for_codings(codings: &[Coding], most_passed: u64) -> Option<Self> {
        let (outer, rest) = codings.split_last()?;
        Some(Self {
            outer: Layer::new(*outer),
            inner: rest.last().map(|coding| Inner {
                layer: Layer::new(*coding),
                waiting: Vec::new(),
                passed: 0,
                most_passed,
            }),
        })
    }

    /// Decodes a piece into `out`, which is full at `most` bytes. What no longer fits is lost.
    pub(crate) fn feed(
        &mut self,
        piece: &[u8],
        out: &mut Vec<u8>,
        most: usize,
    ) -> Result<(), Corrupt> {
        let Some(inner) = &mut self.inner else {
            return self.outer.feed(piece, out, most).map(|_| ());
        };
        let mut rest = piece;
        while out.len() < most && !inner.is_spent() {
            inner.waiting.clear();
            let used = self.outer.feed(rest, &mut inner.waiting, BETWEEN)?;
            rest = &rest[used..];
            if inner.waiting.is_empty() {
                break;
            }
            inner.passed += inner.waiting.len() as u64;
            inner.layer.feed(&inner.waiting, out, most)?;
        }
        Ok(())
    }

    /// Whether the coding came to its proper end.
    pub(crate) fn is_finished(&self) -> bool {
        let inner = self.inner.as_ref();
        self.outer.is_finished() && inner.is_none_or(|inner| inner.layer.is_finished())
    }

    /// Whether no more output will be made of any input.
    pub(crate) fn is_spent(&self) -> bool {
        self.inner.as_ref().is_some_and(Inner::is_spent)
    }
}

impl Inner {
    fn is_spent(&self) -> bool {
        self.passed > self.most_passed
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

    /// Feeds in pieces of the given size; the output and whether it ended properly.
    fn decode(codings: &[Coding], wire: &[u8], size: usize, most: usize) -> (Vec<u8>, bool) {
        let mut decoder = Decoder::for_codings(codings, 1 << 20).unwrap();
        let mut out = Vec::new();
        for piece in wire.chunks(size) {
            decoder.feed(piece, &mut out, most).unwrap();
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
    fn any_cut_of_the_wire_decodes_alike() {
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
    fn gzip_members_follow_each_other_and_padding_is_ignored() {
        let mut wire = gzip(b"one ");
        wire.extend(gzip(b"two"));
        wire.extend([0; 64]);
        for size in [1, 3, 1_000] {
            let (out, finished) = decode(&[Coding::Gzip], &wire, size, 100);
            assert_eq!((out.as_slice(), finished), (&b"one two"[..], true));
        }
    }

    #[test]
    fn the_output_stops_at_its_room() {
        let bomb = gzip(&vec![0; 20 << 20]);
        let (out, finished) = decode(&[Coding::Gzip], &bomb, 1_000, 5_000);
        assert!(out.len() >= 5_000 && out.len() < 5_100 && !finished);
        assert!(out.capacity() < 20_000, "{}", out.capacity());
        let (out, _) = decode(&[Coding::Gzip, Coding::Gzip], &gzip(&bomb), 1_000, 5_000);
        assert!(out.len() >= 5_000 && out.len() < 5_100);
    }

    #[test]
    fn empty_members_under_a_second_coding_do_not_run_for_ever() {
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
            let fed = decoder.feed(garbage, &mut Vec::new(), 1 << 20);
            assert_eq!(fed, Err(Corrupt), "{coding:?}");
        }
    }
}
