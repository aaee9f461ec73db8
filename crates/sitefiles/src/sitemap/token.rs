//! A bound on one XML token.
//!
//! The XML reader buffers a whole tag, text or comment before it returns it, so a token that never
//! ends would be buffered in full. The guard makes the read fail at a limit.

use std::io::{self, BufRead, Read};

/// Larger than any article in a feed, small enough to bound memory use.
const MAX_TOKEN: usize = 4 * 1024 * 1024;

pub(super) struct TokenGuard<R> {
    pub(super) source: R,
    length: usize,
}

impl<R: BufRead> TokenGuard<R> {
    pub(super) fn new(source: R) -> Self {
        TokenGuard { source, length: 0 }
    }

    /// Resets the count for the next token.
    pub(super) fn next_token(&mut self) {
        self.length = 0;
    }

    pub(super) fn overrun(&self) -> bool {
        self.length > MAX_TOKEN
    }
}

impl<R: BufRead> BufRead for TokenGuard<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.overrun() {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        self.source.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.length += amount;
        self.source.consume(amount);
    }
}

impl<R: BufRead> Read for TokenGuard<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(into)?;
        self.consume(length);
        Ok(length)
    }
}
