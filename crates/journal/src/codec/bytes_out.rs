//! Writes values as bytes.

use std::time::Duration;

/// Bytes that grow at the end.
#[derive(Debug, Default)]
pub(crate) struct BytesOut(pub(crate) Vec<u8>);

impl BytesOut {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Seven bits per byte, the lowest first.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "only the low bits are kept"
            )]
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        #[expect(clippy::cast_possible_truncation, reason = "less than 128")]
        self.0.push(number as u8);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// To the nanosecond; 584 years at most.
    pub(crate) fn duration(&mut self, duration: Duration) {
        self.number(nanos(duration));
    }

    /// 0, or 1 and the value.
    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// A duration in nanoseconds, as written.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
