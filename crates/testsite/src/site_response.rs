//! The response of a site: well-formed, or a script for the raw socket.

use std::time::Duration;

use bytes::Bytes;

use crate::SocketStep;

/// The response to one request.
#[derive(Debug, Clone)]
pub struct SiteResponse {
    pub(crate) delay: Duration,
    pub(crate) kind: ResponseKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ResponseKind {
    Reply(HttpReply),
    Script(Vec<SocketStep>),
}

/// A well-formed response; `Content-Length` is added when it is sent.
#[derive(Debug, Clone)]
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
}

impl SiteResponse {
    /// Creates a response; an empty `content_type` sends no such header.
    pub fn new(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self {
            delay: Duration::ZERO,
            kind: ResponseKind::Reply(HttpReply {
                status,
                headers: Vec::new(),
                content_type,
                body: body.into(),
            }),
        }
    }

    /// Creates a 200 response with UTF-8 HTML.
    pub fn html(body: impl Into<Bytes>) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }

    /// Creates a 200 response with plain text.
    pub fn text(body: impl Into<Bytes>) -> Self {
        Self::new(200, "text/plain; charset=utf-8", body)
    }

    /// Creates an empty response.
    pub fn status(status: u16) -> Self {
        Self::new(status, "", Bytes::new())
    }

    /// Creates an empty response with a `Location`.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::status(status).header("Location", location)
    }

    /// Creates a script for the raw socket, starting with the first byte of the response.
    pub fn script(steps: Vec<SocketStep>) -> Self {
        Self {
            delay: Duration::ZERO,
            kind: ResponseKind::Script(steps),
        }
    }

    /// Sends exactly these bytes and closes the connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::script(vec![SocketStep::send(bytes), SocketStep::Close])
    }

    /// Adds a header. Scripts have no headers and are unchanged.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let ResponseKind::Reply(reply) = &mut self.kind {
            reply.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Delays the first byte.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

impl HttpReply {
    /// Appends status line and headers to `out`.
    pub(crate) fn write_head(&self, out: &mut Vec<u8>, keep_alive: bool) {
        use std::io::Write;
        out.extend_from_slice(b"HTTP/1.1 ");
        write!(out, "{} {}\r\n", self.status, reason(self.status)).ok();
        if !self.content_type.is_empty() {
            out.extend_from_slice(b"Content-Type: ");
            out.extend_from_slice(self.content_type.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        for (name, value) in &self.headers {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        if !self.bodiless() && !self.names("content-length") {
            write!(out, "Content-Length: {}\r\n", self.body.len()).ok();
        }
        if !keep_alive {
            out.extend_from_slice(b"Connection: close\r\n");
        }
        out.extend_from_slice(b"\r\n");
    }

    /// Whether the status forbids a body.
    pub(crate) fn bodiless(&self) -> bool {
        matches!(self.status, 100..=199 | 204 | 304)
    }

    fn names(&self, name: &str) -> bool {
        self.headers
            .iter()
            .any(|(header, _)| header.eq_ignore_ascii_case(name))
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}
