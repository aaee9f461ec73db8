//! `cargo xtask bench`: compares our crawl with other crawlers on the same sites, in turns, and checks it against the bars.

mod bars;
mod document;
mod fetched;
mod growth;
mod peers;
mod rounds;
mod runner;
mod sample;
mod scenario;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use self::bars::Figures;
use self::growth::Growth;
use self::peers::Peers;
use self::runner::CrawlBench;
use self::scenario::{Scenario, Size};
use super::bench_setup::BenchSetup;
use super::machine;
use crate::shell::print;

/// A folder in memory, used if it exists.
const IN_MEMORY: &str = "/dev/shm";

/// The parsed arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    runs: usize,
    size: Size,
}

impl Options {
    /// Parses `[--runs N] [--quick]`.
    pub(crate) fn parse(mut args: &[&str]) -> Result<Self> {
        let mut options = Self {
            runs: 1,
            size: Size::Full,
        };
        loop {
            args = match args {
                [] => return Ok(options),
                ["--quick", rest @ ..] => {
                    options.size = Size::Quick;
                    rest
                }
                ["--runs", number, rest @ ..] => {
                    options.runs = number
                        .parse()
                        .ok()
                        .filter(|runs| *runs > 0)
                        .with_context(|| format!("--runs needs a number, not '{number}'"))?;
                    rest
                }
                [other, ..] => bail!("'{other}' is unknown; allowed are [--runs N] [--quick]"),
            };
        }
    }
}

/// Measures and writes `docs/benchmarks.md`. A quick run writes nothing and checks no bar.
pub(crate) fn run(options: &Options) -> Result<()> {
    let setup = BenchSetup::build()?;
    let peers = Peers::installed(&setup)?;
    let folder = Folder::new()?;
    let bench = CrawlBench {
        setup: &setup,
        peers: &peers,
        folder: &folder.0,
        size: options.size,
    };
    let description = machine::description();
    let mut runs = Vec::new();
    for number in 1..=options.runs {
        let started = Instant::now();
        let figures = measure(&bench)?;
        print(&format!(
            "\nrun {number} took {:.0} s\n\n{}",
            started.elapsed().as_secs_f64(),
            document::table(&[figures.bars()])
        ));
        runs.push(figures);
    }
    if options.size == Size::Quick {
        return Ok(());
    }
    let description = format!("{description}, {} at the end", machine::load());
    document::write(&description, &peers, &bench, &runs)?;
    let missed: Vec<String> = runs
        .iter()
        .flat_map(Figures::bars)
        .filter(|bar| !bar.holds)
        .map(|bar| format!("{}: {}, not {}", bar.what, bar.seen, bar.limit))
        .collect();
    if missed.is_empty() {
        return Ok(());
    }
    bail!("missed bars:\n{}", missed.join("\n"));
}

fn measure(bench: &CrawlBench<'_>) -> Result<Figures> {
    let mut scenarios = BTreeMap::new();
    for scenario in Scenario::ALL {
        scenarios.insert(scenario, rounds::all_rounds(scenario, bench)?);
    }
    Ok(Figures {
        scenarios,
        scaling: rounds::scaling(bench)?,
        growth: Growth::measure(bench)?,
    })
}

/// A temporary folder.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self> {
        let parent = match Path::new(IN_MEMORY) {
            memory if memory.is_dir() => memory.to_owned(),
            _ => std::env::temp_dir(),
        };
        let folder = parent.join(format!("crawler-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            print(&format!(
                "{} could not be removed: {error}",
                self.0.display()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parsed() {
        let parse = |args: &[&str]| {
            Options::parse(args)
                .ok()
                .map(|options| (options.runs, options.size))
        };
        assert_eq!(parse(&[]), Some((1, Size::Full)));
        assert_eq!(parse(&["--quick"]), Some((1, Size::Quick)));
        assert_eq!(parse(&["--runs", "3"]), Some((3, Size::Full)));
        for wrong in [
            &["--runs"][..],
            &["--runs", "0"],
            &["--runs", "x"],
            &["fast"],
        ] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }
}
