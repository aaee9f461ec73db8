//! Bodies with a wrong length, and connections that end too early.

use std::time::Duration;

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, PROTOCOL, RESET, case, fixed, response};
use crate::pages::list_of_links;
use crate::{SiteResponse, SocketStep};

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
/// A second response without a request.
const EXTRA_RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = lengths();
    cases.extend(chunks());
    cases.extend(endings());
    cases
}

fn lengths() -> Vec<Case> {
    let size = PAGE.len();
    let with = |head: &str| SiteResponse::raw(response(head, PAGE.as_bytes()));
    let twice = format!("Content-Length: {size}\r\nContent-Length: {size}\r\n");
    let differing = format!("Content-Length: {size}\r\nContent-Length: 7\r\n");
    let both = format!("Content-Length: 7\r\n{CHUNKED}");
    let chunked = format!("{size:x}\r\n{PAGE}\r\n0\r\n\r\n");
    let short = format!("{PAGE}<a href=\"/healthy/1\">beyond</a>");
    vec![
        fixed(
            "length-too-long",
            RESET,
            "the connection closes before the declared length: data was lost, retry",
            with("Content-Length: 10000\r\n"),
        ),
        fixed(
            "length-too-short",
            ONE_LINK,
            "bytes after the declared length are not part of the page",
            SiteResponse::raw(response(
                &format!("Content-Length: {size}\r\n"),
                short.as_bytes(),
            )),
        ),
        fixed(
            "length-negative",
            PROTOCOL,
            "no body has -5 bytes",
            with("Content-Length: -5\r\n"),
        ),
        fixed(
            "length-word",
            PROTOCOL,
            "a length that is not a number",
            with("Content-Length: many\r\n"),
        ),
        fixed(
            "length-overflow",
            PROTOCOL,
            "a length beyond 64 bits",
            with("Content-Length: 99999999999999999999999\r\n"),
        ),
        fixed(
            "length-twice",
            ONE_LINK,
            "two identical lengths: RFC 9112 allows it",
            with(&twice),
        ),
        fixed(
            "length-differing",
            PROTOCOL,
            "two different lengths: used for response smuggling",
            with(&differing),
        ),
        fixed(
            "length-and-chunked",
            ONE_LINK,
            "chunked wins over a length (RFC 9112, 6.3)",
            SiteResponse::raw(response(&both, chunked.as_bytes())),
        ),
    ]
}

fn chunks() -> Vec<Case> {
    let size = PAGE.len();
    let with = |body: String| SiteResponse::raw(response(CHUNKED, body.as_bytes()));
    vec![
        fixed(
            "chunk-size-bad",
            PROTOCOL,
            "a size that is not a number",
            with(format!("zz\r\n{PAGE}\r\n0\r\n\r\n")),
        ),
        fixed(
            "chunk-size-huge",
            PROTOCOL,
            "a size beyond 64 bits",
            with(format!("fffffffffffffffffff\r\n{PAGE}\r\n0\r\n\r\n")),
        ),
        fixed(
            "chunk-without-end",
            PROTOCOL,
            "data longer than its chunk",
            with(format!("5\r\n{PAGE}\r\n0\r\n\r\n")),
        ),
        fixed(
            "chunk-extension",
            ONE_LINK,
            "extensions are allowed and ignored",
            with(format!("{size:x};name=value\r\n{PAGE}\r\n0;last\r\n\r\n")),
        ),
        fixed(
            "chunk-extension-huge",
            PROTOCOL,
            "a megabyte of extension is an attack",
            with(format!(
                "{size:x};{}\r\n{PAGE}\r\n0\r\n\r\n",
                "x".repeat(1 << 20)
            )),
        ),
        fixed(
            "chunk-last-missing",
            RESET,
            "closed without the last chunk: the body is incomplete",
            with(format!("{size:x}\r\n{PAGE}\r\n")),
        ),
    ]
}

fn endings() -> Vec<Case> {
    vec![
        fixed(
            "reset-in-body",
            RESET,
            "the connection is reset in the middle of a body",
            SiteResponse::script(vec![
                SocketStep::send(response("Content-Length: 10000\r\n", PAGE.as_bytes())),
                SocketStep::Pause(Duration::from_millis(50)),
                SocketStep::Reset,
            ]),
        ),
        fixed(
            "reset-at-once",
            RESET,
            "the connection is reset instead of a response",
            SiteResponse::script(vec![SocketStep::Reset]),
        ),
        fixed(
            "close-at-once",
            RESET,
            "the connection is closed without a byte, each time",
            SiteResponse::script(vec![SocketStep::Close]),
        ),
        fixed(
            "close-in-head",
            RESET,
            "closed in the middle of the head",
            SiteResponse::raw("HTTP/1.1 200 OK\r\nConte"),
        ),
        case(
            "close-at-first",
            ONE_LINK,
            "the first connection is closed without a byte, the second works: one retry is expected",
            |visit| match visit.visits {
                0 => SiteResponse::script(vec![SocketStep::Close]),
                _ => SiteResponse::html(PAGE),
            },
        ),
        keep_alive_closed(),
        fixed(
            "extra-bytes",
            ONE_LINK,
            "extra bytes after a complete response belong to no request: the connection is not reused",
            // In one piece: extra bytes that arrive after the next request cannot be told from its response.
            SiteResponse::script(vec![
                SocketStep::send([kept_response(PAGE), EXTRA_RESPONSE.to_vec()].concat()),
                SocketStep::Pause(Duration::from_millis(20)),
                SocketStep::Close,
            ]),
        ),
    ]
}

/// Every response is correct, but every connection is closed after it without notice.
fn keep_alive_closed() -> Case {
    let entry = list_of_links((0..20).map(|page| format!("/keep-alive-closed/{page}")));
    let case = case(
        "keep-alive-closed",
        Expect::Fetched { links: 20 },
        "the server may close idle connections at any time; no URL may be lost",
        move |visit| match visit.rest {
            "in" => silent_close(&entry),
            _ => silent_close(PAGE),
        },
    );
    (0..20).fold(case, |case, page| case.also(&page.to_string(), ONE_LINK))
}

/// A response that suggests that the connection stays open.
fn kept_response(body: &str) -> Vec<u8> {
    let length = body.len();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    format!("{head}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

fn silent_close(body: &str) -> SiteResponse {
    SiteResponse::raw(kept_response(body))
}
