//! Statuses: common ones with their fail kinds, and invalid ones.

use std::time::Duration;

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, PROTOCOL, TIMEOUT, case, fixed};
use crate::{SiteResponse, SocketStep};

const DEAD_LINK: Expect = Expect::Failed("dead_link");
const CLIENT_ERROR: Expect = Expect::Failed("client_error");
const SERVER_ERROR: Expect = Expect::Failed("server_error");

pub(super) fn cases() -> Vec<Case> {
    let mut cases = plain();
    cases.extend(odd());
    cases
}

fn plain() -> Vec<Case> {
    [
        ("status-404", 404, DEAD_LINK, "not found"),
        ("status-410", 410, DEAD_LINK, "gone counts as a dead link"),
        (
            "status-400",
            400,
            CLIENT_ERROR,
            "the server did not understand",
        ),
        ("status-401", 401, CLIENT_ERROR, "a password is required"),
        ("status-403", 403, CLIENT_ERROR, "forbidden"),
        ("status-418", 418, CLIENT_ERROR, "a teapot"),
        ("status-451", 451, CLIENT_ERROR, "withheld by law"),
        ("status-408", 408, TIMEOUT, "the server gave up waiting"),
        ("status-504", 504, TIMEOUT, "a gateway gave up waiting"),
        (
            "status-500",
            500,
            SERVER_ERROR,
            "always an error; retried, then reported",
        ),
        ("status-502", 502, SERVER_ERROR, "a bad gateway"),
        ("status-201", 201, ONE_LINK, "every 2xx is fetched"),
        (
            "status-206",
            206,
            ONE_LINK,
            "an unrequested part is used as the page",
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
        fixed(
            name,
            expect,
            why,
            SiteResponse::new(status, "text/html", PAGE),
        )
    })
    .collect()
}

fn odd() -> Vec<Case> {
    vec![
        fixed(
            "status-304",
            PROTOCOL,
            "not modified, although the request had no condition",
            SiteResponse::status(304),
        ),
        fixed(
            "status-099",
            PROTOCOL,
            "below the first class",
            SiteResponse::raw(format!(
                "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n{PAGE}"
            )),
        ),
        fixed(
            "status-101",
            PROTOCOL,
            "switching to an unrequested protocol",
            SiteResponse::raw(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n",
            ),
        ),
        fixed(
            "status-204-body",
            Expect::Fetched { links: 0 },
            "204 has no body, whatever the head says and whatever follows",
            SiteResponse::raw(format!(
                "HTTP/1.1 204 No Content\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{PAGE}",
                PAGE.len()
            )),
        ),
        fixed(
            "status-404-endless",
            DEAD_LINK,
            "the body of an error is not read",
            SiteResponse::script(vec![
                SocketStep::send("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"),
                SocketStep::SendForever(vec![b'x'; 4096].into(), Duration::from_millis(1)),
            ]),
        ),
        case(
            "status-500-once",
            ONE_LINK,
            "an error that does not occur on the next attempt",
            |visit| match visit.visits {
                0 => SiteResponse::status(500),
                _ => SiteResponse::html(PAGE),
            },
        ),
    ]
}
