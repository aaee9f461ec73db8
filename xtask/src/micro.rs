//! `cargo xtask micro`: counts the instructions of each step of the hot path and compares them with the baseline.
//!
//! Each case of the program `hot` runs under callgrind N times and 2N times: the difference divided by N is the cost of
//! one step, without start-up and preparation. Instruction counts do not depend on the machine's load, so small changes
//! are visible. A change of more than 10% from `bench/baseline.tsv` is an error.

mod baseline;
mod counting;
mod table;

use anyhow::{Result, bail};

use crate::requirements::VALGRIND;
use crate::shell::{print, run};
use baseline::Baseline;
use counting::{Count, Hot};
use table::Table;

/// Parses the arguments after `micro` and runs.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    match args {
        [] => check(),
        ["--keep"] => keep(),
        ["--where", case] => show(case),
        _ => bail!("cargo xtask micro [--keep | --where CASE]"),
    }
}

/// Counts and compares with the baseline.
pub(crate) fn check() -> Result<()> {
    let known = Baseline::read()?;
    let hot = hot()?;
    let here = baseline::environment()?;
    if !known.is_of_this_processor(&here) {
        let message = format!(
            "NOT COMPARED: the baseline was counted on {}, this machine is {here}",
            known.counted_with
        );
        // CI must not skip a step.
        if std::env::var_os("CI").is_some() {
            bail!(message);
        }
        print(&message);
        return Ok(());
    }
    if known.counted_with != here {
        print(&format!(
            "the baseline was counted on {}, this machine is {here}: differences may come from the compiler",
            known.counted_with
        ));
    }
    let table = Table::of(hot.counts()?, &known);
    print(&table.to_string());
    let faults = table.faults();
    if faults > 0 {
        bail!(
            "{faults} cases changed by more than 10%, are missing from the baseline, or no longer exist; \
             `cargo xtask micro --where CASE` shows where a case spends its instructions; if the change is intended, run `cargo xtask micro --keep`"
        );
    }
    Ok(())
}

/// Counts and writes the baseline.
fn keep() -> Result<()> {
    let hot = hot()?;
    let counts: Vec<Count> = hot.counts()?;
    if let Ok(known) = Baseline::read() {
        print(&Table::of(counts.clone(), &known).to_string());
    }
    baseline::write(&counts)
}

/// Prints where one case spends its instructions, by file and function.
fn show(case: &str) -> Result<()> {
    let file = std::env::temp_dir().join(format!("crawler-micro-{}", std::process::id()));
    let counted = hot()?.record(case, &file);
    let shown = counted.and_then(|()| {
        run(std::process::Command::new("callgrind_annotate")
            .args(["--auto=no", "--threshold=95"])
            .arg(&file))
    });
    // The file does not exist if counting failed.
    let _ = std::fs::remove_file(&file);
    shown
}

fn hot() -> Result<Hot> {
    VALGRIND.ensure()?;
    Hot::build()
}
