//! `Retry-After`: seconds, or a date.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{DATE, HeaderName, RETRY_AFTER};

/// Longer than anybody waits, and short enough to add to any clock.
const LONGEST: Duration = Duration::from_hours(365 * 24);
/// A server's clock further off than this is not a clock.
const SANE_SKEW: Duration = Duration::from_hours(24);

/// How long the server asks to be left alone. A date is read against the answer's own clock, so that a
/// wrong clock, theirs or ours, does not matter. Past is zero; what is neither is nothing.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let asked = text(headers, &RETRY_AFTER)?.trim();
    if !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit()) {
        // Digits alone fail only by being too many.
        let seconds = asked.parse().map_or(LONGEST, Duration::from_secs);
        return Some(seconds.min(LONGEST));
    }
    let until = httpdate::parse_http_date(asked).ok()?;
    let sent = text(headers, &DATE)
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .filter(|date| apart(*date, now) <= SANE_SKEW)
        .unwrap_or(now);
    Some(until.duration_since(sent).unwrap_or_default().min(LONGEST))
}

fn apart(one: SystemTime, other: SystemTime) -> Duration {
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
            // The server's clock stands still; ours counts.
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
        for (asked, date, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, asked.parse().unwrap());
            if let Some(date) = date {
                headers.insert(DATE, date.parse().unwrap());
            }
            let found = retry_after(&headers, now);
            assert_eq!(found, expected.map(Duration::from_secs), "{asked:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
