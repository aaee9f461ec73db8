//! Deserializes whole numbers, accepting `100.0` for `100`.

use std::fmt;

use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// Largest value up to which an `f64` represents every whole number exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Deserializes an optional field; null means none.
pub(super) fn whole_number<'de, D: Deserializer<'de>, T: TryFrom<u64>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let Some(number) = deserializer.deserialize_option(OptionalWholeNumber)? else {
        return Ok(None);
    };
    let converted = T::try_from(number);
    converted.map(Some).map_err(|_| {
        let given = Unexpected::Unsigned(number);
        Error::invalid_value(given, &"a smaller number")
    })
}

struct OptionalWholeNumber;

impl<'de> Visitor<'de> for OptionalWholeNumber {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of 0 or more")
    }

    fn visit_none<E>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u64>, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Option<u64>, E> {
        Ok(Some(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<u64>, E> {
        let found = u64::try_from(number);
        found
            .map(Some)
            .map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is whole and in range"
    )]
    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<u64>, E> {
        if number.fract() == 0.0 && (0.0..=MAX_EXACT).contains(&number) {
            return Ok(Some(number as u64));
        }
        Err(E::invalid_value(Unexpected::Float(number), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_in_every_spelling() {
        let read =
            |text: &str| whole_number::<_, u32>(&mut serde_json::Deserializer::from_str(text));
        for (text, number) in [
            ("7", Some(7)),
            ("7.0", Some(7)),
            ("7e2", Some(700)),
            ("0", Some(0)),
            ("null", None),
        ] {
            assert_eq!(read(text).unwrap(), number, "{text}");
        }
        for text in ["-1", "1.5", "1e300", "\"7\"", "true", "[7]", "4294967296"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
