//! A request. The head is stored as received and parsed on demand, because benchmarks send tens of thousands of
//! requests per second and most sites only need the target.

use std::net::SocketAddr;

/// A request to a [`Site`](crate::Site).
#[derive(Debug, Clone)]
pub struct Request {
    head: String,
    body: Vec<u8>,
    method_end: usize,
    target_end: usize,
    server: SocketAddr,
    secure: bool,
}

impl Request {
    /// Parses a head: request line and header lines, without the final empty line. `None` if the first line has no method
    /// or target.
    pub fn parse(head: &[u8], body: Vec<u8>, server: SocketAddr, secure: bool) -> Option<Self> {
        let head = String::from_utf8_lossy(head).into_owned();
        let line = head.split("\r\n").next()?;
        let method_end = line.find(' ')?;
        let rest = &line[method_end + 1..];
        let target_end = method_end + 1 + rest.find(' ').unwrap_or(rest.len());
        (target_end > method_end + 1).then_some(Self {
            head,
            body,
            method_end,
            target_end,
            server,
            secure,
        })
    }

    /// `GET`, `HEAD`, …
    pub fn method(&self) -> &str {
        &self.head[..self.method_end]
    }

    /// Returns the target as sent: path and query, or an absolute URL for a proxy.
    pub fn target(&self) -> &str {
        &self.head[self.method_end + 1..self.target_end]
    }

    /// Returns the target up to the first question mark.
    pub fn path(&self) -> &str {
        self.target().split('?').next().unwrap_or_default()
    }

    /// Returns the target after the first question mark; empty if there is none.
    pub fn query(&self) -> &str {
        self.target().split_once('?').map_or("", |(_, query)| query)
    }

    /// Returns the first header with this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Returns all headers in order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head
            .split("\r\n")
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim(), value.trim()))
    }

    /// Returns the body, if the request had a `Content-Length`.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the address the connection was accepted on.
    pub fn server(&self) -> SocketAddr {
        self.server
    }

    /// Returns scheme, host and port as sent by the client, for sites with absolute links.
    pub fn origin(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        match self.header("host") {
            Some(host) => format!("{scheme}://{host}"),
            None => format!("{scheme}://{}", self.server),
        }
    }

    /// Whether the client accepts gzip.
    pub(crate) fn accepts_gzip(&self) -> bool {
        self.header("accept-encoding")
            .is_some_and(|codings| codings.contains("gzip"))
    }

    /// Whether the client wants to keep the connection open.
    pub(crate) fn keeps_alive(&self) -> bool {
        let connection = self.header("connection").unwrap_or_default();
        let line_end = self.head.find("\r\n").unwrap_or(self.head.len());
        if self.head[..line_end].ends_with("HTTP/1.0") {
            connection.eq_ignore_ascii_case("keep-alive")
        } else {
            !connection.eq_ignore_ascii_case("close")
        }
    }
}
