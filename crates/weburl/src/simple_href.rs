//! The fast path of the resolver, for the forms of nearly every link.
//!
//! It handles references made only of characters that the URL standard copies unchanged, with ordinary dot segments and a plain
//! host name; resolving is then concatenation. It declines everything else (`None`), which goes to the `url` crate. It must
//! never return a wrong result: `tests/resolver_oracle.rs` and `tests/agree` compare both on
//! the web-platform table and on generated references.

use crate::CrawlUrl;
use crate::url_ref::Shape;

/// A base URL, split for concatenation.
#[derive(Debug)]
pub(crate) struct SimpleBase {
    url: CrawlUrl,
    shape: Shape,
    folder_end: usize,
}

impl SimpleBase {
    pub(crate) fn new(url: CrawlUrl) -> Self {
        let base = url.parts();
        let shape = base.shape();
        let folder_end = shape.path_start() + base.path().rfind('/').map_or(0, |at| at + 1);
        Self {
            url,
            shape,
            folder_end,
        }
    }

    /// Appends the resolved URL to `out` and returns the positions of its parts, or declines; `out` may then have text appended
    /// that the caller must truncate.
    pub(crate) fn resolve(&self, href: &str, out: &mut String) -> Option<Shape> {
        let start = out.len();
        let base = self.url.as_str();
        let href = trimmed(href);
        let bytes = href.as_bytes();
        let origin = &base[..self.shape.path_start()];
        let (rest, shape) = match bytes.first() {
            Some(b'/') if bytes.get(1) == Some(&b'/') => {
                let scheme = if self.shape.is_https() {
                    "https:"
                } else {
                    "http:"
                };
                out.push_str(scheme);
                push_host(href, "//", start, out)?
            }
            Some(b'/') => {
                out.push_str(origin);
                (href, self.shape)
            }
            Some(b'h') if bytes.starts_with(b"http://") || bytes.starts_with(b"https://") => {
                match href.strip_prefix(origin) {
                    Some(rest) if matches!(rest.as_bytes(), [] | [b'/' | b'?' | b'#', ..]) => {
                        out.push_str(origin);
                        if !rest.starts_with('/') {
                            out.push('/');
                        }
                        (rest, self.shape)
                    }
                    _ if bytes[4] == b's' => push_host(href, "https://", start, out)?,
                    _ => push_host(href, "http://", start, out)?,
                }
            }
            Some(b'?') => {
                out.push_str(&base[..self.shape.query_start()]);
                (href, self.shape)
            }
            None | Some(b'#') => {
                Tail::read(href)?;
                out.push_str(base);
                out.push_str(href);
                return Some(self.shape);
            }
            Some(_) if has_scheme(bytes) => return None,
            Some(_) => {
                out.push_str(&base[..self.folder_end]);
                (href, self.shape)
            }
        };
        let tail = Tail::read(rest)?;
        if tail.dots_end > 0 {
            push_dots(&rest[..tail.dots_end], start + shape.path_start(), out)?;
        }
        out.push_str(&rest[tail.dots_end..]);
        let length = out.len() - start;
        shape.ending(
            length - (rest.len() - tail.path_len),
            length - (rest.len() - tail.page_len),
        )
    }
}

/// A URL with an opaque path (`mailto:`, `tel:`, `javascript:`), if all of it is copied unchanged.
pub(crate) fn opaque(href: &str) -> Option<&str> {
    let href = trimmed(href);
    let (scheme, text) = href.split_once(':')?;
    let is_special = matches!(scheme, "http" | "https" | "ws" | "wss" | "ftp" | "file");
    let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_lowercase()) && !scheme.is_empty();
    let is_copied = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#');
    let is_opaque = !text.is_empty() && !text.starts_with('/') && text.bytes().all(is_copied);
    (is_scheme && !is_special && is_opaque).then_some(href)
}

/// Trims the space and control characters that the standard removes from both ends.
fn trimmed(href: &str) -> &str {
    let is_trimmed = |byte: Option<&u8>| byte.is_some_and(|byte| *byte <= b' ');
    if is_trimmed(href.as_bytes().first()) || is_trimmed(href.as_bytes().last()) {
        href.trim_matches(|letter| letter <= ' ')
    } else {
        href
    }
}

/// Whether there is a colon before any slash, so that the text before it is a scheme.
fn has_scheme(href: &[u8]) -> bool {
    let mut delimiters = href
        .iter()
        .filter(|byte| matches!(byte, b':' | b'/' | b'?' | b'#'));
    delimiters.next() == Some(&b':')
}

/// Splits off `scheme` and a host of plain lower-case labels; returns the rest and the positions of the parts so far.
fn push_host<'h>(
    href: &'h str,
    scheme: &str,
    start: usize,
    out: &mut String,
) -> Option<(&'h str, Shape)> {
    let after = href.strip_prefix(scheme)?;
    let (host, rest) = after.split_at(plain_host(after.as_bytes())?);
    out.push_str(scheme);
    let host_start = out.len() - start;
    out.push_str(host);
    let shape = Shape::of_host(host_start, out.len() - start)?;
    if !rest.starts_with('/') {
        out.push('/');
    }
    Some((rest, shape))
}

/// Length of the host at the start of a text, if all of it is copied unchanged: lower-case letters, digits, single hyphens (two may
/// be punycode) and single inner dots; the last label does not begin with a digit (that may be an address to parse).
fn plain_host(text: &[u8]) -> Option<usize> {
    let (mut at, mut label) = (0, 0);
    loop {
        at = skip_plain(text, at, NOT_LOWER);
        match text.get(at) {
            None | Some(b'/' | b'?' | b'#') => break,
            Some(b'-') if text.get(at + 1) != Some(&b'-') => {}
            Some(b'.') if at > label => label = at + 1,
            Some(_) => return None,
        }
        at += 1;
    }
    (at > label && !text[label].is_ascii_digit()).then_some(at)
}

/// Appends the part of a path that ends with its last dot segment; `out` has a path from `root` on, or none yet if this one
/// begins with a slash.
fn push_dots(mut path: &str, root: usize, out: &mut String) -> Option<()> {
    // Nearly always, all dot segments are at the start.
    loop {
        path = if let Some(rest) = path.strip_prefix("../") {
            pop_folder(root, out)?;
            rest
        } else if let Some(rest) = path.strip_prefix("./") {
            rest
        } else {
            break;
        };
    }
    if path.is_empty() {
        return Some(());
    }
    let path = path.strip_suffix('/').unwrap_or(path);
    let path = path
        .strip_prefix('/')
        .inspect(|_| out.push('/'))
        .unwrap_or(path);
    for segment in path.split('/') {
        match segment {
            "." => {}
            ".." => pop_folder(root, out)?,
            _ => {
                out.push_str(segment);
                out.push('/');
            }
        }
    }
    Some(())
}

/// Removes the last folder; at the root `..` changes nothing.
fn pop_folder(root: usize, out: &mut String) -> Option<()> {
    let folders = &out[root..out.len() - 1];
    if let Some(at) = folders.rfind('/') {
        // The `url` crate does not go above a drive letter, even for http.
        if is_drive(&folders.as_bytes()[at + 1..]) {
            return None;
        }
        out.truncate(root + at + 1);
    }
    Some(())
}

/// Whether a path segment looks like a Windows drive: `c:` or `c|`.
fn is_drive(segment: &[u8]) -> bool {
    matches!(segment, [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Path, query and fragment of a reference, all copied unchanged except for dot segments.
struct Tail {
    path_len: usize,
    /// Path and query.
    page_len: usize,
    /// End of the last `.` or `..` segment, with its slash.
    dots_end: usize,
}

impl Tail {
    /// `None` if the standard would change anything.
    fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut dots_end = dots(bytes)?;
        let mut at = 0;
        loop {
            at = skip_plain(bytes, at, IN_PATH);
            match bytes.get(at) {
                None | Some(b'?' | b'#') => break,
                Some(b'/') => {}
                Some(_) => return None,
            }
            at += 1;
            match dots(&bytes[at..])? {
                0 => {}
                length => dots_end = at + length,
            }
        }
        let path_len = at;
        at = skip_plain(bytes, at, IN_TAIL);
        if at < bytes.len() && bytes[at] != b'#' {
            return None;
        }
        let fragment = bytes.get(at + 1..).unwrap_or_default();
        (skip_plain(fragment, 0, IN_TAIL) == fragment.len()).then_some(Self {
            path_len,
            page_len: at,
            dots_end,
        })
    }
}

/// Length of the `.` or `..` segment that starts here, with its slash; 0 if there is none. `None` if it may be one written with
/// `%`.
#[inline]
fn dots(segment: &[u8]) -> Option<usize> {
    let (length, after) = match segment {
        [b'%', ..] | [b'.', b'%', ..] => return None,
        [b'.', b'.', after @ ..] => (2, after),
        [b'.', after @ ..] => (1, after),
        _ => return Some(0),
    };
    Some(match after {
        [b'/', ..] => length + 1,
        [] | [b'?' | b'#', ..] => length,
        _ => 0,
    })
}

/// Position of the first byte from `at` on that is special in this part; the end if there is none.
#[inline]
fn skip_plain(bytes: &[u8], mut at: usize, part: u8) -> usize {
    while at < bytes.len() && SPECIAL[usize::from(bytes[at])] & part == 0 {
        at += 1;
    }
    at
}

/// Percent-encoded, dropped or special in a path.
const IN_PATH: u8 = 1;
/// Percent-encoded, dropped or special in a query or a fragment.
const IN_TAIL: u8 = 2;
/// Neither a lower-case letter nor a digit.
const NOT_LOWER: u8 = 4;

/// The parts in which each byte is special.
const SPECIAL: [u8; 256] = {
    let mut parts = [IN_PATH | IN_TAIL | NOT_LOWER; 256];
    let plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~!$&()*+,;=:@%";
    let mut at = 0;
    while at < plain.len() {
        parts[plain[at] as usize] = NOT_LOWER;
        at += 1;
    }
    let lower = b"abcdefghijklmnopqrstuvwxyz0123456789";
    at = 0;
    while at < lower.len() {
        parts[lower[at] as usize] = 0;
        at += 1;
    }
    parts[b'/' as usize] = IN_PATH | NOT_LOWER;
    parts[b'?' as usize] = IN_PATH | NOT_LOWER;
    parts
};
