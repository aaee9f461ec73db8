//! Which spellings of private addresses a test tries, and a record of what it tried. The command `cargo xtask egress` has all
//! of them tried and reads the record.

use std::io::Write;
use std::path::PathBuf;

/// `all`: every spelling is tried.
const SPELLINGS_VARIABLE: &str = "EGRESS_SPELLINGS";
/// A file to add the record to: a line for each channel.
const RECORD_VARIABLE: &str = "EGRESS_RECORD";
/// Number of spellings that there are at least.
const SPELLINGS: usize = 3_000;

/// One of every few spellings, or all of them.
#[derive(Debug, Clone)]
pub struct SpellingSample {
    step: usize,
    record: Option<PathBuf>,
}

impl SpellingSample {
    /// Tries one of so many, or all if the environment says so.
    pub fn one_of(step: usize) -> Self {
        let all = std::env::var(SPELLINGS_VARIABLE).is_ok_and(|value| value == "all");
        Self {
            step: if all { 1 } else { step },
            record: std::env::var_os(RECORD_VARIABLE).map(PathBuf::from),
        }
    }

    /// Chooses from the spellings.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer than 3,000.
    pub fn of(&self, spellings: impl Iterator<Item = String>) -> Vec<String> {
        let chosen: Vec<String> = spellings.step_by(self.step).collect();
        assert!(chosen.len() >= SPELLINGS / self.step, "{}", chosen.len());
        chosen
    }

    /// Records that so many were tried through a channel, and the connections that were seen meanwhile.
    ///
    /// # Panics
    ///
    /// Panics if the record cannot be written.
    pub fn record(&self, channel: &str, tried: usize, connections: usize) {
        let Some(path) = &self.record else { return };
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.append(true).create(true).open(path).unwrap();
        let line = format!("{channel}\t{tried}\t{connections}\n");
        file.write_all(line.as_bytes()).unwrap();
    }
}
