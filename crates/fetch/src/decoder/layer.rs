//! One coding's state machine, whichever it is.

use super::Corrupt;
use super::brotli::Brotli;
use super::inflate::Inflate;
use super::zstd::Zstd;
use crate::coding::Coding;

/// What one step did.
pub(super) struct Step {
    /// Bytes of input taken.
    pub(super) used: usize,
    /// Whether the coding stands at a proper end.
    pub(super) ended: bool,
}

/// A decoder of one coding.
pub(super) trait Stage: Send + Sync {
    /// Takes some input and writes some output into `out`'s spare capacity, which is never empty.
    fn step(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, Corrupt>;
}

/// One coding taken off, with where it stands.
pub(super) struct Layer {
    stage: Box<dyn Stage>,
    ended: bool,
}

/// The least that is reserved at a time.
const LEAST_GROWTH: usize = 8 * 1024;
/// How many times its input a page is, about. Room for all of it at once spares most decoders their own copy of what they
/// wrote, which they keep for the next call.
const USUAL_RATIO: usize = 6;

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

    /// Decodes until the input is used up or `out` holds `most` bytes; how much input was used.
    pub(super) fn feed(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        most: usize,
    ) -> Result<usize, Corrupt> {
        let mut used = 0;
        while out.len() < most {
            let before = out.len();
            make_room(out, (input.len() - used) * USUAL_RATIO, most);
            match self.stage.step(&input[used..], out) {
                Ok(step) => {
                    // A step that did nothing says nothing: after a proper end some decoders already
                    // ask for what might follow.
                    if step.used == 0 && out.len() == before {
                        break;
                    }
                    used += step.used;
                    self.ended = step.ended;
                }
                // What follows a proper end is padding, whatever it looks like.
                Err(Corrupt) if self.ended => break,
                Err(Corrupt) => return Err(Corrupt),
            }
        }
        Ok(used)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.ended
    }
}

/// Grows by what is expected, or by doubling, never past `most`: spare capacity is what bounds a step.
fn make_room(out: &mut Vec<u8>, expected: usize, most: usize) {
    if out.len() == out.capacity() {
        let growth = out.len().max(expected).max(LEAST_GROWTH);
        out.reserve_exact(growth.min(most - out.len()));
    }
}
