//! Heads that are odd, old or not HTTP at all.

use std::fmt::Write;

use super::case::{Case, ONE_LINK, PAGE, PROTOCOL, fixed, good_response};
use crate::Answer;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = tolerable();
    cases.extend(refused());
    cases
}

/// Unusual, and a browser shows the page.
fn tolerable() -> Vec<Case> {
    // Three headers are there already.
    let many = headers(247);
    let fine = |name, why, bytes: Vec<u8>| fixed(name, ONE_LINK, why, Answer::raw(bytes));
    let spelled = |line: &str| {
        let length = PAGE.len();
        format!("{line}\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{PAGE}")
            .into_bytes()
    };
    vec![
        fine(
            "headers-250",
            "real sites send more than a hundred",
            good_response(&many),
        ),
        fine(
            "http-1.0",
            "no length: the page ends with the connection",
            format!("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n{PAGE}").into_bytes(),
        ),
        fine(
            "http-1.1-close",
            "the same in HTTP/1.1",
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{PAGE}"
            )
            .into_bytes(),
        ),
        fine(
            "reason-odd",
            "a reason phrase says nothing",
            spelled("HTTP/1.1 200 okay, wHatever ~ yes"),
        ),
        fine("reason-none", "and may be missing", spelled("HTTP/1.1 200")),
        fine(
            "bare-line-feeds",
            "lines that end without a carriage return",
            spelled("HTTP/1.1 200 OK")
                .into_iter()
                .filter(|byte| *byte != b'\r')
                .collect(),
        ),
        fine(
            "header-folded",
            "a header over two lines is obsolete, and a client must read it as one (RFC 9112, 5.2)",
            good_response("X-Folded: one\r\n two\r\n"),
        ),
        fine("header-8-bit", "Latin-1 in a header nobody asked for", {
            let mut bytes = good_response("X-Name: caf?\r\n");
            let place = bytes.iter().position(|byte| *byte == b'?').unwrap();
            bytes[place] = 0xe9;
            bytes
        }),
        fine(
            "header-without-colon",
            "a line that is no header is skipped, as browsers do",
            good_response("this is no header\r\n"),
        ),
        fine(
            "early-hints",
            "one 103 before the answer is good manners",
            {
                let mut bytes =
                    b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".to_vec();
                bytes.extend(good_response(""));
                bytes
            },
        ),
    ]
}

/// Not HTTP, or too much of it.
fn refused() -> Vec<Case> {
    let many = headers(10_000);
    let long = format!("X-Long: {}\r\n", "y".repeat(300 << 10));
    let refuse = |name, why, bytes: Vec<u8>| fixed(name, PROTOCOL, why, Answer::raw(bytes));
    vec![
        refuse(
            "headers-10000",
            "more than 256 headers",
            good_response(&many),
        ),
        refuse(
            "header-line-300k",
            "a head longer than 256 KiB",
            good_response(&long),
        ),
        refuse(
            "header-nul",
            "NUL in a header value",
            good_response("X-Nul: a\0b\r\n"),
        ),
        refuse(
            "http-0.9",
            "a page without a head is how the web began, and no longer",
            PAGE.as_bytes().to_vec(),
        ),
        refuse(
            "http-7.3",
            "a version that does not exist",
            format!("HTTP/7.3 200 OK\r\n\r\n{PAGE}").into_bytes(),
        ),
        refuse(
            "not-http",
            "another protocol on the port",
            b"SSH-2.0-OpenSSH_9.9\r\n".to_vec(),
        ),
        refuse(
            "binary-noise",
            "bytes without meaning",
            (0..4096_u32).map(|byte| (byte * 37 % 251) as u8).collect(),
        ),
        refuse(
            "status-word",
            "a status that is no number",
            format!("HTTP/1.1 OK fine\r\n\r\n{PAGE}").into_bytes(),
        ),
    ]
}

fn headers(count: usize) -> String {
    (0..count).fold(String::new(), |mut lines, number| {
        write!(lines, "X-{number}: y\r\n").ok();
        lines
    })
}
