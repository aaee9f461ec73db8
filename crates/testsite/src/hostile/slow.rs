//! Servers that take their time. The deadline must cover the whole answer, body included.

use std::time::Duration;

use super::case::{Case, ONE_LINK, PAGE, TIMEOUT, fixed, response};
use crate::{Answer, Step};

const TICK: Duration = Duration::from_millis(250);

pub(super) fn cases() -> Vec<Case> {
    let length = format!("Content-Length: {}\r\n", PAGE.len());
    vec![
        fixed(
            "slow-head",
            TIMEOUT,
            "one byte of the head at a time, never silent for long and never done",
            Answer::script(vec![
                Step::Drip("HTTP/1.1 200 OK\r\n".into(), TICK),
                Step::SendForever("X".into(), TICK),
            ]),
        ),
        fixed(
            "slow-body",
            TIMEOUT,
            "one byte of the body at a time: a deadline per read would wait for ever",
            Answer::script(vec![
                Step::send(response("Content-Length: 1000000\r\n", PAGE.as_bytes())),
                Step::SendForever("x".into(), TICK),
            ]),
        ),
        fixed(
            "slow-chunks",
            TIMEOUT,
            "one tiny chunk at a time",
            Answer::script(vec![
                Step::send(response("Transfer-Encoding: chunked\r\n", b"")),
                Step::SendForever("1\r\nx\r\n".into(), TICK),
            ]),
        ),
        fixed(
            "silent",
            TIMEOUT,
            "the connection is accepted and nothing is ever said",
            Answer::script(vec![Step::Hang]),
        ),
        fixed(
            "stalled-head",
            TIMEOUT,
            "half a head, then silence",
            Answer::script(vec![
                Step::send("HTTP/1.1 200 OK\r\nContent-Ty"),
                Step::Hang,
            ]),
        ),
        fixed(
            "stalled-body",
            TIMEOUT,
            "half a body, then silence",
            Answer::script(vec![
                Step::send(response("Content-Length: 5000\r\n", PAGE.as_bytes())),
                Step::Hang,
            ]),
        ),
        fixed(
            "stalled-chunk",
            TIMEOUT,
            "a chunk that is announced and not sent",
            Answer::script(vec![
                Step::send(response("Transfer-Encoding: chunked\r\n", b"1000\r\n<p>")),
                Step::Hang,
            ]),
        ),
        fixed(
            "slow-but-fine",
            ONE_LINK,
            "a page in five pieces is slow, not broken",
            Answer::script(vec![
                Step::send(response(&length, &PAGE.as_bytes()[..20])),
                Step::Pause(Duration::from_millis(150)),
                Step::send(&PAGE.as_bytes()[20..40]),
                Step::Pause(Duration::from_millis(150)),
                Step::send(&PAGE.as_bytes()[40..]),
                Step::Close,
            ]),
        ),
    ]
}
