//! Formats times as RFC 3339, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar::date_of_day;

/// Formats a time in whole seconds: `2026-11-16T01:02:03Z`. A time before 1970 is formatted as the start of 1970.
pub fn rfc3339_seconds(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}Z", date_time(since.as_secs()))
}

/// Formats milliseconds since 1970: `2026-11-16T01:02:03.004Z`. A time before 1970 is formatted as the start of 1970.
pub fn rfc3339_millis(unix_millis: i64) -> String {
    let millis = u64::try_from(unix_millis).unwrap_or(0);
    format!("{}.{:03}Z", date_time(millis / 1_000), millis % 1_000)
}

fn date_time(seconds: u64) -> String {
    let (year, month, day) = date_of_day(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn leap_days_and_centuries() {
        for (seconds, written) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_794_790_923, "2026-11-16T01:02:03Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(rfc3339_seconds(time), written);
        }
        for (millis, written) in [
            (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (1_794_790_923_456, "2026-11-16T01:02:03.456Z"),
            (-5, "1970-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339_millis(millis), written);
        }
    }
}
