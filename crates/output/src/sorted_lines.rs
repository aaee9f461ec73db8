//! Sorts and deduplicates any number of byte strings in a fixed amount of memory.
//!
//! Lines are collected in a [`Batch`]; when it is full it is sorted, deduplicated and, if that did not free half
//! of it, spilled as a run to an unnamed temporary file, which the system deletes however
//! the crawl ends. At the end the runs are merged. Runs of one level are merged into one of the next
//! when there are [`FAN_IN`] of them, so open files stay few and every line is rewritten only a
//! logarithmic number of times.

mod batch;
mod merge;
mod run;

use std::io;
use std::mem;

use crawler_model::SinkError;

use batch::Batch;
use merge::Merge;
use run::{Run, RunWriter};

/// Maximum number of bytes held in memory by one sorter.
pub(crate) const BUDGET: usize = 32 * 1024 * 1024;
/// Number of runs merged at once.
const FAN_IN: usize = 32;

/// Sorts lines that are added in any order.
#[derive(Debug)]
pub(crate) struct SortedLines {
    batch: Batch,
    /// Runs by the number of times their lines were merged.
    levels: Vec<Vec<Run>>,
}

impl SortedLines {
    /// A sorter that holds about `budget` bytes in memory.
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            batch: Batch::new(budget),
            levels: Vec::new(),
        }
    }

    /// Adds a line, which may be any bytes.
    pub(crate) fn insert(&mut self, line: &[u8]) -> Result<(), SinkError> {
        self.batch.push(line);
        if self.batch.is_full() && !self.batch.sort_and_compact() {
            self.spill().map_err(temporary_file_error)?;
        }
        Ok(())
    }

    /// Returns the lines sorted, each once, and leaves the sorter empty.
    pub(crate) fn finish(&mut self) -> Result<Lines, SinkError> {
        self.batch.sort_and_compact();
        if self.levels.is_empty() {
            let batch = mem::replace(&mut self.batch, Batch::new(0));
            return Ok(Lines::Held { batch, next: 0 });
        }
        let merge = self.spill().and_then(|()| {
            let runs = mem::take(&mut self.levels).into_iter().flatten();
            Merge::new(runs.collect())
        });
        merge.map(Lines::Merged).map_err(temporary_file_error)
    }

    /// Writes the sorted batch as a run, then merges every level that is full.
    fn spill(&mut self) -> io::Result<()> {
        let mut writer = RunWriter::new()?;
        for line in self.batch.lines() {
            writer.write(line)?;
        }
        self.batch.clear();
        let mut run = writer.finish()?;
        for level in 0.. {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < FAN_IN {
                break;
            }
            run = merge_runs(mem::take(&mut self.levels[level]))?;
        }
        Ok(())
    }
}

fn merge_runs(runs: Vec<Run>) -> io::Result<Run> {
    let mut merge = Merge::new(runs)?;
    let mut writer = RunWriter::new()?;
    while let Some(line) = merge.next_line()? {
        writer.write(line)?;
    }
    writer.finish()
}

/// The sorted lines, each once.
#[derive(Debug)]
pub(crate) enum Lines {
    /// All lines fit in memory.
    Held {
        /// Sorted.
        batch: Batch,
        /// Index of the next line.
        next: usize,
    },
    /// The lines were spilled to files.
    Merged(Merge),
}

impl Lines {
    /// The next line.
    pub(crate) fn next_line(&mut self) -> Result<Option<&[u8]>, SinkError> {
        match self {
            Self::Held { batch, next } => {
                *next += 1;
                Ok(batch.line(*next - 1))
            }
            Self::Merged(merge) => merge.next_line().map_err(temporary_file_error),
        }
    }
}

fn temporary_file_error(error: io::Error) -> SinkError {
    SinkError {
        target: format!("a temporary file in {}", std::env::temp_dir().display()),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn sorted(budget: usize, lines: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut sorter = SortedLines::new(budget);
        for line in lines {
            sorter.insert(line).unwrap();
        }
        let mut read = sorter.finish().unwrap();
        let mut out = Vec::new();
        while let Some(line) = read.next_line().unwrap() {
            out.push(line.to_vec());
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn result_equals_that_of_a_set(
            lines in prop::collection::vec(prop::collection::vec(0u8..4, 0..6), 0..300),
            budget in prop::sample::select(vec![1usize, 60, 500, BUDGET]),
        ) {
            let set: BTreeSet<Vec<u8>> = lines.iter().cloned().collect();
            prop_assert_eq!(sorted(budget, &lines), set.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn many_runs_are_merged_in_passes() {
        // One line per run, and more runs than FAN_IN squared: three levels.
        let lines: Vec<Vec<u8>> = (0..1_200u32)
            .map(|number| {
                (number.wrapping_mul(2_654_435_761) % 1_000)
                    .to_be_bytes()
                    .to_vec()
            })
            .collect();
        let set: BTreeSet<Vec<u8>> = lines.iter().cloned().collect();
        assert_eq!(sorted(1, &lines), set.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn repeats_do_not_spill() {
        let mut sorter = SortedLines::new(4_096);
        for number in 0..100_000u32 {
            sorter
                .insert(format!("line {}", number % 50).as_bytes())
                .unwrap();
        }
        assert!(sorter.levels.is_empty());
        assert!(sorter.batch.lines().count() < 4_096);
    }
}
