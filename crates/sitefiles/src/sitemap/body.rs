//! The body as plain bytes: decompressed if it is gzip, and never more than the limit.
//!
//! Both the limit and damaged data end the stream; the flags say which it was.

use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;

const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];

enum Form<'a> {
    Plain(&'a [u8]),
    /// Several members one after the other are one file; gzip inside gzip is not decompressed.
    Gzip(Box<MultiGzDecoder<&'a [u8]>>),
}

pub(super) struct Body<'a> {
    form: Form<'a>,
    left: usize,
    /// The limit ended it.
    pub(super) cut: bool,
    /// The gzip stream is damaged or truncated.
    pub(super) broken: bool,
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], limit: usize) -> Self {
        let form = if bytes.starts_with(&GZIP_MAGIC) {
            Form::Gzip(Box::new(MultiGzDecoder::new(bytes)))
        } else {
            Form::Plain(bytes)
        };
        Body {
            form,
            left: limit,
            cut: false,
            broken: false,
        }
    }

    /// Reads into `into` and returns the number of bytes; 0 at the end.
    pub(super) fn read(&mut self, into: &mut [u8]) -> usize {
        if self.cut || self.broken {
            return 0;
        }
        let Ok(length) = self.form.read(into) else {
            self.broken = true;
            return 0;
        };
        self.cut = length > self.left;
        let kept = length.min(self.left);
        self.left -= kept;
        kept
    }
}

impl Read for Form<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Form::Plain(bytes) => bytes.read(into),
            Form::Gzip(decoder) => decoder.read(into),
        }
    }
}
