//! Duration of a claim with a million queued and a million finished tasks.

use anyhow::{Context, Result, bail};

use super::{cluster, machine, service_document};
use crate::postgres::VARIABLE;
use crate::shell::{cargo, output_of, print};

const DEFAULT_TASKS: u64 = 1_000_000;
/// Bar for the median claim of fifty, in milliseconds.
const BAR: f64 = 50.0;

pub(crate) fn run(tasks: u64) -> Result<()> {
    let postgres = cluster()?;
    let description = machine::description();
    let count = tasks.to_string();
    let output = output_of(
        cargo()
            .args(["run", "--release", "--locked", "--quiet", "--package"])
            .args([
                "crawler-store-postgres",
                "--example",
                "long_queue",
                "--",
                &count,
                &count,
            ])
            .env(VARIABLE, &postgres.url),
    )?;
    let median = output
        .lines()
        .find_map(|line| line.strip_prefix("claim of 50: median "))
        .and_then(|line| line.split("ms").next()?.parse::<f64>().ok())
        .context("no median in the output")?;
    let text = format!(
        "{description}, {} at the end; {}, fsync on.\n\n`cargo xtask bench queue`: {tasks} queued tasks of 2,000 hosts and \
         {tasks} finished ones; 200 claims of 50, each settled with 500 new links. Bar: median below {BAR:.0} ms, and the \
         plan an index scan of `crawl_tasks_ready`.\n\n```\n{}\n```",
        machine::load(),
        postgres.version()?,
        output.trim()
    );
    if tasks == DEFAULT_TASKS {
        service_document::write("A claim from a long queue", &text)?;
    } else {
        print(&text);
    }
    if !output.contains("crawl_tasks_ready") || output.contains("Seq Scan on crawl_tasks") {
        bail!("the plan of a claim is not an index scan of crawl_tasks_ready");
    }
    if median >= BAR {
        bail!("a claim of 50 takes {median} ms");
    }
    Ok(())
}
