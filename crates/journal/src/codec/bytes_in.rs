//! Reads values from bytes that may be damaged.

use std::time::Duration;

use crawler_weburl::CrawlUrl;

/// The bytes are damaged; names the value that was expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Damaged(pub(crate) &'static str);

/// Bytes that are read from the front.
#[derive(Debug)]
pub(crate) struct BytesIn<'a>(pub(crate) &'a [u8]);

impl<'a> BytesIn<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Damaged> {
        let (first, rest) = self.0.split_first().ok_or(Damaged("a byte"))?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn number(&mut self) -> Result<u64, Damaged> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Damaged("a number"))
    }

    /// A number of elements of at least one byte each: at most the number of bytes left.
    pub(crate) fn count(&mut self) -> Result<usize, Damaged> {
        usize::try_from(self.number()?)
            .ok()
            .filter(|count| *count <= self.0.len())
            .ok_or(Damaged("a count"))
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Damaged> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        std::str::from_utf8(text).map_err(|_| Damaged("a text"))
    }

    pub(crate) fn url(&mut self) -> Result<CrawlUrl, Damaged> {
        CrawlUrl::from_normalized(self.text()?).ok_or(Damaged("a URL"))
    }

    pub(crate) fn duration(&mut self) -> Result<Duration, Damaged> {
        self.number().map(Duration::from_nanos)
    }

    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Damaged>,
    ) -> Result<Option<T>, Damaged> {
        match self.byte()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(Damaged("an option")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::BytesOut;

    #[test]
    fn numbers_are_read_as_written() {
        for number in [0, 1, 127, 128, 300, 1 << 32, u64::MAX - 1, u64::MAX] {
            let mut out = BytesOut::default();
            out.number(number);
            let mut read = BytesIn(&out.0);
            assert_eq!(read.number(), Ok(number));
            assert!(read.is_empty());
        }
    }

    #[test]
    fn missing_and_invalid_bytes_are_errors() {
        assert!(BytesIn(&[]).byte().is_err());
        assert!(BytesIn(&[0x80; 9]).number().is_err());
        assert!(BytesIn(&[0xff; 11]).number().is_err());
        assert!(BytesIn(&[5, b'a']).text().is_err());
        assert!(BytesIn(&[2, 0xc3, 0x28]).text().is_err());
        assert!(BytesIn(&[3, b'a', b'b', b'c']).url().is_err());
        assert!(BytesIn(&[2]).option(BytesIn::byte).is_err());
    }
}
