//! Numbers as people read them.

use std::time::Duration;

/// `12,345`
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 page`, `2 pages`
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { many }
    )
}

/// `45.6 MB`
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let mut amount = bytes as f64;
    let mut unit = "B";
    for larger in UNITS {
        if amount < 1_000.0 {
            break;
        }
        amount /= 1_000.0;
        unit = larger;
    }
    if unit == "B" {
        format!("{bytes} B")
    } else {
        format!("{amount:.1} {unit}")
    }
}

/// `0.4 s`, `12.3 s`, `3 m 05 s`, `2 h 10 m`
pub(crate) fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..=59 => format!("{:.1} s", duration.as_secs_f64()),
        60..=3_599 => format!("{} m {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} m", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_people_read_them() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(size(999), "999 B");
        assert_eq!(size(45_600_000), "45.6 MB");
        assert_eq!(span(Duration::from_millis(1_234)), "1.2 s");
        assert_eq!(span(Duration::from_secs(185)), "3 m 05 s");
        assert_eq!(span(Duration::from_mins(130)), "2 h 10 m");
    }
}
