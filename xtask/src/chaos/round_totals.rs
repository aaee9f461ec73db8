//! Sums of what the rounds print: one line at the end of each kind, `sqlite: rounds 2, faults 12, …`.

use std::fmt;

/// Labels in the line, whose numbers are added up.
const SUMS: [&str; 8] = [
    "rounds",
    "faults",
    "pages",
    "lost",
    "doubled",
    "stale writes",
    "poisoned",
    "rounds with findings",
];
/// Label of the longest time, in milliseconds.
const SLOWEST: &str = "slowest takeover";
/// How many labels of [`SUMS`] may have other numbers than 0.
const HARMLESS: usize = 3;

/// The sums of all kinds and processes.
#[derive(Default)]
pub(super) struct RoundTotals {
    sums: [u64; SUMS.len()],
    slowest_takeover: u64,
}

impl RoundTotals {
    /// Adds the numbers of all such lines in the output of a process.
    pub(super) fn add_lines(&mut self, output: &str) {
        for line in output.lines() {
            self.add(line);
        }
    }

    fn add(&mut self, line: &str) {
        let Some((_, values)) = line.split_once(": rounds ") else {
            return;
        };
        // Without the seed and the duration of the run.
        let values = values.split(" (").next().unwrap_or_default();
        for value in format!("rounds {values}").split(", ") {
            let value = value.strip_suffix(" ms").unwrap_or(value);
            let Some((label, Ok(number))) = value
                .rsplit_once(' ')
                .map(|(label, number)| (label, number.parse::<u64>()))
            else {
                continue;
            };
            if let Some(index) = SUMS.iter().position(|sum| *sum == label) {
                self.sums[index] += number;
            } else if label == SLOWEST {
                self.slowest_takeover = self.slowest_takeover.max(number);
            }
        }
    }

    /// Whether there were rounds, and none found anything.
    pub(super) fn are_clean(&self) -> bool {
        self.sums[0] > 0 && self.sums[HARMLESS..].iter().all(|sum| *sum == 0)
    }
}

impl fmt::Display for RoundTotals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (label, sum) in SUMS.iter().zip(self.sums) {
            write!(f, "{label} {sum}, ")?;
        }
        write!(f, "{SLOWEST} {} ms", self.slowest_takeover)
    }
}

#[cfg(test)]
mod tests {
    use super::RoundTotals;

    /// A line as the rounds print it.
    fn line(lost: u32, slowest: u32) -> String {
        format!(
            "postgres: rounds 3, faults 36, pages 2430, lost {lost}, doubled 0, stale writes 0, poisoned 0, \
             rounds with findings 0, slowest takeover {slowest} ms (seed 7, 60 s)\n"
        )
    }

    #[test]
    fn the_numbers_of_all_kinds_are_added_up() {
        let mut totals = RoundTotals::default();
        assert!(!totals.are_clean(), "no round was run");
        let other = "postgres round 1: 12 faults, lost 5\ntest rounds_postgres::x ... ok\n";
        totals.add_lines(&format!("{other}{}{}", line(0, 3_100), line(0, 2_900)));
        assert_eq!(
            totals.to_string(),
            "rounds 6, faults 72, pages 4860, lost 0, doubled 0, stale writes 0, poisoned 0, rounds with findings 0, \
             slowest takeover 3100 ms"
        );
        assert!(totals.are_clean());
        totals.add_lines(&line(1, 10));
        assert!(!totals.are_clean());
        assert!(totals.to_string().contains("lost 1, "));
    }
}
