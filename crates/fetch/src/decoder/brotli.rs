//! Brotli.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::DecodeError;
use super::layer::{Stage, Step};

type State = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

pub(super) struct Brotli {
    state: Box<State>,
    total: usize,
    ended: bool,
}

impl Brotli {
    /// Strict mode: no large windows, which are not in the standard and can take a gigabyte.
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

/// Maximum output of one step.
const STEP_OUTPUT: usize = 16 * 1024;

impl Stage for Brotli {
    fn step(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, DecodeError> {
        if self.ended {
            return Ok(Step {
                consumed: 0,
                ended: true,
            });
        }
        let mut written = out.len();
        // The decoder needs initialized output space. It gets no more than one step can fill: input that arrives byte by
        // byte would otherwise initialize the whole buffer each time.
        out.resize(out.capacity().min(written + STEP_OUTPUT), 0);
        let (mut available_in, mut consumed) = (input.len(), 0);
        let mut available_out = out.len() - written;
        let result = BrotliDecompressStream(
            &mut available_in,
            &mut consumed,
            input,
            &mut available_out,
            &mut written,
            out,
            &mut self.total,
            &mut self.state,
        );
        out.truncate(written);
        match result {
            BrotliResult::ResultFailure => Err(DecodeError::Corrupt),
            BrotliResult::ResultSuccess => {
                self.ended = true;
                Ok(Step {
                    consumed,
                    ended: true,
                })
            }
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => Ok(Step {
                consumed,
                ended: false,
            }),
        }
    }
}
