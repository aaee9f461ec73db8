//! Bodies whose length is a lie, and connections that end at the wrong moment.

use std::time::Duration;

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, PROTOCOL, RESET, case, fixed, response};
use crate::pages::list_of_links;
use crate::{Answer, Step};

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
/// A second answer that nobody asked for.
const RUBBISH: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = lengths();
    cases.extend(chunks());
    cases.extend(endings());
    cases
}

fn lengths() -> Vec<Case> {
    let size = PAGE.len();
    let with = |head: &str| Answer::raw(response(head, PAGE.as_bytes()));
    let twice = format!("Content-Length: {size}\r\nContent-Length: {size}\r\n");
    let differing = format!("Content-Length: {size}\r\nContent-Length: 7\r\n");
    let both = format!("Content-Length: 7\r\n{CHUNKED}");
    let chunked = format!("{size:x}\r\n{PAGE}\r\n0\r\n\r\n");
    let short = format!("{PAGE}<a href=\"/healthy/1\">beyond</a>");
    vec![
        fixed(
            "length-too-long",
            RESET,
            "the connection closes before the declared length: data was lost, try again",
            with("Content-Length: 10000\r\n"),
        ),
        fixed(
            "length-too-short",
            ONE_LINK,
            "what comes after the declared length is not part of the page",
            Answer::raw(response(
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
            "a length in words",
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
            "said twice, and the same: RFC 9112 allows it",
            with(&twice),
        ),
        fixed(
            "length-differing",
            PROTOCOL,
            "two lengths that differ are how responses are smuggled",
            with(&differing),
        ),
        fixed(
            "length-and-chunked",
            ONE_LINK,
            "chunked wins over a length (RFC 9112, 6.3)",
            Answer::raw(response(&both, chunked.as_bytes())),
        ),
    ]
}

fn chunks() -> Vec<Case> {
    let size = PAGE.len();
    let with = |body: String| Answer::raw(response(CHUNKED, body.as_bytes()));
    vec![
        fixed(
            "chunk-size-bad",
            PROTOCOL,
            "a size that is no number",
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
            "closed without the last chunk: nobody knows what is missing",
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
            Answer::script(vec![
                Step::send(response("Content-Length: 10000\r\n", PAGE.as_bytes())),
                Step::Pause(Duration::from_millis(50)),
                Step::Reset,
            ]),
        ),
        fixed(
            "reset-at-once",
            RESET,
            "the connection is reset instead of an answer",
            Answer::script(vec![Step::Reset]),
        ),
        fixed(
            "close-at-once",
            RESET,
            "the connection is closed without a byte, each time",
            Answer::script(vec![Step::Close]),
        ),
        fixed(
            "close-in-head",
            RESET,
            "closed in the middle of the head",
            Answer::raw("HTTP/1.1 200 OK\r\nConte"),
        ),
        case(
            "close-at-first",
            ONE_LINK,
            "the first connection is closed without a byte, the second works: one retry is due",
            |visit| match visit.visits {
                0 => Answer::script(vec![Step::Close]),
                _ => Answer::html(PAGE),
            },
        ),
        keep_alive_closed(),
        fixed(
            "extra-bytes",
            ONE_LINK,
            "rubbish after a complete answer belongs to no request: the connection is not used again",
            // In one piece: rubbish that comes after the next request was sent looks like its answer to
            // anybody, and the server could as well have answered that.
            Answer::script(vec![
                Step::send([kept_response(PAGE), RUBBISH.to_vec()].concat()),
                Step::Pause(Duration::from_millis(20)),
                Step::Close,
            ]),
        ),
    ]
}

/// Every answer is correct, and every connection is closed right after it without a word.
fn keep_alive_closed() -> Case {
    let entry = list_of_links((0..20).map(|page| format!("/keep-alive-closed/{page}")));
    let case = case(
        "keep-alive-closed",
        Expect::Fetched { links: 20 },
        "the server closes idle connections as it likes; no URL may be lost to that",
        move |visit| match visit.rest {
            "in" => silent_close(&entry),
            _ => silent_close(PAGE),
        },
    );
    (0..20).fold(case, |case, page| case.also(&page.to_string(), ONE_LINK))
}

/// A response after which the client may believe that the connection stays open.
fn kept_response(body: &str) -> Vec<u8> {
    let length = body.len();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    format!("{head}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

fn silent_close(body: &str) -> Answer {
    Answer::raw(kept_response(body))
}
