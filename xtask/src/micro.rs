//! `cargo xtask micro`: what the steps of the hot path cost, in instructions, beside what they did cost.
//!
//! Each case of the program `hot` is run under callgrind so many times and twice as many: the difference, divided, is
//! one step, start and preparation left out. Instructions do not move with the machine's load, so a small change
//! can be told; `bench/baseline.tsv` has what they were, and more than a tenth more is an error.

mod baseline;
mod counting;
mod table;

use anyhow::{Result, bail};

use crate::setup;
use crate::shell::{run, tell};
use baseline::Baseline;
use counting::{Count, Hot};
use table::Table;

/// The words after `micro`.
pub(crate) fn start(words: &[&str]) -> Result<()> {
    match words {
        [] => check(),
        ["--keep"] => keep(),
        ["--where", case] => show(case),
        _ => bail!("cargo xtask micro [--keep | --where CASE]"),
    }
}

/// Counts, and compares with the baseline.
pub(crate) fn check() -> Result<()> {
    let known = Baseline::read()?;
    let hot = hot()?;
    let here = baseline::surroundings()?;
    if !known.is_of_this_processor(&here) {
        let words = format!(
            "NOT COMPARED: the baseline was counted with {}, this is {here}",
            known.counted_with
        );
        // What is left out is an error there.
        if std::env::var_os("CI").is_some() {
            bail!(words);
        }
        tell(&words);
        return Ok(());
    }
    if known.counted_with != here {
        tell(&format!(
            "the baseline was counted with {}, this is {here}: what moved may be the compiler's",
            known.counted_with
        ));
    }
    let table = Table::of(hot.counts()?, &known);
    tell(&table.to_string());
    let faults = table.faults();
    if faults > 0 {
        bail!(
            "{faults} of the cases moved by more than a tenth, or are not in the baseline, or no longer there; \
             `cargo xtask micro --where CASE` shows where a case spends; if it is meant, or better: `cargo xtask micro --keep`"
        );
    }
    Ok(())
}

/// Counts, and makes that the baseline.
fn keep() -> Result<()> {
    let hot = hot()?;
    let counts: Vec<Count> = hot.counts()?;
    if let Ok(known) = Baseline::read() {
        tell(&Table::of(counts.clone(), &known).to_string());
    }
    baseline::write(&counts)
}

/// Where one case spends, by file and function.
fn show(case: &str) -> Result<()> {
    let file = std::env::temp_dir().join(format!("crawler-micro-{}", std::process::id()));
    let counted = hot()?.record(case, &file);
    let shown = counted.and_then(|()| {
        run(std::process::Command::new("callgrind_annotate")
            .args(["--auto=no", "--threshold=95"])
            .arg(&file))
    });
    // Nothing is there if it could not be counted.
    let _ = std::fs::remove_file(&file);
    shown
}

fn hot() -> Result<Hot> {
    setup::program("valgrind", "instructions are counted with it")?;
    Hot::build()
}
