//! Answers without an end, as fast as the client can take them.

use std::time::Duration;

use super::Expect;
use super::case::{Case, PAGE, PROTOCOL, TIMEOUT, fixed, response};
use crate::{Answer, Step};

const AT_ONCE: Duration = Duration::ZERO;
const SOON: Duration = Duration::from_millis(1);

pub(super) fn cases() -> Vec<Case> {
    let text = "<p>and so on and so on and so on</p>\n".repeat(400);
    let mut chunk = format!("{:x}\r\n", text.len());
    chunk.push_str(&text);
    chunk.push_str("\r\n");
    vec![
        fixed(
            "endless-body",
            Expect::Truncated,
            "a page that ends with the connection, and the connection never ends",
            Answer::script(vec![
                Step::send(response("", PAGE.as_bytes())),
                Step::SendForever(text.clone().into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-chunks",
            Expect::Truncated,
            "chunk after chunk at full speed, like a radio stream",
            Answer::script(vec![
                Step::send(response("Transfer-Encoding: chunked\r\n", b"")),
                Step::SendForever(chunk.into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-length",
            Expect::Truncated,
            "a declared length of nine exabytes must not be believed when memory is set aside",
            Answer::script(vec![
                Step::send(response("Content-Length: 9223372036854775807\r\n", b"")),
                Step::SendForever(text.into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-attribute",
            Expect::Truncated,
            "one attribute value that is never closed",
            Answer::script(vec![
                Step::send(response("", b"<!doctype html><a href=\"/healthy/")),
                Step::SendForever(vec![b'a'; 16 << 10].into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-headers",
            PROTOCOL,
            "more than 256 headers or 256 KiB of them are refused",
            Answer::script(vec![
                Step::send("HTTP/1.1 200 OK\r\n"),
                Step::SendForever("X-More: and more and more\r\n".repeat(100).into(), AT_ONCE),
            ]),
        ),
        fixed(
            "endless-100",
            Expect::AnyOf(&[TIMEOUT, PROTOCOL]),
            "100 Continue for ever: ended by a count or by the deadline",
            Answer::script(vec![Step::SendForever(
                "HTTP/1.1 100 Continue\r\n\r\n".into(),
                SOON,
            )]),
        ),
        fixed(
            "endless-103",
            Expect::AnyOf(&[TIMEOUT, PROTOCOL]),
            "103 Early Hints for ever",
            Answer::script(vec![Step::SendForever(
                "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".into(),
                SOON,
            )]),
        ),
        fixed(
            "endless-trailers",
            Expect::AnyOf(&[PROTOCOL, TIMEOUT, Expect::Fetched { links: 1 }]),
            "headers after the last chunk: the page is whole, whether one waits for them is a choice",
            Answer::script(vec![
                Step::send(response("Transfer-Encoding: chunked\r\n", b"")),
                Step::send(format!("{:x}\r\n{PAGE}\r\n0\r\n", PAGE.len())),
                Step::SendForever("X-More: and more\r\n".repeat(100).into(), SOON),
            ]),
        ),
    ]
}
