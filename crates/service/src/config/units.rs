//! Parses and formats durations and sizes.

use std::time::Duration;

/// Upper limit, so that adding a duration to a clock cannot overflow.
const MAX_DURATION: Duration = Duration::from_hours(24 * 3_650);

/// Parses `10s`, `500ms` or `1h30m`; a plain number is in seconds.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text.trim();
    if let Ok(seconds) = rest.parse::<u64>() {
        return Some(Duration::from_secs(seconds)).filter(|total| *total <= MAX_DURATION);
    }
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (number, after) = split_number(rest)?;
        let end = after.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, remaining) = after.split_at(end.unwrap_or(after.len()));
        let seconds = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
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

/// Formats a duration in the largest unit that represents it exactly.
pub(super) fn duration_text(duration: Duration) -> String {
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
        None => format!("{millis}ms"),
    }
}

/// Parses `500KB`, `5MB`, `1GiB` or `1000`.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = split_number(text.trim())?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
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
pub(super) fn bytes_text(bytes: u64) -> String {
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
            ("500ms", 500),
            ("10s", 10_000),
            ("90s", 90_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            ("30d", 2_592_000_000),
        ] {
            let read = duration(text).unwrap();
            assert_eq!(read, Duration::from_millis(millis), "{text}");
            assert_eq!(duration_text(read), text);
        }
        assert_eq!(duration("1m30s"), duration("90s"));
        assert_eq!(duration("30"), duration("30s"));
        for text in ["", "s", "10 s", "-1s", "1y", "1e3s", "9999999999999d"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_parse_and_print_alike() {
        for (text, size) in [("5MB", 5_000_000), ("1GB", 1_000_000_000), ("1023", 1_023)] {
            assert_eq!(bytes(text), Some(size), "{text}");
            assert_eq!(bytes_text(size), text);
        }
        assert_eq!(bytes("1MiB"), Some(1_048_576));
        for text in ["", "MB", "-1", "1XB", "1e3"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
