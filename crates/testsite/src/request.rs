//! What a client asked for. The head is kept as it came and read on demand, because benchmarks
//! send tens of thousands of requests a second and most sites look at the target alone.

use std::net::SocketAddr;

/// One request as a [`Site`](crate::Site) sees it.
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
    /// Reads a head: request line and header lines, without the empty line that ends it.
    /// `None` when the first line has no method and target.
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

    /// The target as sent: path and query, or an absolute URL from a client of a proxy.
    pub fn target(&self) -> &str {
        &self.head[self.method_end + 1..self.target_end]
    }

    /// The target up to the question mark.
    pub fn path(&self) -> &str {
        self.target().split('?').next().unwrap_or_default()
    }

    /// The target after the first question mark, empty without one.
    pub fn query(&self) -> &str {
        self.target().split_once('?').map_or("", |(_, query)| query)
    }

    /// The first header of that name, case ignored.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// All headers in the order they came.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head
            .split("\r\n")
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim(), value.trim()))
    }

    /// The body, if the request had a `Content-Length`.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The address the connection was accepted on.
    pub fn server(&self) -> SocketAddr {
        self.server
    }

    /// Scheme, host and port as the client named them, for sites that print absolute links.
    pub fn origin(&self) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        match self.header("host") {
            Some(host) => format!("{scheme}://{host}"),
            None => format!("{scheme}://{}", self.server),
        }
    }

    /// Whether the client reads gzip.
    pub(crate) fn accepts_gzip(&self) -> bool {
        self.header("accept-encoding")
            .is_some_and(|codings| codings.contains("gzip"))
    }

    /// Whether the client wants the connection kept after the answer.
    pub(crate) fn keeps_alive(&self) -> bool {
        let asked = self.header("connection").unwrap_or_default();
        let line_end = self.head.find("\r\n").unwrap_or(self.head.len());
        if self.head[..line_end].ends_with("HTTP/1.0") {
            asked.eq_ignore_ascii_case("keep-alive")
        } else {
            !asked.eq_ignore_ascii_case("close")
        }
    }
}
