//! `cargo xtask bench`: our crawl beside other crawlers, on the same sites, in turns; and whether it is as fast as it must be.

mod bars;
mod course;
mod document;
mod fetched;
mod growth;
mod peers;
mod rounds;
mod runner;
mod sample;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use self::bars::Figures;
use self::course::{Course, Size};
use self::growth::Growth;
use self::peers::Peers;
use self::runner::Track;
use super::machine;
use super::workplace::Workplace;
use crate::shell::tell;

/// A folder in memory, where there is one.
const IN_MEMORY: &str = "/dev/shm";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    runs: usize,
    size: Size,
}

impl Asked {
    /// Reads `[--runs N] [--quick]`.
    pub(crate) fn read(mut words: &[&str]) -> Result<Self> {
        let mut asked = Self {
            runs: 1,
            size: Size::Usual,
        };
        loop {
            words = match words {
                [] => return Ok(asked),
                ["--quick", rest @ ..] => {
                    asked.size = Size::Quick;
                    rest
                }
                ["--runs", number, rest @ ..] => {
                    asked.runs = number
                        .parse()
                        .ok()
                        .filter(|runs| *runs > 0)
                        .with_context(|| format!("--runs needs a number, not '{number}'"))?;
                    rest
                }
                [other, ..] => bail!("'{other}' is not understood here; [--runs N] [--quick] is"),
            };
        }
    }
}

/// Measures, and writes `docs/benchmarks.md`; of a quick run nothing is written, and no bar is held against it.
pub(crate) fn run(asked: &Asked) -> Result<()> {
    let place = Workplace::build()?;
    let peers = Peers::installed(&place)?;
    let folder = Folder::new()?;
    let track = Track {
        place: &place,
        peers: &peers,
        folder: &folder.0,
        size: asked.size,
    };
    let described = machine::described();
    let mut runs = Vec::new();
    for number in 1..=asked.runs {
        let begun = Instant::now();
        let figures = measured(&track)?;
        tell(&format!(
            "\nrun {number} took {:.0} s\n\n{}",
            begun.elapsed().as_secs_f64(),
            document::table(&[figures.bars()])
        ));
        runs.push(figures);
    }
    if asked.size == Size::Quick {
        return Ok(());
    }
    let described = format!("{described}, {} at the end", machine::load());
    document::write(&described, &peers, &track, &runs)?;
    let missed: Vec<String> = runs
        .iter()
        .flat_map(Figures::bars)
        .filter(|bar| !bar.holds)
        .map(|bar| format!("{}: {}, not {}", bar.what, bar.seen, bar.limit))
        .collect();
    if missed.is_empty() {
        return Ok(());
    }
    bail!("bars that do not hold:\n{}", missed.join("\n"));
}

fn measured(track: &Track<'_>) -> Result<Figures> {
    let mut courses = BTreeMap::new();
    for course in Course::ALL {
        courses.insert(course, rounds::over(course, track)?);
    }
    Ok(Figures {
        courses,
        scaling: rounds::scaling(track)?,
        growth: Growth::measured(track)?,
    })
}

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self> {
        let within = match Path::new(IN_MEMORY) {
            memory if memory.is_dir() => memory.to_owned(),
            _ => std::env::temp_dir(),
        };
        let folder = within.join(format!("crawler-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tell(&format!("{} stays behind: {error}", self.0.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let read = |words: &[&str]| {
            Asked::read(words)
                .ok()
                .map(|asked| (asked.runs, asked.size))
        };
        assert_eq!(read(&[]), Some((1, Size::Usual)));
        assert_eq!(read(&["--quick"]), Some((1, Size::Quick)));
        assert_eq!(read(&["--runs", "3"]), Some((3, Size::Usual)));
        for wrong in [
            &["--runs"][..],
            &["--runs", "0"],
            &["--runs", "x"],
            &["fast"],
        ] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }
}
