//! What a word tells about a page.

/// Years and what is next to a number in the URL.
const YEARS: std::ops::RangeInclusive<u64> = 1900..=2199;
const NEAR: u64 = 12;
/// Shortest word of letters and digits that is taken for a random id.
const MIN_RANDOM: usize = 6;

const MONTHS_AND_DAYS: [&[u8]; 40] = [
    b"january",
    b"february",
    b"march",
    b"april",
    b"may",
    b"june",
    b"july",
    b"august",
    b"september",
    b"october",
    b"november",
    b"december",
    b"jan",
    b"feb",
    b"mar",
    b"apr",
    b"jun",
    b"jul",
    b"aug",
    b"sep",
    b"sept",
    b"oct",
    b"nov",
    b"dec",
    b"monday",
    b"tuesday",
    b"wednesday",
    b"thursday",
    b"friday",
    b"saturday",
    b"sunday",
    b"mon",
    b"tue",
    b"wed",
    b"thu",
    b"fri",
    b"sat",
    b"sun",
    b"am",
    b"pm",
];

/// What a word tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A word.
    Word,
    /// A number that is content.
    Number,
    /// Where among other pages the page is.
    Position,
}

impl WordKind {
    /// What a word tells on a page whose URL has these numbers.
    pub(super) fn of(word: &[u8], url_numbers: &[u64]) -> Self {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return if MONTHS_AND_DAYS.contains(&word) {
                WordKind::Position
            } else {
                WordKind::Word
            };
        }
        let separators = word.iter().filter(|byte| is_separator(**byte)).count();
        let is_position = match (separators, digits == word.len()) {
            (0, false) => word.len() >= MIN_RANDOM,
            (0, true) => {
                let number = std::str::from_utf8(word)
                    .ok()
                    .and_then(|text| text.parse().ok());
                // A number too long to read is an id.
                number.is_none_or(|number: u64| {
                    let is_near = |other: &u64| number.abs_diff(*other) <= NEAR;
                    YEARS.contains(&number) || url_numbers.iter().any(is_near)
                })
            }
            // A time of day or a measurement.
            (1, _) => false,
            // A date.
            _ => true,
        };
        if is_position {
            WordKind::Position
        } else {
            WordKind::Number
        }
    }
}

/// A separator within a number.
pub(super) fn is_separator(byte: u8) -> bool {
    matches!(byte, b'.' | b',' | b':')
}
