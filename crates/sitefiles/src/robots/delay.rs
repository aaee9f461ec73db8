//! `Crawl-delay` values: seconds, written by hand.

use std::time::Duration;

/// A plain decimal number of seconds; anything else is ignored.
///
/// Words like `inf` and exponents are refused by their letters. A number too large for a
/// [`Duration`] becomes the largest one: the site did ask for a long delay.
pub(super) fn read(value: &[u8]) -> Option<Duration> {
    let is_plain = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    if !value.iter().all(is_plain) {
        return None;
    }
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}
