//! Endless responses, sent as fast as the client reads.

use std::time::Duration;

use super::Expect;
use super::case::{Case, PAGE, PROTOCOL, TIMEOUT, fixed, response};
use crate::{SiteResponse, SocketStep};

const AT_ONCE: Duration = Duration::ZERO;
const SOON: Duration = Duration::from_millis(1);

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn cases() -> Vec<Case> {
    let text = "<p>and so on and so on and so on</p>\n".repeat(400);
    let mut chunk = format!("{:x}\r\n", text.len());
    chunk.push_str(&text);
    chunk.push_str("\r\n");
    vec![
        fixed(
            "endless-body",
            Expect::Truncated,
            "a page delimited by the end of the connection, which never ends",
            SiteResponse::script(vec![
                SocketStep::send(response("", PAGE.as_bytes())),
                SocketStep::SendForever(text.clone().into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-chunks",
            Expect::Truncated,
            "chunk after chunk at full speed, like a radio stream",
            SiteResponse::script(vec![
                SocketStep::send(response("Transfer-Encoding: chunked\r\n", b"")),
                SocketStep::SendForever(chunk.into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-length",
            Expect::Truncated,
            "a Content-Length of nine exabytes must not reserve memory",
            SiteResponse::script(vec![
                SocketStep::send(response("Content-Length: 9223372036854775807\r\n", b"")),
                SocketStep::SendForever(text.into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-attribute",
            Expect::Truncated,
            "one attribute value that is never closed",
            SiteResponse::script(vec![
                SocketStep::send(response("", b"<!doctype html><a href=\"/healthy/")),
                SocketStep::SendForever(vec![b'a'; 16 << 10].into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-headers",
            PROTOCOL,
            "more than 256 headers or 256 KiB of them are refused",
            SiteResponse::script(vec![
                SocketStep::send("HTTP/1.1 200 OK\r\n"),
                SocketStep::SendForever(
                    "X-More: and more and more\r\n".repeat(100).into(),
                    AT_ONCE,
                ),
            ]),
        ),
        fixed(
            "endless-100",
            Expect::AnyOf(&[TIMEOUT, PROTOCOL]),
            "100 Continue forever: ended by a count or by the deadline",
            SiteResponse::script(vec![SocketStep::SendForever(
                "HTTP/1.1 100 Continue\r\n\r\n".into(),
                SOON,
            )]),
        ),
        fixed(
            "endless-103",
            Expect::AnyOf(&[TIMEOUT, PROTOCOL]),
            "103 Early Hints forever",
            SiteResponse::script(vec![SocketStep::SendForever(
                "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".into(),
                SOON,
            )]),
        ),
        fixed(
            "endless-trailers",
            Expect::AnyOf(&[PROTOCOL, TIMEOUT, Expect::Fetched { links: 1 }]),
            "headers after the last chunk: the page is complete, and waiting for them is optional",
            SiteResponse::script(vec![
                SocketStep::send(response("Transfer-Encoding: chunked\r\n", b"")),
                SocketStep::send(format!("{:x}\r\n{PAGE}\r\n0\r\n", PAGE.len())),
                SocketStep::SendForever("X-More: and more\r\n".repeat(100).into(), SOON),
            ]),
        ),
    ]
}
