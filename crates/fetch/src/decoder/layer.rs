//! One decoding layer, for any content coding.

use super::DecodeError;
use super::brotli::Brotli;
use super::inflate::Inflate;
use super::zstd::Zstd;
use crate::coding::Coding;

/// Result of one decoding step.
pub(super) struct Step {
    /// Bytes of input consumed.
    pub(super) consumed: usize,
    /// Whether the stream is complete at this point.
    pub(super) ended: bool,
}

/// A decoder of one coding.
pub(super) trait Stage: Send + Sync {
    /// Consumes some input and writes output into the spare capacity of `out`, which is never empty.
    fn step(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, DecodeError>;
}

/// One decoding layer and its state.
pub(super) struct Layer {
    stage: Box<dyn Stage>,
    ended: bool,
}

/// Minimum number of bytes reserved at a time.
const MIN_GROWTH: usize = 8 * 1024;
/// Typical compression ratio of a page. Reserving space for the whole output spares most decoders an internal copy.
const TYPICAL_RATIO: usize = 6;

impl Layer {
    pub(super) fn new(coding: Coding) -> Self {
        let stage: Box<dyn Stage> = match coding {
            Coding::Gzip => Box::new(Inflate::gzip()),
            Coding::Deflate => Box::new(Inflate::deflate()),
            Coding::Brotli => Box::new(Brotli::new()),
            Coding::Zstd => Box::new(Zstd::new()),
        };
        Self {
            stage,
            ended: false,
        }
    }

    /// Decodes until the input is consumed or `out` holds `limit` bytes. Returns the number of input bytes consumed.
    pub(super) fn feed(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<usize, DecodeError> {
        let mut consumed = 0;
        while out.len() < limit {
            let before = out.len();
            reserve(out, (input.len() - consumed) * TYPICAL_RATIO, limit);
            match self.stage.step(&input[consumed..], out) {
                Ok(step) => {
                    // A step that did nothing has no meaningful state: after the end of a stream some decoders
                    // already report that they need input.
                    if step.consumed == 0 && out.len() == before {
                        break;
                    }
                    consumed += step.consumed;
                    self.ended = step.ended;
                }
                // Anything after the end of the stream is padding.
                Err(_) if self.ended => break,
                Err(error) => return Err(error),
            }
        }
        Ok(consumed)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.ended
    }
}

/// Reserves the expected size, or doubles, but never past `limit`: the spare capacity bounds a step.
fn reserve(out: &mut Vec<u8>, expected: usize, limit: usize) {
    if out.len() == out.capacity() {
        let growth = out.len().max(expected).max(MIN_GROWTH);
        out.reserve_exact(growth.min(limit - out.len()));
    }
}
