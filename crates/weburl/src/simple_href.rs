//! The fast path of resolving: the few shapes that nearly every link has.
//!
//! It answers only when the reference is made of characters that the URL standard copies as they are,
//! with no dot segments in the middle and a plain host name; then resolving is concatenation. Anything
//! else is declined (`None`) and goes to the `url` crate. A wrong answer here is a bug whatever it saves:
//! `tests/resolver_oracle.rs` compares both on the web-platform table and on generated references.

use crate::CrawlUrl;

/// A base URL, cut up for concatenation.
#[derive(Debug)]
pub(crate) struct SimpleBase {
    url: CrawlUrl,
    path_start: usize,
    folder_end: usize,
    path_end: usize,
    https: bool,
}

impl SimpleBase {
    pub(crate) fn new(url: CrawlUrl) -> Self {
        let base = url.parts();
        let path_start = base.origin_text().len();
        let path_end = path_start + base.path().len();
        let folder_end = path_start + base.path().rfind('/').map_or(0, |at| at + 1);
        let https = base.is_https();
        Self {
            url,
            path_start,
            folder_end,
            path_end,
            https,
        }
    }

    /// Appends the resolved form to `out` and says how long it is without its fragment, or declines
    /// (having possibly written something that the caller cuts off again).
    pub(crate) fn resolve(&self, href: &str, out: &mut String) -> Option<usize> {
        let start = out.len();
        let base = self.url.as_str();
        let bytes = href.as_bytes();
        let rest = match *bytes.first()? {
            b'/' if bytes.get(1) == Some(&b'/') => {
                out.push_str(if self.https { "https:" } else { "http:" });
                Self::push_host(href, "//", out)?
            }
            b'/' => {
                out.push_str(&base[..self.path_start]);
                href
            }
            b'h' if bytes.starts_with(b"http://") || bytes.starts_with(b"https://") => {
                let origin = &base[..self.path_start];
                match href.strip_prefix(origin) {
                    Some(rest) if rest.starts_with('/') => {
                        out.push_str(origin);
                        rest
                    }
                    _ => {
                        let scheme = if bytes[4] == b's' {
                            "https://"
                        } else {
                            "http://"
                        };
                        Self::push_host(href, scheme, out)?
                    }
                }
            }
            b'#' => {
                out.push_str(base);
                return clean_tail(href).then(|| {
                    out.push_str(href);
                    out.len() - href.len() - start
                });
            }
            b'?' => {
                out.push_str(&base[..self.path_end]);
                href
            }
            _ => self.push_folder(href, out)?,
        };
        let path_len = clean_path(rest)?;
        let tail = &rest[path_len..];
        if !clean_tail(tail) {
            return None;
        }
        out.push_str(rest);
        let fragment = memchr::memchr(b'#', tail.as_bytes()).map_or(0, |at| tail.len() - at);
        Some(out.len() - fragment - start)
    }

    /// A relative reference: the base's folder, climbed by leading `../`.
    fn push_folder<'h>(&self, href: &'h str, out: &mut String) -> Option<&'h str> {
        let base = self.url.as_str();
        let mut rest = href.strip_prefix("./").unwrap_or(href);
        let mut folder_end = self.folder_end;
        while let Some(shorter) = rest.strip_prefix("../") {
            rest = shorter;
            let folder = &base[self.path_start..folder_end - 1];
            // At the root `..` stays where it is.
            if let Some(at) = folder.rfind('/') {
                // The crate does not climb out of a drive, though only files have one.
                if is_drive(&folder.as_bytes()[at + 1..]) {
                    return None;
                }
                folder_end = self.path_start + at + 1;
            }
        }
        // A colon before any slash would make it a scheme; an empty rest needs no special case here,
        // but a rest that begins with another dot, slash, `?` or `#` does.
        let first_segment = rest.split(['/', '?', '#']).next()?;
        if first_segment.is_empty() || first_segment.contains(':') {
            return None;
        }
        out.push_str(&base[..folder_end]);
        Some(rest)
    }

    /// `scheme` + a host of plain lower-case labels; the rest must begin with a slash.
    fn push_host<'h>(href: &'h str, scheme: &str, out: &mut String) -> Option<&'h str> {
        let after = href.strip_prefix(scheme)?;
        let slash = memchr::memchr(b'/', after.as_bytes())?;
        let (host, rest) = after.split_at(slash);
        if !plain_host(host) {
            return None;
        }
        out.push_str(scheme);
        out.push_str(host);
        Some(rest)
    }
}

/// Whether a segment of a path looks like the drives of Windows: `c:` or `c|`.
fn is_drive(segment: &[u8]) -> bool {
    matches!(segment, [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Lower-case letters, digits, hyphens and single inner dots; no punycode; the last label is not a
/// number (that would be an IPv4 address to parse).
fn plain_host(host: &str) -> bool {
    let mut last_label_numeric = true;
    let mut label_len = 0;
    for byte in host.bytes() {
        match byte {
            b'.' if label_len == 0 => return false,
            b'.' => {
                label_len = 0;
                last_label_numeric = true;
            }
            b'0'..=b'9' => label_len += 1,
            // `0x…` counts as a number too, so any label that begins with a digit is declined.
            b'a'..=b'z' | b'-' => {
                if label_len == 0 {
                    last_label_numeric = false;
                }
                label_len += 1;
            }
            _ => return false,
        }
    }
    label_len > 0 && !last_label_numeric && !host.contains("xn--")
}

/// Length of the path part, if the standard copies all of it; `None` on anything it would change.
fn clean_path(rest: &str) -> Option<usize> {
    let mut segment_start = true;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'?' | b'#' => return Some(at),
            // `.`, `..`, `%2e` and the like: only the real parser counts dot segments.
            b'.' | b'%' if segment_start => return None,
            b'/' => segment_start = true,
            _ if CLEAN[byte as usize] => segment_start = false,
            _ => return None,
        }
    }
    Some(rest.len())
}

/// Whether query and fragment are copied as they are.
fn clean_tail(tail: &str) -> bool {
    let mut in_fragment = false;
    tail.bytes().all(|byte| match byte {
        b'#' if in_fragment => false,
        b'#' => {
            in_fragment = true;
            true
        }
        b'?' | b'/' => true,
        _ => CLEAN[byte as usize],
    })
}

/// Bytes that no part of a special URL percent-encodes, drops or gives a meaning to.
const CLEAN: [bool; 256] = {
    let mut clean = [false; 256];
    let set = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&()*+,;=:@%";
    let mut at = 0;
    while at < set.len() {
        clean[set[at] as usize] = true;
        at += 1;
    }
    clean
};
