//! The counts compared with the baseline.

use std::fmt;

use super::baseline::Baseline;
use super::counting::Count;

/// Largest accepted change, in percent.
const MAX_CHANGE_PERCENT: f64 = 10.0;
/// Change in instructions that is always accepted: in a case of nine instructions, one more is more than 10%.
const MAX_CHANGE_INSTRUCTIONS: u64 = 5;

struct Row {
    case: String,
    now: Option<u64>,
    was: Option<u64>,
}

impl Row {
    /// Change in percent; positive is worse.
    fn change(&self) -> Option<f64> {
        let (now, was) = (self.now? as f64, self.was? as f64);
        Some((now - was) / was.max(1.0) * 100.0)
    }

    /// Label of a row that needs attention; empty if the row is fine.
    fn fault(&self) -> Option<&'static str> {
        match (self.now, self.was) {
            (Some(_), None) => Some("NEW"),
            (None, _) => Some("GONE"),
            (Some(now), Some(was)) if now.abs_diff(was) <= MAX_CHANGE_INSTRUCTIONS => None,
            // An improvement must be recorded, or losing it again would go unnoticed.
            _ => match self.change()? {
                change if change > MAX_CHANGE_PERCENT => Some("WORSE"),
                change if change < -MAX_CHANGE_PERCENT => Some("BETTER"),
                _ => None,
            },
        }
    }
}

/// Every case, including those that no longer exist.
pub(super) struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub(super) fn of(counts: Vec<Count>, known: &Baseline) -> Self {
        let mut left = known.instructions.clone();
        let mut rows: Vec<Row> = counts
            .into_iter()
            .map(|count| Row {
                was: left.remove(&count.case),
                now: Some(count.instructions),
                case: count.case,
            })
            .collect();
        rows.extend(left.into_iter().map(|(case, was)| Row {
            case,
            now: None,
            was: Some(was),
        }));
        Self { rows }
    }

    /// Number of cases that changed too much, are new or no longer exist.
    pub(super) fn faults(&self) -> usize {
        self.rows.iter().filter(|row| row.fault().is_some()).count()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |number: Option<u64>| number.map_or("–".into(), |number| number.to_string());
        write!(
            f,
            "{:<24} {:>12} {:>12} {:>9}",
            "case", "now", "baseline", "change"
        )?;
        for row in &self.rows {
            let change = row.change().map(|change| format!("{change:+.1}%"));
            write!(
                f,
                "\n{:<24} {:>12} {:>12} {:>9} {}",
                row.case,
                number(row.now),
                number(row.was),
                change.unwrap_or_default(),
                row.fault().unwrap_or_default(),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(now: &[(&str, u64)], was: &[(&str, u64)]) -> Table {
        let counts = now.iter().map(|(case, instructions)| Count {
            case: (*case).into(),
            instructions: *instructions,
        });
        let known = was.iter().map(|(case, number)| ((*case).into(), *number));
        let known = Baseline {
            counted_with: String::new(),
            instructions: known.collect(),
        };
        Table::of(counts.collect(), &known)
    }

    #[test]
    fn more_than_a_tenth_either_way_is_a_fault() {
        let was = [("scan", 1_000)];
        for (now, faults) in [(1_000, 0), (1_100, 0), (1_101, 1), (900, 0), (899, 1)] {
            assert_eq!(table(&[("scan", now)], &was).faults(), faults, "{now}");
        }
        for (now, faults) in [(9, 0), (14, 0), (15, 1), (4, 0), (3, 1)] {
            assert_eq!(
                table(&[("key", now)], &[("key", 9)]).faults(),
                faults,
                "{now}"
            );
        }
        assert!(
            table(&[("scan", 1_150)], &was)
                .to_string()
                .contains("+15.0% WORSE")
        );
    }

    #[test]
    fn a_new_case_and_one_that_is_gone_are_faults() {
        let table = table(&[("scan", 5), ("new", 7)], &[("scan", 5), ("old", 6)]);
        assert_eq!(table.faults(), 2);
        let shown = table.to_string();
        assert!(shown.contains("NEW") && shown.contains("GONE"), "{shown}");
    }
}
