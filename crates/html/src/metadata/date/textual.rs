//! Dates with month names: the formats of email, of JavaScript, and English text.

use super::{ParsedDate, TimeOfDay, UtcOffset, clock, day_of, zone};

#[rustfmt::skip]
const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
];

#[rustfmt::skip]
const WEEKDAYS: [&str; 7] = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
];

/// The parts of a date found so far.
#[derive(Default)]
struct Parts<'a> {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    clock: Option<TimeOfDay<'a>>,
    afternoon: Option<bool>,
    zone: Option<UtcOffset>,
}

/// Parses a date with a month name; `None` if any word in it is unknown.
pub(super) fn read(text: &str) -> Option<ParsedDate<'_>> {
    // JavaScript appends the zone's long name in parentheses.
    let text = text.split(" (").next()?;
    let mut parts = Parts::default();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        let joined = word.starts_with(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_alphabetic())
            && word.contains('-')
            && !word.contains(':');
        if joined {
            // Such as `31-Dec-2024`.
            word.split('-').try_for_each(|part| parts.take(part))?;
        } else {
            parts.take(word)?;
        }
    }
    parts.into_date()
}

impl<'a> Parts<'a> {
    /// Processes a word; `None` if it is unknown or repeats a part.
    fn take(&mut self, word: &'a str) -> Option<()> {
        let lower = word.trim_end_matches('.').to_ascii_lowercase();
        if word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()) {
            return self.take_time(word);
        }
        if let Some(month) = position(&MONTHS, &lower) {
            return set(&mut self.month, month + 1);
        }
        if position(&WEEKDAYS, &lower).is_some() || matches!(&*lower, "at" | "on" | "of" | "the") {
            return Some(());
        }
        match &*lower {
            "am" | "a.m" => return set(&mut self.afternoon, false),
            "pm" | "p.m" => return set(&mut self.afternoon, true),
            _ => {}
        }
        if lower.len() == 4 && lower.bytes().all(|byte| byte.is_ascii_digit()) {
            return set(&mut self.year, lower.parse().ok()?);
        }
        if lower.starts_with(|c: char| c.is_ascii_digit()) {
            let day = ["st", "nd", "rd", "th"]
                .iter()
                .find_map(|suffix| lower.strip_suffix(suffix))
                .unwrap_or(&lower);
            return set(&mut self.day, day.parse().ok()?);
        }
        self.clock?;
        set(&mut self.zone, zone(word)?)
    }

    fn take_time(&mut self, word: &'a str) -> Option<()> {
        let mut rest = word;
        set(&mut self.clock, clock(&mut rest)?)?;
        match &*rest.to_ascii_lowercase() {
            "" => Some(()),
            "am" => set(&mut self.afternoon, false),
            "pm" => set(&mut self.afternoon, true),
            _ => set(&mut self.zone, zone(rest)?),
        }
    }

    fn into_date(self) -> Option<ParsedDate<'a>> {
        let (year, month, day) = day_of(self.year?, self.month?, self.day?)?;
        let time = match (self.clock, self.afternoon) {
            (None, None) => None,
            (None, Some(_)) => return None,
            (Some(clock), afternoon) => {
                let clock = match afternoon {
                    None => clock,
                    Some(afternoon) => clock.in_24_hours(afternoon)?,
                };
                Some((clock, self.zone.unwrap_or(UtcOffset(0))))
            }
        };
        Some(ParsedDate {
            year,
            month,
            day,
            time,
        })
    }
}

fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.replace(value).is_none().then_some(())
}

/// The position of the name that the word equals or abbreviates to three or more letters.
fn position(names: &[&str], word: &str) -> Option<u32> {
    let found = |name: &&str| word.len() >= 3 && name.starts_with(word);
    u32::try_from(names.iter().position(found)?).ok()
}
