//! Parsers of flag values: numbers, durations, sizes, headers, delays below a path.

use std::str::FromStr;
use std::time::Duration;

use crawler_model::{CrawlRules, DURATION_FORMAT, SIZE_FORMAT, parse_bytes, parse_duration};

/// Parses `25`.
pub(crate) fn whole_number<N: FromStr>(typed: &str) -> Result<N, String> {
    let number = typed.parse();
    number.map_err(|_| format!("\"{typed}\" is not a valid whole number; use one like 25"))
}

/// Parses a time between requests in milliseconds. Its range is checked here because the plan's error has other units.
pub(crate) fn interval_ms(typed: &str) -> Result<u64, String> {
    let max = CrawlRules::MAX_MIN_INTERVAL.as_millis();
    let millis = whole_number::<u64>(typed)?;
    if u128::from(millis) > max {
        return Err(format!("{millis} is out of range; use 0 to {max}"));
    }
    Ok(millis)
}

/// Parses `10s`, `500ms` or `1h30m`; a bare number is seconds.
pub(crate) fn duration(typed: &str) -> Result<Duration, String> {
    parse_duration(typed).ok_or_else(|| format!("\"{typed}\" is not {DURATION_FORMAT}"))
}

const DAY: Duration = Duration::from_hours(24);

/// Parses the time until a key expires.
pub(crate) fn key_lifetime(typed: &str) -> Result<Duration, String> {
    let lifetime = parse_duration(typed);
    lifetime
        .filter(|lifetime| (Duration::from_secs(1)..=DAY * 3_650).contains(lifetime))
        .ok_or_else(|| format!("\"{typed}\" is not a time from 1s to 3650d; use one like 90d"))
}

/// Parses how long a replaced secret stays valid.
pub(crate) fn grace_period(typed: &str) -> Result<Duration, String> {
    let grace = parse_duration(typed);
    grace
        .filter(|grace| *grace <= DAY * 30)
        .ok_or_else(|| format!("\"{typed}\" is not a time from 0s to 30d; use one like 1h"))
}

/// Parses `500MB`, `2MiB` or `1000`.
pub(crate) fn bytes(typed: &str) -> Result<u64, String> {
    parse_bytes(typed).ok_or_else(|| format!("\"{typed}\" is not {SIZE_FORMAT}"))
}

/// Parses `Name: value`.
pub(crate) fn header(typed: &str) -> Result<(String, String), String> {
    let (name, value) = typed.split_once(':').ok_or_else(|| {
        format!(
            "\"{}\" has no colon; write 'Name: value'",
            typed.escape_debug()
        )
    })?;
    Ok((name.to_owned(), value.trim().to_owned()))
}

/// Parses `/search=2s`.
pub(crate) fn path_delay(typed: &str) -> Result<(String, Duration), String> {
    let wrong = || format!("\"{typed}\" is not PREFIX=DELAY; use one like /search=2s");
    let (prefix, delay) = typed.rsplit_once('=').ok_or_else(wrong)?;
    let delay = duration(delay)?;
    if !prefix.starts_with('/') {
        return Err(wrong());
    }
    Ok((prefix.to_owned(), delay))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers() {
        assert_eq!(whole_number::<u32>("25"), Ok(25));
        for typed in ["", "x", "-1", "1.5", "4294967296"] {
            assert!(
                whole_number::<u32>(typed).unwrap_err().contains("like 25"),
                "{typed}"
            );
        }
    }

    #[test]
    fn durations_and_sizes() {
        assert_eq!(duration("1m30s"), Ok(Duration::from_secs(90)));
        assert!(
            duration("ten")
                .unwrap_err()
                .contains("\"ten\" is not a duration")
        );
        assert_eq!(bytes("2MiB"), Ok(2_097_152));
        assert!(bytes("5 parsecs").unwrap_err().contains("is not a size"));
    }

    #[test]
    fn times_of_keys_are_bounded() {
        for (typed, is_lifetime, is_grace) in [
            ("0s", false, true),
            ("0.5s", false, true),
            ("1s", true, true),
            ("30d", true, true),
            ("30d1s", true, false),
            ("3650d", true, false),
            ("3650d1s", false, false),
            ("99999999999999999999d", false, false),
            ("-1d", false, false),
            ("soon", false, false),
        ] {
            assert_eq!(key_lifetime(typed).is_ok(), is_lifetime, "{typed}");
            assert_eq!(grace_period(typed).is_ok(), is_grace, "{typed}");
        }
    }

    #[test]
    fn headers() {
        let parsed = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(header("A:b"), parsed("A", "b"));
        assert_eq!(header("A:  b: c "), parsed("A", "b: c"));
        assert_eq!(header(":"), parsed("", ""));
        assert!(
            header("a\nb")
                .unwrap_err()
                .contains("\"a\\nb\" has no colon")
        );
    }

    #[test]
    fn path_delays() {
        assert_eq!(
            path_delay("/a=b=2s"),
            Ok(("/a=b".into(), Duration::from_secs(2)))
        );
        for typed in ["/a", "a=2s", "/a=x", "=2s"] {
            assert!(path_delay(typed).is_err(), "{typed}");
        }
    }
}
