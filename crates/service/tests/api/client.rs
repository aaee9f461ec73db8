//! A minimal HTTP client: one request per connection.

use std::fmt::Write as _;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Checks that this is a problem with this status and code, and returns its body.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}{}", self.head, self.body);
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        assert!(self.header("x-request-id").is_some());
        let problem = self.json();
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert!(
            problem["detail"]
                .as_str()
                .is_some_and(|detail| !detail.is_empty())
        );
        problem
    }

    /// Checks that this is a problem that names a field.
    #[track_caller]
    pub(crate) fn names_field(&self, field: &str) {
        assert_eq!(self.status, 422, "{}", self.body);
        let problem = self.json();
        assert_eq!(problem["field"], field, "{problem}");
        if let Some(pointer) = problem["pointer"].as_str() {
            let name = field.split('[').next().unwrap();
            assert!(pointer.starts_with(&format!("/{name}")), "{problem}");
        }
        assert!(
            problem["detail"].as_str().unwrap().contains(field),
            "{problem}"
        );
    }
}

/// Sends raw bytes and reads until the service closes the connection.
pub(crate) async fn raw(port: u16, request: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    parse(&response)
}

pub(crate) async fn call(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Reply {
    let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        request.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        let _ = write!(request, "{name}: {value}\r\n");
    }
    if !body.is_empty() {
        let _ = write!(request, "content-length: {}\r\n", body.len());
    }
    request.push_str("\r\n");
    request.push_str(body);
    raw(port, request.as_bytes()).await
}

fn parse(response: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(response).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut reply = Reply {
        status: status.unwrap_or_default(),
        head: format!("{head}\r\n"),
        body: body.to_owned(),
    };
    if reply.header("transfer-encoding") == Some("chunked") {
        reply.body = unchunked(body);
    }
    reply
}

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
        if size == 0 || after.len() < size {
            break;
        }
        body.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    body
}
