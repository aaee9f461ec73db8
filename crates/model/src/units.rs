//! Durations and sizes as people write them: `1h30m`, `5MB`.

use std::time::Duration;

/// Upper limit, so that adding a duration to a clock cannot overflow: ten years.
const MAX_DURATION: Duration = Duration::from_hours(24 * 3_650);

/// What [`parse_duration`] accepts, for error messages.
pub const DURATION_FORMAT: &str = "a duration like 500ms, 10s, 5m or 1h30m";

/// What [`parse_bytes`] accepts, for error messages.
pub const SIZE_FORMAT: &str = "a size like 500KB, 2MB or 1GiB";

/// Parses `10s`, `500ms`, `1h30m` or `0.5s`; a plain number is in seconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, after) = split_number(rest)?;
        let unit_end = after.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, remaining) = after.split_at(unit_end.unwrap_or(after.len()));
        let seconds = match unit {
            "ms" => 0.001,
            "s" | "sec" => 1.0,
            "" if remaining.is_empty() && rest.len() == text.len() => 1.0,
            "m" | "min" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number * seconds).ok()?;
        total = total
            .checked_add(part)
            .filter(|total| *total <= MAX_DURATION)?;
        rest = remaining;
    }
    Some(total)
}

/// Formats a duration in the largest unit that represents it exactly, at least milliseconds.
pub fn duration_text(duration: Duration) -> String {
    let millis = duration.as_millis();
    let units = [
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1_000),
    ];
    let exact = units
        .iter()
        .find(|(_, size)| millis > 0 && millis.is_multiple_of(*size));
    match exact {
        Some((unit, size)) => format!("{}{unit}", millis / size),
        None if millis == 0 => "0s".to_owned(),
        None => format!("{millis}ms"),
    }
}

/// Parses `500KB`, `5MB`, `1GiB`, `1.5k` or `1000`.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let (number, unit) = split_number(text.trim())?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1_024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        "tib" => 1_099_511_627_776.0,
        _ => return None,
    };
    let size = number * factor;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the size is in range; a fraction of a byte is dropped"
    )]
    (0.0..=1e18).contains(&size).then_some(size as u64)
}

/// Formats a size in the largest unit that represents it exactly.
pub fn bytes_text(bytes: u64) -> String {
    let units = [
        ("TB", 1_000_000_000_000),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("KB", 1_000),
    ];
    let exact = units
        .iter()
        .find(|(_, size)| bytes > 0 && bytes.is_multiple_of(*size));
    match exact {
        Some((unit, size)) => format!("{}{unit}", bytes / size),
        None => bytes.to_string(),
    }
}

fn split_number(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_parse_and_print_alike() {
        for (text, millis) in [
            ("0s", 0),
            ("500ms", 500),
            ("10s", 10_000),
            ("90s", 90_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            ("30d", 2_592_000_000),
        ] {
            let read = parse_duration(text).unwrap();
            assert_eq!(read, Duration::from_millis(millis), "{text}");
            assert_eq!(duration_text(read), text);
        }
    }

    #[test]
    fn durations_have_other_spellings_too() {
        for (text, same) in [
            ("1m30s", "90s"),
            ("30", "30s"),
            ("0", "0s"),
            ("0.5s", "500ms"),
            ("0.5", "500ms"),
            ("10sec", "10s"),
            ("5min", "5m"),
            (" 1d ", "24h"),
        ] {
            assert_eq!(parse_duration(text), parse_duration(same), "{text}");
            assert!(parse_duration(text).is_some(), "{text}");
        }
        for text in [
            "",
            " ",
            "s",
            "10x",
            "10 s",
            "-1s",
            "1m30",
            "ten",
            "1.2.3s",
            "1y",
            "1e3s",
            "9999999999999d",
            "99999999999999999999",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_parse_and_print_alike() {
        for (text, size) in [("5MB", 5_000_000), ("1GB", 1_000_000_000), ("1023", 1_023)] {
            assert_eq!(parse_bytes(text), Some(size), "{text}");
            assert_eq!(bytes_text(size), text);
        }
    }

    #[test]
    fn sizes_have_other_spellings_too() {
        for (text, size) in [
            ("1MiB", 1_048_576),
            ("2 gb", 2_000_000_000),
            ("1.5k", 1_500),
            ("3m", 3_000_000),
            ("7b", 7),
        ] {
            assert_eq!(parse_bytes(text), Some(size), "{text}");
        }
        for text in ["", "MB", "-1", "1XB", "1e3", "5 parsecs", "1e99"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }
}
