//! `Content-Encoding`: the content codings of a body, at most two.

use crawler_model::{FailKind, Failure};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;

/// One content coding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coding {
    /// `gzip`, `x-gzip`
    Gzip,
    /// `deflate`: zlib as specified, or raw deflate as some servers send it.
    Deflate,
    /// `br`
    Brotli,
    /// `zstd`
    Zstd,
}

/// More layers than this occur only in attacks.
const MAX_CODINGS: usize = 2;

impl Coding {
    /// Returns the codings of a response in the order they were applied, without `identity`.
    pub(crate) fn all(headers: &HeaderMap) -> Result<Vec<Self>, Failure> {
        let mut found = Vec::new();
        for value in headers.get_all(CONTENT_ENCODING) {
            for name in value.as_bytes().split(|byte| *byte == b',') {
                let name = name.trim_ascii();
                if name.is_empty() || name.eq_ignore_ascii_case(b"identity") {
                    continue;
                }
                if found.len() == MAX_CODINGS {
                    return Err(undecodable("more than two content codings"));
                }
                found.push(Self::named(name)?);
            }
        }
        Ok(found)
    }

    fn named(name: &[u8]) -> Result<Self, Failure> {
        const NAMES: [(&str, Coding); 5] = [
            ("gzip", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("deflate", Coding::Deflate),
            ("br", Coding::Brotli),
            ("zstd", Coding::Zstd),
        ];
        NAMES
            .iter()
            .find(|(coding, _)| name.eq_ignore_ascii_case(coding.as_bytes()))
            .map(|(_, coding)| *coding)
            .ok_or_else(|| undecodable("unknown content coding"))
    }
}

/// Creates a decoding failure.
pub(crate) fn undecodable(message: &str) -> Failure {
    Failure::new(FailKind::Decode, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &[&str]) -> Result<Vec<Coding>, String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(CONTENT_ENCODING, line.parse().unwrap());
        }
        Coding::all(&headers).map_err(|failure| failure.message)
    }

    #[test]
    fn names_lists_and_limits() {
        use Coding::{Brotli, Deflate, Gzip, Zstd};
        assert_eq!(all(&[]), Ok(vec![]));
        assert_eq!(all(&["identity"]), Ok(vec![]));
        assert_eq!(all(&["GZip"]), Ok(vec![Gzip]));
        assert_eq!(all(&["x-gzip, br"]), Ok(vec![Gzip, Brotli]));
        assert_eq!(all(&["deflate", "zstd"]), Ok(vec![Deflate, Zstd]));
        assert_eq!(all(&["gzip,,identity", "br"]), Ok(vec![Gzip, Brotli]));
        let many = Err("more than two content codings".to_owned());
        assert_eq!(all(&["gzip, gzip, br"]), many);
        assert_eq!(all(&["gzip", "gzip", "gzip"]), many);
        let unknown = Err("unknown content coding".to_owned());
        assert_eq!(all(&["compress"]), unknown);
        assert_eq!(all(&["gzip;q=1"]), unknown);
    }
}
