//! Decodes the body to UTF-8 for the text and XML readers.

use std::io::{self, BufRead, Read};

use super::body::Body;
use super::charset::Charset;

const PIECE: usize = 16 * 1024;

pub(super) struct Utf8<'a> {
    body: Body<'a>,
    charset: Charset,
    /// Bytes read and not yet decoded: part of a character, between two pieces.
    raw: Vec<u8>,
    text: String,
    /// How much of `text` was taken.
    taken: usize,
    ended: bool,
}

impl<'a> Utf8<'a> {
    pub(super) fn new(body: Body<'a>) -> Self {
        let mut source = Utf8 {
            body,
            charset: Charset::Utf8,
            raw: Vec::new(),
            text: String::new(),
            taken: 0,
            ended: false,
        };
        source.read_piece();
        let (charset, mark) = Charset::detect(&source.raw);
        source.charset = charset;
        source.raw.drain(..mark);
        source.decode();
        source
    }

    /// The limit ended the body.
    pub(super) fn cut(&self) -> bool {
        self.body.cut
    }

    /// The body broke off.
    pub(super) fn broken(&self) -> bool {
        self.body.broken
    }

    /// Is a tag the first thing in it? White space before is passed over.
    pub(super) fn begins_with_markup(&mut self) -> bool {
        loop {
            let ahead = self.ahead();
            let text = ahead.trim_start();
            if !text.is_empty() {
                return text.starts_with('<');
            }
            self.taken += ahead.len();
            if !self.refill() {
                return false;
            }
        }
    }

    fn ahead(&self) -> &str {
        self.text.get(self.taken..).unwrap_or_default()
    }

    /// Gets more text, once all was taken; false at the end.
    fn refill(&mut self) -> bool {
        self.text.clear();
        self.taken = 0;
        while self.text.is_empty() && !self.ended {
            self.read_piece();
            self.decode();
        }
        !self.text.is_empty()
    }

    /// Reads a whole piece if there is one: gzip gives as little as a byte at a time.
    fn read_piece(&mut self) {
        let mut filled = self.raw.len();
        self.raw.resize(PIECE, 0);
        while !self.ended && filled < PIECE {
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
        self.taken += amount;
    }
}

impl Read for Utf8<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(into)?;
        self.consume(length);
        Ok(length)
    }
}
