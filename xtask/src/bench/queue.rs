//! How long a claim takes from a million queued tasks beside a million finished ones.

use anyhow::{Context, Result, bail};

use super::{cluster, machine, paper};
use crate::postgres::VARIABLE;
use crate::shell::{cargo, output_of, tell};

const USUAL: u64 = 1_000_000;
/// Milliseconds that the median claim of fifty may take.
const BAR: f64 = 50.0;

pub(crate) fn run(tasks: u64) -> Result<()> {
    let postgres = cluster()?;
    let described = machine::described();
    let count = tasks.to_string();
    let told = output_of(
        cargo()
            .args(["run", "--release", "--locked", "--quiet", "--package"])
            .args([
                "store-postgres",
                "--example",
                "long_queue",
                "--",
                &count,
                &count,
            ])
            .env(VARIABLE, &postgres.url),
    )?;
    let median = told
        .lines()
        .find_map(|line| line.strip_prefix("claim of 50: median "))
        .and_then(|line| line.split("ms").next()?.parse::<f64>().ok())
        .context("no median in milliseconds was told")?;
    let text = format!(
        "{described}, {} at the end; {}, fsync on.\n\n`cargo xtask bench queue`: {tasks} queued tasks of 2,000 hosts and \
         {tasks} finished ones; 200 claims of 50, each settled with 500 new links. Bar: median below {BAR:.0} ms, and the \
         plan an index scan of `crawl_tasks_ready`.\n\n```\n{}\n```",
        machine::load(),
        postgres.version()?,
        told.trim()
    );
    if tasks == USUAL {
        paper::write("A claim from a long queue", &text)?;
    } else {
        tell(&text);
    }
    if !told.contains("crawl_tasks_ready") || told.contains("Seq Scan on crawl_tasks") {
        bail!("the plan of a claim is not an index scan of crawl_tasks_ready");
    }
    if median >= BAR {
        bail!("a claim of 50 takes {median} ms");
    }
    Ok(())
}
