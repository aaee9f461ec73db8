//! Brotli.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::Corrupt;
use super::layer::{Stage, Step};

type State = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

pub(super) struct Brotli {
    state: Box<State>,
    total: usize,
    ended: bool,
}

impl Brotli {
    /// Strict: no large windows, which are outside the standard and up to a gigabyte.
    pub(super) fn new() -> Self {
        let state = State::new_strict(
            StandardAlloc::default(),
            StandardAlloc::default(),
            StandardAlloc::default(),
        );
        Self {
            state: Box::new(state),
            total: 0,
            ended: false,
        }
    }
}

/// Room that one step is given.
const MOST_ROOM: usize = 16 * 1024;

impl Stage for Brotli {
    fn step(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, Corrupt> {
        if self.ended {
            return Ok(Step {
                used: 0,
                ended: true,
            });
        }
        let mut written = out.len();
        // The decoder wants initialised room; not more of it than a step fills, or bytes that come one by one would have all of
        // it written again for each.
        out.resize(out.capacity().min(written + MOST_ROOM), 0);
        let (mut available_in, mut used) = (input.len(), 0);
        let mut room = out.len() - written;
        let result = BrotliDecompressStream(
            &mut available_in,
            &mut used,
            input,
            &mut room,
            &mut written,
            out,
            &mut self.total,
            &mut self.state,
        );
        out.truncate(written);
        match result {
            BrotliResult::ResultFailure => Err(Corrupt),
            BrotliResult::ResultSuccess => {
                self.ended = true;
                Ok(Step { used, ended: true })
            }
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {
                Ok(Step { used, ended: false })
            }
        }
    }
}
