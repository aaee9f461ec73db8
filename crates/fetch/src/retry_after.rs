//! Parses `Retry-After`: seconds, or a date.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};

/// Upper bound, small enough to be added to any clock.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(365 * 24);
/// A `Date` header further off than this is ignored.
const MAX_CLOCK_SKEW: Duration = Duration::from_hours(24);

/// Returns the delay the server asks for. A date is compared with the `Date` header of the response, so that a wrong
/// clock on either side does not matter. A date in the past is zero; anything else is `None`.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = text(headers, &RETRY_AFTER)?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // Digits alone fail to parse only if there are too many.
        let seconds = value.parse().map_or(MAX_RETRY_AFTER, Duration::from_secs);
        return Some(seconds.min(MAX_RETRY_AFTER));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let sent = text(headers, &DATE)
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .filter(|date| difference(*date, now) <= MAX_CLOCK_SKEW)
        .unwrap_or(now);
    Some(
        until
            .duration_since(sent)
            .unwrap_or_default()
            .min(MAX_RETRY_AFTER),
    )
}

fn difference(one: SystemTime, other: SystemTime) -> Duration {
    one.duration_since(other)
        .unwrap_or_else(|earlier| earlier.duration())
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_dates_and_garbage() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let cases: [(&str, Option<&str>, Option<u64>); 14] = [
            ("120", None, Some(120)),
            (" 7 ", None, Some(7)),
            ("0", None, Some(0)),
            ("1000000000", None, Some(31_536_000)),
            ("99999999999999999999999", None, Some(31_536_000)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", None, Some(60)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", None, Some(60)),
            ("Sun Nov  6 08:50:37 1994", None, Some(60)),
            // The server's clock is ten seconds ahead of ours.
            (
                "Sun, 06 Nov 1994 08:50:37 GMT",
                Some("Sun, 06 Nov 1994 08:49:47 GMT"),
                Some(50),
            ),
            // The server's clock has stopped; ours is used.
            (
                "Sun, 06 Nov 1994 08:50:37 GMT",
                Some("Thu, 01 Jan 1970 00:00:00 GMT"),
                Some(60),
            ),
            ("Sat, 05 Nov 1994 08:49:37 GMT", None, Some(0)),
            ("soon", None, None),
            ("-5", None, None),
            ("", None, None),
        ];
        for (value, date, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            if let Some(date) = date {
                headers.insert(DATE, date.parse().unwrap());
            }
            let found = retry_after(&headers, now);
            assert_eq!(found, expected.map(Duration::from_secs), "{value:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
