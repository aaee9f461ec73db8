//! The committed baseline, `bench/baseline.tsv`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::counting::Count;
use crate::shell::{output_of, root};

const HEADER_PREFIX: &str = "# counted with ";

/// Counts of an earlier run.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Baseline {
    /// Compiler, processor family, valgrind.
    pub(super) counted_with: String,
    pub(super) instructions: BTreeMap<String, u64>,
}

impl Baseline {
    pub(super) fn read() -> Result<Self> {
        let path = path();
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!(
                "no {}: `cargo xtask micro --keep` writes it",
                path.display()
            )
        })?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let counted_with = text
            .lines()
            .find_map(|line| line.strip_prefix(HEADER_PREFIX))
            .context("the baseline does not say what it was counted on")?;
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        let instructions = rows
            .map(|row| {
                let (case, number) = row
                    .split_once('\t')
                    .with_context(|| format!("{row:?} is not a case and a number"))?;
                let number = number.parse::<u64>();
                Ok((case.to_owned(), number.with_context(|| format!("{row:?}"))?))
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            counted_with: counted_with.to_owned(),
            instructions,
        })
    }

    /// Counts of another processor family, or of one with fewer features, cannot be compared.
    pub(super) fn is_of_this_processor(&self, here: &str) -> bool {
        let family = |text: &str| text.split(", ").nth(1).map(str::to_owned);
        family(&self.counted_with) == family(here)
    }
}

/// Writes these counts as the baseline.
pub(super) fn write(counts: &[Count]) -> Result<()> {
    let text = format_counts(counts, &environment()?);
    std::fs::write(path(), text).with_context(|| format!("cannot write {}", path().display()))
}

fn format_counts(counts: &[Count], with: &str) -> String {
    let mut text = format!(
        "# Instructions of one step of each case. Written by `cargo xtask micro --keep`.\n{HEADER_PREFIX}{with}\n"
    );
    for count in counts {
        writeln!(text, "{}\t{}", count.case, count.instructions).ok();
    }
    text
}

/// What the counts depend on besides our code: compiler, processor, C library, valgrind.
pub(super) fn environment() -> Result<String> {
    let version_of = |program: &str| output_of(Command::new(program).arg("--version"));
    let (rustc, valgrind) = (version_of("rustc")?, version_of("valgrind")?);
    let (processor, system) = (std::env::consts::ARCH, std::env::consts::OS);
    let libc = output_of(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    Ok(format!(
        "{}, {processor}{} {system}, {}, {}",
        rustc.trim(),
        cpu_features(),
        valgrind.trim(),
        libc.trim()
    ))
}

/// Processor features that libraries detect at run time.
#[cfg(target_arch = "x86_64")]
fn cpu_features() -> &'static str {
    match (
        std::is_x86_feature_detected!("avx2"),
        std::is_x86_feature_detected!("pclmulqdq"),
    ) {
        (true, true) => " avx2 pclmulqdq",
        (true, false) => " avx2",
        (false, true) => " pclmulqdq",
        (false, false) => "",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_features() -> &'static str {
    ""
}

fn path() -> PathBuf {
    root().join("bench/baseline.tsv")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_back_as_written() {
        let count = |case: &str, instructions| Count {
            case: case.into(),
            instructions,
        };
        let counts = [count("scan-s", 12_345), count("key", 80)];
        let text = format_counts(&counts, "rustc 1, x86_64 linux, valgrind-3");
        let read = Baseline::parse(&text).unwrap();
        assert_eq!(read.counted_with, "rustc 1, x86_64 linux, valgrind-3");
        assert_eq!(read.instructions["scan-s"], 12_345);
        assert_eq!(read.instructions.len(), 2);
        assert!(read.is_of_this_processor("rustc 2, x86_64 linux, valgrind-4"));
        assert!(!read.is_of_this_processor("rustc 1, aarch64 linux, valgrind-3"));
    }

    #[test]
    fn a_malformed_row_is_an_error() {
        for row in ["scan-s 12", "scan-s\tmany"] {
            let text = format!("{HEADER_PREFIX}rustc 1, x86_64 linux, valgrind-3\n{row}\n");
            let error = format!("{:#}", Baseline::parse(&text).unwrap_err());
            assert!(error.contains("scan-s"), "{error}");
        }
    }

    /// Otherwise nothing would be compared, silently.
    #[test]
    fn a_baseline_without_its_environment_is_an_error() {
        for text in ["", "scan-s\t12\n"] {
            assert!(Baseline::parse(text).is_err(), "{text:?}");
        }
    }
}
