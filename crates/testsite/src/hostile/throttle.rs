//! Servers that throttle. In a polite crawler each of these slows down its whole host, so each runs on its own server.

use std::time::{Duration, SystemTime};

use super::Expect;
use super::case::{Case, ONE_LINK, PAGE, case};
use crate::SiteResponse;

const RATE_LIMITED: Expect = Expect::Failed("rate_limited");
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
            RATE_LIMITED,
            "always, without Retry-After",
            || limited(""),
        )
        .at_most(20),
        refuses("429-once", 1, ONE_LINK, "once, without Retry-After", || {
            limited("")
        }),
        refuses(
            "429-twice-retry-0",
            2,
            ONE_LINK,
            "twice, with a wait of zero seconds",
            || limited("0"),
        ),
        refuses(
            "429-twice-retry-1",
            2,
            ONE_LINK,
            "twice, with a wait of one second",
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
            "always unavailable",
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
            "a date in the past means no wait",
            || unavailable("Sun, 06 Nov 1994 08:49:37 GMT"),
        ),
        refuses(
            "503-retry-garbage",
            1,
            ONE_LINK,
            "neither number nor date: the default backoff",
            || unavailable("soon, maybe"),
        ),
        refuses(
            "503-retry-negative",
            1,
            ONE_LINK,
            "a negative number: the default backoff",
            || unavailable("-1"),
        ),
        refuses(
            "503-retry-huge",
            u64::MAX,
            UNAVAILABLE,
            "thirty years: the host is suspended, and the crawl still ends",
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

/// Refuses the first `times` requests for a target, then serves a page.
fn refuses(
    name: &'static str,
    times: u64,
    expect: Expect,
    why: &'static str,
    refusal: fn() -> SiteResponse,
) -> Case {
    case(name, expect, why, move |visit| {
        if visit.visits < times {
            refusal()
        } else {
            SiteResponse::html(PAGE)
        }
    })
}

fn limited(retry_after: &str) -> SiteResponse {
    with(SiteResponse::status(429), retry_after)
}

fn unavailable(retry_after: &str) -> SiteResponse {
    with(SiteResponse::status(503), retry_after)
}

fn with(response: SiteResponse, retry_after: &str) -> SiteResponse {
    match retry_after {
        "" => response,
        value => response.header("Retry-After", value),
    }
}
