//! `cargo xtask bench`: measures the crawl, the service and its stores with the release binary on this machine.
//!
//! Each benchmark checks that the work was done correctly before it reports its speed. The comparison with other crawlers is written
//! to `docs/benchmarks.md`, each of the others to its section of `docs/benchmarks-service.md`. A missed bar is in the
//! document and in the exit code.

mod bench_setup;
mod crawl;
mod export;
mod http;
mod machine;
mod median;
mod playwright;
mod queue;
mod render;
mod running_service;
mod service;
mod service_document;
mod site;
pub(crate) mod stopwatch;
mod tree;

use anyhow::{Context, Result, bail};

use crate::postgres::{Durability, Postgres};

/// Runs a benchmark by name.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    match args {
        [] | ["crawl" | "--quick" | "--runs", ..] => {
            let rest = match args {
                ["crawl", rest @ ..] => rest,
                args => args,
            };
            crawl::run(&crawl::Options::parse(rest)?)
        }
        ["service", rest @ ..] => service::run(number(rest, "--pages", 5_000)?),
        ["queue", rest @ ..] => queue::run(number(rest, "--tasks", 1_000_000)?),
        ["export", rest @ ..] => export::run(number(rest, "--rows", 1_000_000)?),
        ["render", rest @ ..] => render::run(number(rest, "--pages", 200)?),
        _ => bail!(
            "unknown benchmark; there are crawl [--runs N] [--quick], service [--pages N], queue [--tasks N], export [--rows N] or render [--pages N]; \
             the documents are written only at the default sizes"
        ),
    }
}

/// A cluster with full durability, as in production.
fn cluster() -> Result<Postgres> {
    Postgres::start(Durability::Full)
}

fn number(args: &[&str], flag: &str, default: u64) -> Result<u64> {
    match args {
        [] => Ok(default),
        [word, value] if *word == flag => value
            .parse()
            .with_context(|| format!("{flag} needs a number, not '{value}'")),
        _ => bail!("unknown argument; {flag} N is allowed here"),
    }
}
