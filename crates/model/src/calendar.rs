//! The Gregorian calendar.

/// Returns the number of days of a month, from 1 to 12; `None` for another number.
pub fn days_in_month(year: u32, month: u32) -> Option<u32> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => Some(29),
        2 => Some(28),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

/// Converts days since 1970-01-01 to year, month and day. The calculation starts years in March, so that the leap day comes
/// last.
pub fn date_of_day(days: u64) -> (u64, u64, u64) {
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

    /// Every day from 1970 to 2200, counted month by month.
    #[test]
    fn days_and_months_agree() {
        let mut days = 0;
        for year in 1970..=2200 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month).unwrap() {
                    let expected = (u64::from(year), u64::from(month), u64::from(day));
                    assert_eq!(date_of_day(days), expected);
                    days += 1;
                }
            }
        }
        assert_eq!(
            (days_in_month(2024, 0), days_in_month(2024, 13)),
            (None, None)
        );
    }
}
