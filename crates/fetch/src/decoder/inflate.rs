//! gzip and deflate.

use flate2::{Decompress, FlushDecompress, Status};

use super::DecodeError;
use super::layer::{Stage, Step};

/// The largest window, which every server uses.
const WINDOW_BITS: u8 = 15;
/// First byte of a gzip member.
const GZIP_MAGIC: u8 = 0x1f;
/// Low four bits of the first byte of a zlib stream. A raw deflate stream cannot begin like this unless its
/// encoder padded a stored block with ones.
const ZLIB_METHOD: u8 = 8;

pub(super) struct Inflate {
    format: Format,
    /// `None` before the first byte, and between gzip members.
    stream: Option<Decompress>,
    ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Gzip,
    Deflate,
}

impl Inflate {
    pub(super) fn gzip() -> Self {
        Self::new(Format::Gzip)
    }

    pub(super) fn deflate() -> Self {
        Self::new(Format::Deflate)
    }

    fn new(format: Format) -> Self {
        Self {
            format,
            stream: None,
            ended: false,
        }
    }

    fn begin(&self, first: u8) -> Option<Decompress> {
        match self.format {
            Format::Gzip if self.ended && first != GZIP_MAGIC => None,
            Format::Gzip => Some(Decompress::new_gzip(WINDOW_BITS)),
            Format::Deflate if self.ended => None,
            Format::Deflate => Some(Decompress::new(first & 0x0f == ZLIB_METHOD)),
        }
    }
}

impl Stage for Inflate {
    fn step(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, DecodeError> {
        if self.stream.is_none() {
            let Some(stream) = input.first().and_then(|first| self.begin(*first)) else {
                return Ok(Step {
                    consumed: 0,
                    ended: self.ended,
                });
            };
            self.stream = Some(stream);
            self.ended = false;
        }
        let stream = self.stream.as_mut().ok_or(DecodeError::Corrupt)?;
        let before = stream.total_in();
        let status = stream
            .decompress_vec(input, out, FlushDecompress::None)
            .map_err(|_| DecodeError::Corrupt)?;
        let consumed =
            usize::try_from(stream.total_in() - before).map_err(|_| DecodeError::Corrupt)?;
        if status == Status::StreamEnd {
            self.stream = None;
            self.ended = true;
        }
        Ok(Step {
            consumed,
            ended: self.ended,
        })
    }
}
