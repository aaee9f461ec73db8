//! Slow servers. The deadline must cover the whole response, including the body.

use std::time::Duration;

use super::case::{Case, ONE_LINK, PAGE, TIMEOUT, fixed, response};
use crate::{SiteResponse, SocketStep};

const TICK: Duration = Duration::from_millis(250);

pub(super) fn cases() -> Vec<Case> {
    let length = format!("Content-Length: {}\r\n", PAGE.len());
    vec![
        fixed(
            "slow-head",
            TIMEOUT,
            "one byte of the head at a time, never finished",
            SiteResponse::script(vec![
                SocketStep::Drip("HTTP/1.1 200 OK\r\n".into(), TICK),
                SocketStep::SendForever("X".into(), TICK),
            ]),
        ),
        fixed(
            "slow-body",
            TIMEOUT,
            "one byte of the body at a time: a deadline per read would wait forever",
            SiteResponse::script(vec![
                SocketStep::send(response("Content-Length: 1000000\r\n", PAGE.as_bytes())),
                SocketStep::SendForever("x".into(), TICK),
            ]),
        ),
        fixed(
            "slow-chunks",
            TIMEOUT,
            "one tiny chunk at a time",
            SiteResponse::script(vec![
                SocketStep::send(response("Transfer-Encoding: chunked\r\n", b"")),
                SocketStep::SendForever("1\r\nx\r\n".into(), TICK),
            ]),
        ),
        fixed(
            "silent",
            TIMEOUT,
            "the connection is accepted, but nothing is sent",
            SiteResponse::script(vec![SocketStep::Hang]),
        ),
        fixed(
            "stalled-head",
            TIMEOUT,
            "half a head, then silence",
            SiteResponse::script(vec![
                SocketStep::send("HTTP/1.1 200 OK\r\nContent-Ty"),
                SocketStep::Hang,
            ]),
        ),
        fixed(
            "stalled-body",
            TIMEOUT,
            "half a body, then silence",
            SiteResponse::script(vec![
                SocketStep::send(response("Content-Length: 5000\r\n", PAGE.as_bytes())),
                SocketStep::Hang,
            ]),
        ),
        fixed(
            "stalled-chunk",
            TIMEOUT,
            "a chunk that is announced but not sent",
            SiteResponse::script(vec![
                SocketStep::send(response("Transfer-Encoding: chunked\r\n", b"1000\r\n<p>")),
                SocketStep::Hang,
            ]),
        ),
        fixed(
            "slow-but-fine",
            ONE_LINK,
            "a page in five pieces is slow, not broken",
            SiteResponse::script(vec![
                SocketStep::send(response(&length, &PAGE.as_bytes()[..20])),
                SocketStep::Pause(Duration::from_millis(150)),
                SocketStep::send(&PAGE.as_bytes()[20..40]),
                SocketStep::Pause(Duration::from_millis(150)),
                SocketStep::send(&PAGE.as_bytes()[40..]),
                SocketStep::Close,
            ]),
        ),
    ]
}
