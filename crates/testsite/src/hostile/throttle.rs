//! Servers that ask for less. In a polite crawler each of these slows its whole host, so each runs
//! on a server of its own.

use std::time::{Duration, SystemTime};

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, case};
use crate::Answer;

const LIMITED: Expect = Expect::Failed("rate_limited");
const UNAVAILABLE: Expect = Expect::Failed("server_error");

pub(super) fn cases() -> Vec<Case> {
    let mut cases = limits();
    cases.extend(outages());
    cases
}

fn limits() -> Vec<Case> {
    vec![
        refuses(
            "429-always",
            u64::MAX,
            LIMITED,
            "for ever, and without a word about when",
            || limited(""),
        )
        .at_most(20),
        refuses(
            "429-once",
            1,
            ONE_LINK,
            "once, without a word about when",
            || limited(""),
        ),
        refuses(
            "429-twice-retry-0",
            2,
            ONE_LINK,
            "twice, and at once would be fine",
            || limited("0"),
        ),
        refuses(
            "429-twice-retry-1",
            2,
            ONE_LINK,
            "twice, with a second to wait",
            || limited("1"),
        ),
    ]
}

fn outages() -> Vec<Case> {
    vec![
        refuses(
            "503-always",
            u64::MAX,
            UNAVAILABLE,
            "unavailable for ever",
            || unavailable(""),
        )
        .at_most(20),
        refuses(
            "503-retry-seconds",
            1,
            ONE_LINK,
            "a wait in seconds",
            || unavailable("1"),
        ),
        refuses(
            "503-retry-date",
            1,
            ONE_LINK,
            "a wait until a date, two seconds from now",
            || {
                let date = SystemTime::now() + Duration::from_secs(2);
                unavailable(&httpdate::fmt_http_date(date))
            },
        ),
        refuses(
            "503-retry-past",
            1,
            ONE_LINK,
            "a date long past is no wait",
            || unavailable("Sun, 06 Nov 1994 08:49:37 GMT"),
        ),
        refuses(
            "503-retry-garbage",
            1,
            ONE_LINK,
            "neither number nor date: the usual backoff",
            || unavailable("soon, maybe"),
        ),
        refuses(
            "503-retry-negative",
            1,
            ONE_LINK,
            "less than nothing: the usual backoff",
            || unavailable("-1"),
        ),
        refuses(
            "503-retry-huge",
            u64::MAX,
            UNAVAILABLE,
            "thirty years: the host is parked, and the crawl ends all the same",
            || unavailable("1000000000"),
        )
        .at_most(20),
        refuses(
            "503-retry-overflow",
            u64::MAX,
            UNAVAILABLE,
            "more seconds than any clock can hold",
            || unavailable("99999999999999999999"),
        )
        .at_most(20),
        refuses(
            "503-retry-far-date",
            u64::MAX,
            UNAVAILABLE,
            "a date a thousand years away",
            || unavailable("Tue, 01 Jan 2999 00:00:00 GMT"),
        )
        .at_most(20),
    ]
}

/// Refuses the first `times` requests for a target, then shows a page.
fn refuses(
    name: &'static str,
    times: u64,
    expect: Expect,
    why: &'static str,
    refusal: fn() -> Answer,
) -> Case {
    case(name, expect, why, move |visit| {
        if visit.visits < times {
            refusal()
        } else {
            Answer::html(PAGE)
        }
    })
}

fn limited(retry_after: &str) -> Answer {
    with(Answer::status(429), retry_after)
}

fn unavailable(retry_after: &str) -> Answer {
    with(Answer::status(503), retry_after)
}

fn with(answer: Answer, retry_after: &str) -> Answer {
    match retry_after {
        "" => answer,
        value => answer.header("Retry-After", value),
    }
}
