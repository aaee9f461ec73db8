//! Zstandard.

use zstd_safe::zstd_sys::ZSTD_ErrorCode;
use zstd_safe::{DCtx, DParameter, ErrorCode, InBuffer, OutBuffer};

use super::DecodeError;
use super::layer::{Stage, Step};

/// 8 MiB, the largest window that RFC 9659 allows for web content.
const WINDOW_LOG_MAX: u32 = 23;

/// The library's code for a frame with a larger window; it returns codes as negative sizes.
const WINDOW_TOO_LARGE: ErrorCode =
    (ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge as usize).wrapping_neg();

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
    fn step(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Step, DecodeError> {
        let mut input = InBuffer::around(input);
        let written = out.len();
        let mut output = OutBuffer::around_pos(out, written);
        let hint = self
            .context
            .decompress_stream(&mut output, &mut input)
            .map_err(|code| match code {
                WINDOW_TOO_LARGE => DecodeError::WindowTooLarge,
                _ => DecodeError::Corrupt,
            })?;
        Ok(Step {
            consumed: input.pos(),
            ended: hint == 0,
        })
    }
}
