//! Human-readable sizes and durations.

use std::time::Duration;

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
    fn sizes_and_durations() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(45_600_000), "45.6 MB");
        assert_eq!(span(Duration::from_millis(1_234)), "1.2 s");
        assert_eq!(span(Duration::from_secs(185)), "3 m 05 s");
        assert_eq!(span(Duration::from_mins(130)), "2 h 10 m");
    }
}
