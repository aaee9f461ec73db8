//! `cargo xtask traps`: the long form of the tests that crawl generated sites with traps.
//!
//! `cargo xtask test` crawls two sites of each kind; this command crawls more, each with its own seed, and prints the worst
//! figures of each kind. It fails if a kind misses its bar or a URL is lost.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, print};

/// The figures of decision 8 were measured with these.
const SEEDS: u64 = 6;

/// The parsed arguments.
#[derive(Debug, PartialEq, Eq)]
struct Options<'w> {
    seeds: u64,
    kind: Option<&'w str>,
}

/// The result of one crawl, as its test prints it.
#[derive(Debug, PartialEq)]
struct Crawl<'w> {
    /// The kind, and whether a worker of the service crawled it.
    site: (&'w str, bool),
    wanted: f64,
    in_traps: f64,
}

/// The worst figures of one kind, in percent.
#[derive(Clone, Copy)]
struct Worst {
    wanted: f64,
    in_traps: f64,
    crawls: u64,
}

/// Parses the arguments after `traps`, and crawls the sites.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let options = parse(args)?;
    let mut command = cargo();
    command
        .args(["test", "--locked", "--no-fail-fast", "--test", "traps"])
        .args([
            "--package",
            "crawler-engine",
            "--package",
            "crawler-store-frontier",
        ])
        .args(["--", "--nocapture"])
        .env("TRAP_SEEDS", options.seeds.to_string());
    if let Some(kind) = options.kind {
        command.args(["--exact", kind]);
    }
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let stdout = child.stdout.take().context("no output of the tests")?;
    let mut worst = BTreeMap::<(String, bool), Worst>::new();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        if let Some(crawl) = crawl(&line) {
            note(&mut worst, &crawl);
        } else if line.contains("FAILED") || line.contains("panicked") {
            print(&line);
        }
    }
    let status = child.wait()?;
    report(&worst);
    if !status.success() {
        bail!("a kind of site misses its bar: {command:?} ended with {status}");
    }
    if worst.is_empty() {
        bail!("no kind of site has this name");
    }
    Ok(())
}

fn parse<'w>(args: &[&'w str]) -> Result<Options<'w>> {
    let mut options = Options {
        seeds: SEEDS,
        kind: None,
    };
    let mut rest = args;
    loop {
        rest = match rest {
            [] => return Ok(options),
            ["--seeds", seeds, rest @ ..] => {
                let number = seeds.parse();
                options.seeds = number.with_context(|| format!("{seeds:?} is not a number"))?;
                rest
            }
            ["--kind", kind, rest @ ..] => {
                options.kind = Some(kind);
                rest
            }
            _ => bail!("cargo xtask traps [--seeds N] [--kind K]"),
        };
    }
}

/// Parses `KIND (seed 1, 25 workers): 10 of 10 wanted pages (100.0 %), 1 of 20 requests in traps (5.0 %)`.
fn crawl(line: &str) -> Option<Crawl<'_>> {
    let (name, figures) = line.split_once("): ")?;
    let (kind, run) = name.split_once(" (seed ")?;
    let percent = |part: &str| -> Option<f64> {
        let (_, percent) = part.rsplit_once('(')?;
        percent.strip_suffix(" %)")?.parse().ok()
    };
    let (wanted, in_traps) = figures.split_once(", ")?;
    Some(Crawl {
        // The name of a test may stand before it on the same line.
        site: (kind.rsplit(' ').next()?, run.ends_with("service")),
        wanted: percent(wanted)?,
        in_traps: percent(in_traps)?,
    })
}

fn note(worst: &mut BTreeMap<(String, bool), Worst>, crawl: &Crawl<'_>) {
    let (kind, is_service) = crawl.site;
    let known = worst.entry((kind.to_owned(), is_service)).or_insert(Worst {
        wanted: 100.0,
        in_traps: 0.0,
        crawls: 0,
    });
    known.wanted = known.wanted.min(crawl.wanted);
    known.in_traps = known.in_traps.max(crawl.in_traps);
    known.crawls += 1;
}

fn report(worst: &BTreeMap<(String, bool), Worst>) {
    print("wanted pages (lowest), requests in traps (highest), crawls:");
    for ((kind, is_service), figures) in worst {
        let Worst {
            wanted,
            in_traps,
            crawls,
        } = figures;
        let service = if *is_service { " (service)" } else { "" };
        print(&format!(
            "{wanted:6.1} % {in_traps:6.1} % {crawls:5}  {kind}{service}"
        ));
    }
    let crawls: u64 = worst.values().map(|figures| figures.crawls).sum();
    let meets = |figures: &&Worst| figures.wanted >= 98.0 && figures.in_traps <= 3.0;
    let met = worst.values().filter(meets).count();
    print(&format!(
        "{crawls} crawls; {met} of {} kept 98 % of the wanted pages with at most 3 % of requests in traps in every crawl",
        worst.len()
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parsed() {
        let options = |seeds, kind| Options { seeds, kind };
        assert_eq!(parse(&[]).unwrap(), options(SEEDS, None));
        let both = parse(&["--kind", "shop", "--seeds", "3"]).unwrap();
        assert_eq!(both, options(3, Some("shop")));
        assert!(parse(&["--seeds", "many"]).is_err());
        assert!(parse(&["--rounds", "3"]).is_err());
    }

    #[test]
    fn the_lines_of_the_tests_are_read() {
        let line = "shop (seed 1, service): 9 of 10 wanted pages (90.0 %), 1 of 20 requests in traps (5.0 %)";
        let expected = Crawl {
            site: ("shop", true),
            wanted: 90.0,
            in_traps: 5.0,
        };
        assert_eq!(crawl(line).unwrap(), expected);
        let line = format!("test shop ... {}", line.replace("service", "25 workers"));
        let expected = Crawl {
            site: ("shop", false),
            ..expected
        };
        assert_eq!(crawl(&line).unwrap(), expected);
        assert_eq!(crawl("test shop ... ok"), None);
    }
}
