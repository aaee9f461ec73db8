//! Converts the date formats that pages use to RFC 3339.
//!
//! Supported: ISO 8601 with dashes, slashes, dots or no separators; the formats of email and JavaScript;
//! English dates with month names; `31.12.2024`; `12/31/2024` if only one order is possible; and seconds or
//! milliseconds since 1970. A date without a time of day remains a date.

mod textual;

use crawler_model::calendar;

use super::text::line;

/// A longer text is not a date.
const MAX_DATE: usize = 100;

/// The first candidate that can be parsed, as RFC 3339; otherwise the first as written.
pub(super) fn first<'a>(candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut written = None;
    for text in candidates.filter_map(line) {
        if text.len() > MAX_DATE || is_placeholder(&text) {
            continue;
        }
        if let Some(date) = rfc3339(&text) {
            return Some(date);
        }
        written.get_or_insert(text);
    }
    written
}

/// Whether the text is a placeholder that software writes for a missing date.
fn is_placeholder(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_digit())
        || ["0000-", "0001-", "-0001-", "1/1/0001"]
            .iter()
            .any(|start| text.starts_with(start))
        || text == "0"
}

fn rfc3339(text: &str) -> Option<String> {
    iso(text)
        .or_else(|| epoch(text))
        .or_else(|| numeric_date(text))
        .or_else(|| textual::read(text))
        .map(|date| date.to_string())
}

/// A date, with the time of day if known.
#[derive(Debug, Clone, Copy)]
struct ParsedDate<'a> {
    year: u32,
    month: u32,
    day: u32,
    time: Option<(TimeOfDay<'a>, UtcOffset)>,
}

impl std::fmt::Display for ParsedDate<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)?;
        let Some((clock, zone)) = self.time else {
            return Ok(());
        };
        write!(
            f,
            "T{:02}:{:02}:{:02}",
            clock.hour, clock.minute, clock.second
        )?;
        if !clock.fraction.is_empty() {
            write!(f, ".{}", clock.fraction)?;
        }
        match zone.0 {
            0 => f.write_str("Z"),
            minutes => {
                let sign = if minutes < 0 { '-' } else { '+' };
                let minutes = minutes.unsigned_abs();
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

/// A time of day; the fraction of the second is kept as written.
#[derive(Debug, Clone, Copy)]
struct TimeOfDay<'a> {
    hour: u32,
    minute: u32,
    second: u32,
    fraction: &'a str,
}

impl TimeOfDay<'_> {
    /// Converts from a 12-hour clock.
    fn in_24_hours(self, afternoon: bool) -> Option<Self> {
        let hour = self.hour % 12 + if afternoon { 12 } else { 0 };
        (1..=12)
            .contains(&self.hour)
            .then_some(Self { hour, ..self })
    }
}

/// Minutes east of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct UtcOffset(i32);

/// The date, if it exists in the calendar.
fn day_of(year: u32, month: u32, day: u32) -> Option<(u32, u32, u32)> {
    let days = calendar::days_in_month(year, month)?;
    ((1000..=9999).contains(&year) && (1..=days).contains(&day)).then_some((year, month, day))
}

/// Removes between `min` and `max` leading digits from the text and returns their value.
fn digits(text: &mut &str, min: usize, max: usize) -> Option<u32> {
    let count = text
        .bytes()
        .take(max)
        .take_while(u8::is_ascii_digit)
        .count();
    if count < min {
        return None;
    }
    let (number, rest) = text.split_at(count);
    *text = rest;
    number.parse().ok()
}

fn take(text: &mut &str, character: char) -> bool {
    let rest = text.strip_prefix(character);
    *text = rest.unwrap_or(text);
    rest.is_some()
}

/// Parses `2024-01-31`, with or without a time.
fn iso(text: &str) -> Option<ParsedDate<'_>> {
    let mut rest = text;
    let year = digits(&mut rest, 4, 4)?;
    let separator = rest.chars().next().filter(|c| matches!(c, '-' | '/' | '.'));
    let (month, day) = if let Some(separator) = separator {
        take(&mut rest, separator);
        let month = digits(&mut rest, 1, 2)?;
        take(&mut rest, separator).then_some(())?;
        (month, digits(&mut rest, 1, 2)?)
    } else {
        // Without separators many numbers look like a date.
        (1900..=2100).contains(&year).then_some(())?;
        (digits(&mut rest, 2, 2)?, digits(&mut rest, 2, 2)?)
    };
    with_time(day_of(year, month, day)?, rest)
}

/// Adds the time that follows a numeric date, if there is one.
fn with_time((year, month, day): (u32, u32, u32), rest: &str) -> Option<ParsedDate<'_>> {
    let mut time = None;
    if !rest.is_empty() {
        let mut rest = rest.strip_prefix(['T', 't', ' ', ','])?.trim_start();
        let mut clock = clock(&mut rest)?;
        rest = rest.trim_start();
        for (half, afternoon) in [("AM", false), ("PM", true)] {
            if rest
                .get(..2)
                .is_some_and(|start| start.eq_ignore_ascii_case(half))
            {
                clock = clock.in_24_hours(afternoon)?;
                rest = rest[2..].trim_start();
            }
        }
        let zone = if rest.is_empty() {
            UtcOffset(0)
        } else {
            zone(rest)?
        };
        time = Some((clock, zone));
    }
    Some(ParsedDate {
        year,
        month,
        day,
        time,
    })
}

/// Parses `23:59`, `23:59:59.123` or `235959`.
fn clock<'a>(text: &mut &'a str) -> Option<TimeOfDay<'a>> {
    let start = *text;
    let hour = digits(text, 1, 2)?;
    let colon = take(text, ':');
    if !colon && start.len() - text.len() == 1 {
        return None;
    }
    let minute = digits(text, 2, 2)?;
    let mut second = 0;
    let mut fraction = "";
    if take(text, ':') || !colon && text.starts_with(|c: char| c.is_ascii_digit()) {
        second = digits(text, 2, 2)?;
        if let Some(rest) = text.strip_prefix(['.', ',']) {
            let count = rest.bytes().take_while(u8::is_ascii_digit).count();
            fraction = &rest[..count.min(9)];
            *text = &rest[count..];
        }
    }
    (hour < 24 && minute < 60 && second <= 60).then_some(TimeOfDay {
        hour,
        minute,
        second,
        fraction,
    })
}

/// Parses `Z`, `+01:00`, `-0500`, `+01`, `UTC`, `GMT+0100`, and the zone names used in email.
fn zone(text: &str) -> Option<UtcOffset> {
    let name = text.to_ascii_uppercase();
    let hours = match name.as_str() {
        "Z" | "UTC" | "GMT" | "UT" => 0,
        "EST" | "CDT" => -5,
        "EDT" => -4,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        "CET" => 1,
        "CEST" => 2,
        _ => return offset(&name),
    };
    Some(UtcOffset(hours * 60))
}

fn offset(name: &str) -> Option<UtcOffset> {
    let mut rest = name
        .strip_prefix("UTC")
        .or_else(|| name.strip_prefix("GMT"))
        .unwrap_or(name);
    let sign = if take(&mut rest, '+') {
        1
    } else {
        (take(&mut rest, '-') || take(&mut rest, '\u{2212}')).then_some(-1)?
    };
    let hours = digits(&mut rest, 1, 2)?;
    take(&mut rest, ':');
    let minutes = if rest.is_empty() {
        0
    } else {
        digits(&mut rest, 2, 2)?
    };
    let is_valid = rest.is_empty() && hours < 24 && minutes < 60;
    is_valid.then_some(UtcOffset(sign * i32::try_from(hours * 60 + minutes).ok()?))
}

/// Parses seconds or milliseconds since 1970: ten or thirteen digits.
fn epoch(text: &str) -> Option<ParsedDate<'_>> {
    if !matches!(text.len(), 10 | 13) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds: u32 = text[..10].parse().ok()?;
    let of_day = seconds % 86_400;
    let (year, month, day) = calendar::date_of_day(u64::from(seconds / 86_400));
    let clock = TimeOfDay {
        hour: of_day / 3600,
        minute: of_day / 60 % 60,
        second: of_day % 60,
        fraction: "",
    };
    Some(ParsedDate {
        year: year.try_into().ok()?,
        month: month.try_into().ok()?,
        day: day.try_into().ok()?,
        time: Some((clock, UtcOffset(0))),
    })
}

/// Parses `31.12.2024`; with slashes or dashes only if day and month cannot be confused.
fn numeric_date(text: &str) -> Option<ParsedDate<'_>> {
    let mut rest = text;
    let first = digits(&mut rest, 1, 2)?;
    let separator = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '-' | '/' | '.'))?;
    take(&mut rest, separator);
    let second = digits(&mut rest, 1, 2)?;
    take(&mut rest, separator).then_some(())?;
    let year = digits(&mut rest, 4, 4)?;
    let (day, month) = if separator == '.' || first > 12 || first == second {
        (first, second)
    } else if second > 12 {
        (second, first)
    } else {
        return None;
    };
    with_time(day_of(year, month, day)?, rest)
}

#[cfg(test)]
mod tests;
