//! Duration of a claim with a million queued and a million finished tasks of a thousand and of fifty thousand jobs, on each
//! store, and how long small writes to SQLite wait for large ones.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::{cluster, machine, service_document};
use crate::postgres::VARIABLE;
use crate::shell::{cargo, output_of, print};

const DEFAULT_TASKS: u64 = 1_000_000;
/// Bar for the median claim of fifty, in milliseconds.
const BAR: f64 = 15.0;

/// Numbers of jobs.
const JOBS: [&str; 2] = ["1000", "50000"];
/// Bar for the longest wait of a small write on SQLite, in milliseconds.
const WAIT_BAR: f64 = 100.0;

/// Runs an example of a store.
fn measure(
    store: &str,
    example: &str,
    arguments: &[&str],
    variable: Option<&str>,
) -> Result<String> {
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
        .args(["--example", example, "--"])
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

/// The times in lines that end with a wait.
fn waits(output: &str) -> Result<Vec<f64>> {
    let times = output.lines().map(|line| {
        let time = line.split_once(": longest wait ")?.1;
        time.strip_suffix(" ms")?.parse().ok()
    });
    let times: Option<Vec<f64>> = times.collect();
    times
        .filter(|times| !times.is_empty())
        .context("no waits in the output")
}

/// What was measured on SQLite, in a folder that is deleted afterwards.
struct OnSqlite {
    claims: Vec<String>,
    waits: String,
}

fn on_sqlite(folder: &Path, count: &str) -> Result<OnSqlite> {
    let path = |name: &str| {
        let path = folder.join(name);
        let path = path.to_str().map(str::to_owned);
        path.context("a path that is text")
    };
    let mut claims = Vec::new();
    for jobs in JOBS {
        let file = path(&format!("{jobs}.db"))?;
        claims.push(measure(
            "crawler-store-sqlite",
            "long_queue",
            &[&file, count, count, jobs],
            None,
        )?);
        std::fs::remove_file(file)?;
    }
    let file = path("waits.db")?;
    let waits = measure("crawler-store-sqlite", "write_waits", &[&file], None)?;
    Ok(OnSqlite { claims, waits })
}

/// What was printed about claims, for each number of jobs.
fn sections(store: &str, outputs: &[String]) -> String {
    let section = |(jobs, output): (&&str, &String)| {
        let output = output.trim();
        format!("\n\n{store}, {jobs} jobs:\n\n```\n{output}\n```")
    };
    JOBS.iter().zip(outputs).map(section).collect()
}

pub(crate) fn run(tasks: u64) -> Result<()> {
    let postgres = cluster()?;
    let description = machine::description();
    let count = tasks.to_string();
    let mut on_postgres = Vec::new();
    for jobs in JOBS {
        on_postgres.push(measure(
            "crawler-store-postgres",
            "long_queue",
            &[&count, &count, jobs],
            Some(&postgres.url),
        )?);
    }
    let folder = std::env::temp_dir().join(format!("crawler-queue-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let on_sqlite = on_sqlite(&folder, &count);
    std::fs::remove_dir_all(&folder)?;
    let on_sqlite = on_sqlite?;
    let claims = [("Postgres", &on_postgres), ("SQLite", &on_sqlite.claims)];
    let text = format!(
        "{description}, {} at the end; {}, fsync on.\n\n`cargo xtask bench queue`: {tasks} queued and {tasks} finished tasks of \
         1,000 and of 50,000 jobs of 100 owners, at 2,000 hosts; 200 claims of 50, each settled with 500 new links. Bar: median of \
         the claims at most {BAR:.0} ms on each store.{}\n\nSmall writes to SQLite, one after the other, while a batch is created \
         and while a page is settled with the URLs of its sitemap. Bar: none waits longer than {WAIT_BAR:.0} ms.\n\n```\n{}\n```",
        machine::load(),
        postgres.version()?,
        claims
            .map(|(store, outputs)| sections(store, outputs))
            .concat(),
        on_sqlite.waits.trim()
    );
    if tasks == DEFAULT_TASKS {
        service_document::write("A claim from a long queue", &text)?;
    } else {
        print(&text);
    }
    for output in &on_postgres {
        let is_scan = output.contains("Seq Scan on crawl_tasks");
        if !output.contains("crawl_tasks_ready") || is_scan {
            bail!("the plan of a claim is not an index scan of crawl_tasks_ready");
        }
    }
    for (store, outputs) in claims {
        for (jobs, output) in JOBS.iter().zip(outputs) {
            let median = median(output)?;
            if median > BAR {
                bail!("{store}: with {jobs} jobs, a claim of 50 takes {median} ms");
            }
        }
    }
    for wait in waits(&on_sqlite.waits)? {
        if wait > WAIT_BAR {
            bail!("SQLite: a small write waited {wait} ms");
        }
    }
    Ok(())
}
