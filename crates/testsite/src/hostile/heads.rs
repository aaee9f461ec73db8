//! Unusual, obsolete and invalid response heads.

use std::fmt::Write;

use super::case::{Case, ONE_LINK, PAGE, PROTOCOL, fixed, good_response};
use crate::SiteResponse;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = tolerable();
    cases.extend(refused());
    cases
}

/// Unusual, but accepted by browsers.
fn tolerable() -> Vec<Case> {
    // Three headers are already present.
    let many = headers(247);
    let fine = |name, why, bytes: Vec<u8>| fixed(name, ONE_LINK, why, SiteResponse::raw(bytes));
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
            "the reason phrase is ignored",
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
            "a header over two lines is obsolete but must be accepted (RFC 9112, 5.2)",
            good_response("X-Folded: one\r\n two\r\n"),
        ),
        fine("header-8-bit", "Latin-1 in an unused header", {
            let mut bytes = good_response("X-Name: caf?\r\n");
            let index = bytes.iter().position(|byte| *byte == b'?').unwrap();
            bytes[index] = 0xe9;
            bytes
        }),
        fine(
            "header-without-colon",
            "an invalid header line is skipped, as in browsers",
            good_response("this is no header\r\n"),
        ),
        fine("early-hints", "one 103 before the response is valid", {
            let mut bytes =
                b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".to_vec();
            bytes.extend(good_response(""));
            bytes
        }),
    ]
}

/// Not HTTP, or too large.
fn refused() -> Vec<Case> {
    let many = headers(10_000);
    let long = format!("X-Long: {}\r\n", "y".repeat(300 << 10));
    let refuse = |name, why, bytes: Vec<u8>| fixed(name, PROTOCOL, why, SiteResponse::raw(bytes));
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
            "a page without a head (HTTP/0.9) is no longer supported",
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
            "random bytes",
            (0..4096_u32).map(|byte| (byte * 37 % 251) as u8).collect(),
        ),
        refuse(
            "status-word",
            "a status that is not a number",
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
