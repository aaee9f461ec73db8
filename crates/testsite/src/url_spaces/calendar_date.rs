//! Dates of the Gregorian calendar.

use std::fmt;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct CalendarDate(pub(super) i64);

impl CalendarDate {
    pub(super) fn of(year: i64, month: i64, day: i64) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }

    /// Year, month and day.
    pub(super) fn parts(self) -> (i64, i64, i64) {
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (year + era * 400 + i64::from(month <= 2), month, day)
    }

    pub(super) fn plus(self, days: i64) -> Self {
        Self(self.0 + days)
    }

    /// `2024/05/06`.
    pub(super) fn path(self) -> String {
        let (year, month, day) = self.parts();
        format!("{year:04}/{month:02}/{day:02}")
    }

    /// As people write it.
    pub(super) fn long(self) -> String {
        let (year, month, day) = self.parts();
        format!("{day} {} {year}", month_name(month))
    }

    /// Parses `2024-05-06` or `2024/05/06`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(['-', '/']).map(|part| part.parse::<i64>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        let is_date =
            parts.next().is_none() && (1..=12).contains(&month) && (1..=31).contains(&day);
        is_date.then(|| Self::of(year, month, day))
    }
}

impl fmt::Display for CalendarDate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}

pub(super) fn month_name(month: i64) -> &'static str {
    let index = usize::try_from(month - 1).unwrap_or_default();
    MONTHS[index % MONTHS.len()]
}

/// The month this many months after January of year 0: year and month.
pub(super) fn month_at(months: i64) -> (i64, i64) {
    (months.div_euclid(12), months.rem_euclid(12) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates() {
        for (days, text) in [
            (0, "1970-01-01"),
            (19_782, "2024-02-29"),
            (-1, "1969-12-31"),
        ] {
            assert_eq!(CalendarDate(days).to_string(), text);
            assert_eq!(CalendarDate::parse(text), Some(CalendarDate(days)));
        }
        assert_eq!(CalendarDate::parse("2024-13-01"), None);
    }
}
