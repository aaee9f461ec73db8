//! A borrowed, normalized http(s) URL split into its parts.
//!
//! Links are stored as ranges of one buffer per page; the rules work on this view, so that checking a
//! link allocates nothing.

use crate::{HostKey, Origin};

/// Positions of the parts of a URL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Shape {
    host_start: u32,
    host_end: u32,
    path_start: u32,
    query_start: u32,
    length: u32,
}

impl Shape {
    /// Parts of an origin without a port and without a path.
    pub(crate) fn of_host(host_start: usize, host_end: usize) -> Option<Self> {
        let host_end = u32::try_from(host_end).ok()?;
        Some(Self {
            host_start: u32::try_from(host_start).ok()?,
            host_end,
            path_start: host_end,
            query_start: host_end,
            length: host_end,
        })
    }

    /// The same origin with another path and query.
    pub(crate) fn ending(self, query_start: usize, length: usize) -> Option<Self> {
        Some(Self {
            query_start: u32::try_from(query_start).ok()?,
            length: u32::try_from(length).ok()?,
            ..self
        })
    }

    pub(crate) fn is_https(self) -> bool {
        self.host_start == 8
    }

    pub(crate) fn path_start(self) -> usize {
        self.path_start as usize
    }

    pub(crate) fn query_start(self) -> usize {
        self.query_start as usize
    }
}

/// A view of a normalized `http` or `https` URL without userinfo and without fragment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UrlRef<'a> {
    text: &'a str,
    shape: Shape,
}

impl<'a> UrlRef<'a> {
    /// Splits text that is already in normal form. `None` if it is not of the shape
    /// `http[s]://host[:port]/…`, or longer than a 32-bit length.
    pub fn split(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let length = u32::try_from(bytes.len()).ok()?;
        let host_start = if bytes.starts_with(b"https://") {
            8
        } else if bytes.starts_with(b"http://") {
            7
        } else {
            return None;
        };
        // Hosts are short, so a vectorized search would not be faster.
        let path_start = host_start + bytes[host_start..].iter().position(|byte| *byte == b'/')?;
        let host_end = port_colon(&bytes[..path_start], host_start).unwrap_or(path_start);
        if host_end == host_start {
            return None;
        }
        let query_start =
            memchr::memchr(b'?', &bytes[path_start..]).map_or(bytes.len(), |at| path_start + at);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the whole length fits, checked above"
        )]
        let shape = Shape {
            host_start: host_start as u32,
            host_end: host_end as u32,
            path_start: path_start as u32,
            query_start: query_start as u32,
            length,
        };
        Some(Self { text, shape })
    }

    /// The URL at the start of `text` whose parts are at these positions.
    pub(crate) fn shaped(text: &'a str, shape: Shape) -> Self {
        let text = &text[..shape.length as usize];
        Self { text, shape }
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The whole URL.
    pub fn as_str(&self) -> &'a str {
        self.text
    }

    /// Whether the scheme is `https`.
    pub fn is_https(&self) -> bool {
        self.shape.is_https()
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &'a str {
        if self.is_https() { "https" } else { "http" }
    }

    /// The host name, lower-case; IPv6 with its brackets.
    pub fn host(&self) -> &'a str {
        &self.text[self.shape.host_start as usize..self.shape.host_end as usize]
    }

    /// Host and, where it is not the scheme's default, port.
    pub fn authority(&self) -> &'a str {
        &self.text[self.shape.host_start as usize..self.shape.path_start as usize]
    }

    /// The port, the scheme's default when none is written.
    pub fn port(&self) -> u16 {
        let written = &self.text[self.shape.host_end as usize..self.shape.path_start as usize];
        let default = if self.is_https() { 443 } else { 80 };
        written
            .strip_prefix(':')
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(default)
    }

    /// Scheme, host and port as text: `https://example.org`.
    pub fn origin_text(&self) -> &'a str {
        &self.text[..self.shape.path_start as usize]
    }

    /// The path, beginning with `/`.
    pub fn path(&self) -> &'a str {
        &self.text[self.shape.path_start as usize..self.shape.query_start as usize]
    }

    /// The query with its question mark, or an empty text.
    pub fn query_with_mark(&self) -> &'a str {
        &self.text[self.shape.query_start as usize..]
    }

    /// The query without its question mark.
    pub fn query(&self) -> Option<&'a str> {
        self.query_with_mark().strip_prefix('?')
    }

    /// Path and query: what goes on the request line and what robots rules match.
    pub fn path_and_query(&self) -> &'a str {
        &self.text[self.shape.path_start as usize..]
    }

    /// The politeness key.
    pub fn host_key(&self) -> HostKey {
        HostKey::new(self.host())
    }

    /// Scheme, host and port: the origin that robots.txt belongs to.
    pub fn origin(&self) -> Origin {
        Origin::new(self.origin_text())
    }
}

/// Position of `:port`, ignoring the colons of an IPv6 address.
fn port_colon(authority: &[u8], host_start: usize) -> Option<usize> {
    let colon = host_start
        + authority[host_start..]
            .iter()
            .rposition(|byte| *byte == b':')?;
    let digits = &authority[colon + 1..];
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
        .then_some(colon)
        .filter(|_| authority[host_start] != b'[' || authority[colon - 1] == b']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_into_parts() {
        let url = UrlRef::split("https://example.org:8443/a/b?x=1&y").unwrap();
        assert_eq!(url.scheme(), "https");
        assert_eq!(url.host(), "example.org");
        assert_eq!(url.authority(), "example.org:8443");
        assert_eq!(url.port(), 8443);
        assert_eq!(url.origin_text(), "https://example.org:8443");
        assert_eq!(url.path(), "/a/b");
        assert_eq!(url.query(), Some("x=1&y"));
        assert_eq!(url.path_and_query(), "/a/b?x=1&y");
    }

    #[test]
    fn ipv6_colons_are_not_a_port() {
        let url = UrlRef::split("http://[::1]/").unwrap();
        assert_eq!((url.host(), url.port()), ("[::1]", 80));
        let url = UrlRef::split("http://[::1]:8080/").unwrap();
        assert_eq!((url.host(), url.port()), ("[::1]", 8080));
    }

    #[test]
    fn default_ports_follow_the_scheme() {
        assert_eq!(UrlRef::split("http://a/").unwrap().port(), 80);
        assert_eq!(UrlRef::split("https://a/").unwrap().port(), 443);
    }

    #[test]
    fn other_shapes_are_refused() {
        for text in [
            "", "ftp://a/", "http:///", "http://a", "mailto:x", "http://",
        ] {
            assert!(UrlRef::split(text).is_none(), "{text}");
        }
    }
}
