//! Zstandard.

use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};

use super::Corrupt;
use super::layer::{Stage, Step};

/// 8 MiB, the largest window that RFC 9659 allows for web content.
const WINDOW_LOG_MAX: u32 = 23;

pub(super) struct Zstd {
    context: DCtx<'static>,
}

impl Zstd {
    pub(super) fn new() -> Self {
        let mut context = DCtx::create();
        // Fails only for a number out of range; the library's default limit applies then.
        let _ = context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX));
        Self { context }
    }
}

impl Stage for Zstd {
    fn step(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, Corrupt> {
        let mut input = InBuffer::around(input);
        let written = out.len();
        let mut output = OutBuffer::around_pos(out, written);
        let hint = self
            .context
            .decompress_stream(&mut output, &mut input)
            .map_err(|_| Corrupt)?;
        Ok(Step {
            consumed: input.pos(),
            ended: hint == 0,
        })
    }
}
