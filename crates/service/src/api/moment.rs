//! A stored moment as RFC 3339 writes it, in UTC and milliseconds.

use store::UnixMillis;

/// `2026-11-16T01:02:03.004Z`; before 1970 is its first moment.
pub fn rfc3339(moment: UnixMillis) -> String {
    let millis = u64::try_from(moment.0).unwrap_or(0);
    let (seconds, part) = (millis / 1_000, millis % 1_000);
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{part:03}Z")
}

/// The date of a day counted from 1970-01-01. Years begin in March here, so that the leap day is the last.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        for (millis, written) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (1_794_790_923_456, "2026-11-16T01:02:03.456Z"),
            (-5, "1970-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(UnixMillis(millis)), written);
        }
    }
}
