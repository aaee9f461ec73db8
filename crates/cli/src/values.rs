//! Parsers of flag values: numbers, durations, sizes, delays below a path, headers.

use std::str::FromStr;
use std::time::Duration;

/// Parses `25`.
pub(crate) fn whole_number<N: FromStr>(typed: &str) -> Result<N, String> {
    let number = typed.parse();
    number.map_err(|_| format!("\"{typed}\" is not a valid whole number; use one like 25"))
}

/// Ten years: short enough to be added to any clock.
const MAX_DURATION: Duration = Duration::from_hours(24 * 3_650);

/// Parses `10s`, `500ms`, `1m30s`, `1h`; a bare number is seconds.
pub(crate) fn duration(typed: &str) -> Result<Duration, String> {
    let wrong = || format!("\"{typed}\" is not a duration; use one like 500ms, 10s, 5m or 1h30m");
    let text = typed.trim();
    if text.is_empty() {
        return Err(wrong());
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, after) = split_number(rest).ok_or_else(wrong)?;
        let unit_end = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, remaining) = after.split_at(unit_end);
        let seconds = match unit {
            "ms" => 0.001,
            "s" | "sec" => 1.0,
            "" if remaining.is_empty() && rest.len() == text.len() => 1.0,
            "m" | "min" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => return Err(wrong()),
        };
        let part = Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())?;
        total = total
            .checked_add(part)
            .filter(|total| *total <= MAX_DURATION)
            .ok_or_else(wrong)?;
        rest = remaining;
    }
    Ok(total)
}

/// Parses `500MB`, `2MiB`, `1000`.
pub(crate) fn bytes(typed: &str) -> Result<u64, String> {
    let wrong = || format!("\"{typed}\" is not a size; use one like 500KB, 2MB or 1GiB");
    let (number, unit) = split_number(typed.trim()).ok_or_else(wrong)?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let size = number * factor;
    if !(0.0..=1e18).contains(&size) {
        return Err(wrong());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the size is in range; fractions of a byte are dropped"
    )]
    Ok(size as u64)
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

/// Parses `Name: value`. The plan checks the name and the value.
pub(crate) fn header(typed: &str) -> Result<(String, String), String> {
    let (name, value) = typed
        .split_once(':')
        .ok_or("it has no colon; write 'Name: value'")?;
    Ok((name.to_owned(), value.trim().to_owned()))
}

fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    number.parse().ok().map(|number| (number, rest))
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
    fn durations() {
        for (typed, millis) in [
            ("10s", 10_000),
            ("500ms", 500),
            ("1m30s", 90_000),
            ("2h", 7_200_000),
            ("10", 10_000),
            ("0.5s", 500),
            ("1d", 86_400_000),
            ("0", 0),
        ] {
            assert_eq!(
                duration(typed),
                Ok(Duration::from_millis(millis)),
                "{typed}"
            );
        }
        for typed in [
            "",
            "s",
            "10x",
            "-1s",
            "1m30",
            "ten",
            "1.2.3s",
            "99999999999999999999d",
        ] {
            assert!(duration(typed).unwrap_err().contains("500ms"), "{typed}");
        }
    }

    #[test]
    fn sizes() {
        for (typed, size) in [
            ("1000", 1_000),
            ("500MB", 500_000_000),
            ("2MiB", 2_097_152),
            ("1.5k", 1_500),
            ("2 gb", 2_000_000_000),
        ] {
            assert_eq!(bytes(typed), Ok(size), "{typed}");
        }
        for typed in ["", "MB", "-1", "5 parsecs", "1e99"] {
            assert!(bytes(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn headers() {
        assert_eq!(header("A: b: c"), Ok(("A".into(), "b: c".into())));
        assert_eq!(header("A:"), Ok(("A".into(), String::new())));
        assert!(header("A b").is_err());
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
