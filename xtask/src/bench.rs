//! `cargo xtask bench`: what the crawl, the service and its stores do, by the real binary, on this machine, in figures.
//!
//! Each bench checks that the work was right before it says how fast it was. The crawl beside other crawlers is written
//! to `docs/benchmarks.md`, each of the others to its section of `docs/benchmarks-service.md`. Bars are in the document and
//! in the exit code.

mod crawl;
mod export;
mod http;
mod machine;
mod median;
mod paper;
mod playwright;
mod queue;
mod render;
mod served;
mod service;
mod site;
pub(crate) mod stopwatch;
mod tree;
mod workplace;

use anyhow::{Context, Result, bail};

use crate::postgres::{Keep, Postgres};

/// Runs a bench by its name.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    match words {
        [] | ["crawl" | "--quick" | "--runs", ..] => {
            let rest = match words {
                ["crawl", rest @ ..] => rest,
                words => words,
            };
            crawl::run(&crawl::Asked::read(rest)?)
        }
        ["service", rest @ ..] => service::run(number(rest, "--pages", 5_000)?),
        ["queue", rest @ ..] => queue::run(number(rest, "--tasks", 1_000_000)?),
        ["export", rest @ ..] => export::run(number(rest, "--rows", 1_000_000)?),
        ["render", rest @ ..] => render::run(number(rest, "--pages", 200)?),
        _ => bail!(
            "which bench? crawl [--runs N] [--quick], service [--pages N], queue [--tasks N], export [--rows N] or render [--pages N]; \
             only with their usual sizes do they write docs/benchmarks.md and docs/benchmarks-service.md"
        ),
    }
}

/// A cluster that keeps its promises: what a benchmark writes survives a power cut.
fn cluster() -> Result<Postgres> {
    Postgres::start(Keep::Safe)
}

fn number(words: &[&str], flag: &str, usual: u64) -> Result<u64> {
    match words {
        [] => Ok(usual),
        [word, value] if *word == flag => value
            .parse()
            .with_context(|| format!("{flag} needs a number, not '{value}'")),
        _ => bail!("only {flag} N is understood here"),
    }
}
