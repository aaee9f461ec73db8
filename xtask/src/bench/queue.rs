//! Duration of a claim with a million queued and a million finished tasks of a thousand jobs, on each store.

use anyhow::{Context, Result, bail};

use super::{cluster, machine, service_document};
use crate::postgres::VARIABLE;
use crate::shell::{cargo, output_of, print};

const DEFAULT_TASKS: u64 = 1_000_000;
/// Bar for the median claim of fifty, in milliseconds.
const BAR: f64 = 15.0;

/// Runs the example `long_queue` of a store.
fn measure(store: &str, arguments: &[&str], variable: Option<&str>) -> Result<String> {
    let mut command = cargo();
    command
        .args([
            "run",
            "--release",
            "--locked",
            "--quiet",
            "--package",
            store,
        ])
        .args(["--example", "long_queue", "--"])
        .args(arguments);
    if let Some(url) = variable {
        command.env(VARIABLE, url);
    }
    output_of(&mut command)
}

fn median(output: &str) -> Result<f64> {
    output
        .lines()
        .find_map(|line| line.strip_prefix("claim of 50: median "))
        .and_then(|line| line.split(" ms").next()?.parse().ok())
        .context("no median in the output")
}

pub(crate) fn run(tasks: u64) -> Result<()> {
    let postgres = cluster()?;
    let description = machine::description();
    let count = tasks.to_string();
    let on_postgres = measure(
        "crawler-store-postgres",
        &[&count, &count],
        Some(&postgres.url),
    )?;
    let folder = std::env::temp_dir().join(format!("crawler-queue-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("queue.db");
    let file = file.to_str().context("a path that is text")?;
    let on_sqlite = measure("crawler-store-sqlite", &[file, &count, &count], None);
    std::fs::remove_dir_all(&folder)?;
    let on_sqlite = on_sqlite?;
    let text = format!(
        "{description}, {} at the end; {}, fsync on.\n\n`cargo xtask bench queue`: {tasks} queued and {tasks} finished tasks of \
         1,000 jobs of 100 owners, at 2,000 hosts; 200 claims of 50, each settled with 500 new links. Bar: median of the claims \
         at most {BAR:.0} ms on each store.\n\nPostgres:\n\n```\n{}\n```\n\nSQLite:\n\n```\n{}\n```",
        machine::load(),
        postgres.version()?,
        on_postgres.trim(),
        on_sqlite.trim()
    );
    if tasks == DEFAULT_TASKS {
        service_document::write("A claim from a long queue", &text)?;
    } else {
        print(&text);
    }
    if !on_postgres.contains("crawl_tasks_ready") || on_postgres.contains("Seq Scan on crawl_tasks")
    {
        bail!("the plan of a claim is not an index scan of crawl_tasks_ready");
    }
    for (store, output) in [("Postgres", &on_postgres), ("SQLite", &on_sqlite)] {
        let median = median(output)?;
        if median > BAR {
            bail!("{store}: a claim of 50 takes {median} ms");
        }
    }
    Ok(())
}
