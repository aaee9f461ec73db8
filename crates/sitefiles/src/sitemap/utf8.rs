//! Decodes the body to UTF-8 for the text and XML readers.

use std::io::{self, BufRead, Read};

use super::body::Body;
use super::charset::Charset;

const CHUNK_BYTES: usize = 16 * 1024;

pub(super) struct Utf8<'a> {
    body: Body<'a>,
    charset: Charset,
    /// Bytes read and not yet decoded: a character that continues in the next chunk.
    raw: Vec<u8>,
    text: String,
    /// Bytes of `text` that were consumed.
    consumed: usize,
    ended: bool,
}

impl<'a> Utf8<'a> {
    pub(super) fn new(body: Body<'a>) -> Self {
        let mut source = Utf8 {
            body,
            charset: Charset::Utf8,
            raw: Vec::new(),
            text: String::new(),
            consumed: 0,
            ended: false,
        };
        source.read_chunk();
        let (charset, bom_length) = Charset::detect(&source.raw);
        source.charset = charset;
        source.raw.drain(..bom_length);
        source.decode();
        source
    }

    /// The limit ended the body.
    pub(super) fn cut(&self) -> bool {
        self.body.cut
    }

    /// The body is damaged or truncated.
    pub(super) fn broken(&self) -> bool {
        self.body.broken
    }

    /// Whether the text begins with a tag, after any white space.
    pub(super) fn begins_with_markup(&mut self) -> bool {
        loop {
            let ahead = self.ahead();
            let text = ahead.trim_start();
            if !text.is_empty() {
                return text.starts_with('<');
            }
            self.consumed += ahead.len();
            if !self.refill() {
                return false;
            }
        }
    }

    fn ahead(&self) -> &str {
        self.text.get(self.consumed..).unwrap_or_default()
    }

    /// Reads more text after all was consumed; false at the end.
    fn refill(&mut self) -> bool {
        self.text.clear();
        self.consumed = 0;
        while self.text.is_empty() && !self.ended {
            self.read_chunk();
            self.decode();
        }
        !self.text.is_empty()
    }

    /// Reads a full chunk if possible: gzip may return as little as one byte at a time.
    fn read_chunk(&mut self) {
        let mut filled = self.raw.len();
        self.raw.resize(CHUNK_BYTES, 0);
        while !self.ended && filled < CHUNK_BYTES {
            let length = self
                .raw
                .get_mut(filled..)
                .map_or(0, |into| self.body.read(into));
            filled += length;
            self.ended = length == 0;
        }
        self.raw.truncate(filled);
    }

    fn decode(&mut self) {
        let used = self.charset.decode(&self.raw, self.ended, &mut self.text);
        self.raw.drain(..used);
    }
}

impl BufRead for Utf8<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.ahead().is_empty() {
            self.refill();
        }
        Ok(self.ahead().as_bytes())
    }

    fn consume(&mut self, amount: usize) {
        self.consumed += amount;
    }
}

impl Read for Utf8<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(into)?;
        self.consume(length);
        Ok(length)
    }
}
