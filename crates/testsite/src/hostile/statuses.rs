//! Statuses: the usual ones with the kinds they stand for, and the ones nobody should send.

use std::time::Duration;

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, PROTOCOL, TIMEOUT, case, fixed};
use crate::{Answer, Step};

const DEAD: Expect = Expect::Failed("dead_link");
const CLIENT: Expect = Expect::Failed("client_error");
const SERVER: Expect = Expect::Failed("server_error");

pub(super) fn cases() -> Vec<Case> {
    let mut cases = plain();
    cases.extend(odd());
    cases
}

fn plain() -> Vec<Case> {
    [
        ("status-404", 404, DEAD, "not found"),
        ("status-410", 410, DEAD, "gone is as dead as not found"),
        ("status-400", 400, CLIENT, "the server did not understand"),
        ("status-401", 401, CLIENT, "a password is wanted"),
        ("status-403", 403, CLIENT, "forbidden"),
        ("status-418", 418, CLIENT, "a teapot"),
        ("status-451", 451, CLIENT, "withheld by law"),
        ("status-408", 408, TIMEOUT, "the server gave up waiting"),
        ("status-504", 504, TIMEOUT, "a gateway gave up waiting"),
        (
            "status-500",
            500,
            SERVER,
            "always an error; tried again, then reported",
        ),
        ("status-502", 502, SERVER, "a bad gateway"),
        ("status-201", 201, ONE_LINK, "every 2xx is fetched"),
        (
            "status-206",
            206,
            ONE_LINK,
            "a part that nobody asked for is what there is",
        ),
        ("status-299", 299, ONE_LINK, "an unknown 2xx is a 200"),
        ("status-600", 600, PROTOCOL, "there is no class 6"),
        (
            "status-999",
            999,
            PROTOCOL,
            "used by sites that dislike crawlers",
        ),
    ]
    .into_iter()
    .map(|(name, status, expect, why)| {
        fixed(name, expect, why, Answer::new(status, "text/html", PAGE))
    })
    .collect()
}

fn odd() -> Vec<Case> {
    vec![
        fixed(
            "status-304",
            PROTOCOL,
            "not modified, in answer to a request without a condition",
            Answer::status(304),
        ),
        fixed(
            "status-099",
            PROTOCOL,
            "below the first class",
            Answer::raw(format!(
                "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n{PAGE}"
            )),
        ),
        fixed(
            "status-101",
            PROTOCOL,
            "switching to a protocol that nobody asked for",
            Answer::raw(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n",
            ),
        ),
        fixed(
            "status-204-body",
            Expect::Fetched { links: 0 },
            "204 has no body, whatever the head says and whatever follows",
            Answer::raw(format!(
                "HTTP/1.1 204 No Content\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{PAGE}",
                PAGE.len()
            )),
        ),
        fixed(
            "status-404-endless",
            DEAD,
            "the body of an error is not worth waiting for",
            Answer::script(vec![
                Step::send("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"),
                Step::SendForever(vec![b'x'; 4096].into(), Duration::from_millis(1)),
            ]),
        ),
        case(
            "status-500-once",
            ONE_LINK,
            "an error that is gone at the next attempt",
            |visit| match visit.visits {
                0 => Answer::status(500),
                _ => Answer::html(PAGE),
            },
        ),
    ]
}
