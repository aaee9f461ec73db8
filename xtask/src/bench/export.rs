//! Memory and time of exporting a million mapped URLs.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::http::ask;
use super::served::{Served, StoreLocation};
use super::site::Site;
use super::workplace::Workplace;
use super::{cluster, machine, paper};
use crate::shell::{print, run as run_program};

const USUAL: u64 = 1_000_000;
/// How much memory may grow during the export.
const BAR: u64 = 32 << 20;
const SAMPLE_EVERY: u64 = 1_000;

struct Seen {
    before: u64,
    peak: u64,
    elapsed: Duration,
    bytes: u64,
}

pub(crate) fn run(rows: u64) -> Result<()> {
    let place = Workplace::build()?;
    let postgres = cluster()?;
    let described = machine::described();
    let file = place.folder.join("export.db");
    let on_sqlite = export(&place, &StoreLocation::Sqlite(file.clone()), rows, |job| {
        fill_sqlite(&file, job, rows)
    })?;
    postgres.psql(None, &["-c", "CREATE DATABASE bench_export"])?;
    let location = StoreLocation::Postgres(postgres.url_of("bench_export"));
    let on_postgres = export(&place, &location, rows, |job| {
        let sql = format!(
            "INSERT INTO mapped_urls (job_id, source_url, target_url, depth)
             SELECT '{job}', 'https://a.test/page/' || n / 10, 'https://a.test/page/' || n, 1
             FROM generate_series(1, {rows}) n"
        );
        postgres.psql(Some("bench_export"), &["-c", &sql])
    })?;
    let row = |name: &str, seen: &Seen| {
        format!(
            "| {name} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} |\n",
            megabytes(seen.before),
            megabytes(seen.peak),
            megabytes(seen.peak.saturating_sub(seen.before)),
            seen.elapsed.as_secs_f64(),
            rows as f64 / seen.elapsed.as_secs_f64()
        )
    };
    let text = format!(
        "{described}, {} at the end; {}.\n\n`cargo xtask bench export`: {rows} mapped URLs, {:.0} MB of ndjson, over \
         `GET /v1/jobs/{{id}}/export?type=map` of the real `crawler serve`; resident memory (VmRSS) read every {SAMPLE_EVERY} lines \
         while they stream. Bar: grows by at most {:.0} MB.\n\n\
         | store | before, MB | peak, MB | grown by, MB | seconds | rows/s |\n|---|---|---|---|---|---|\n{}{}",
        machine::load(),
        postgres.version()?,
        megabytes(on_sqlite.bytes),
        megabytes(BAR),
        row("SQLite", &on_sqlite),
        row("Postgres", &on_postgres)
    );
    if rows == USUAL {
        paper::write("An export of a million rows", &text)?;
    } else {
        print(&text);
    }
    for seen in [on_sqlite, on_postgres] {
        if seen.peak.saturating_sub(seen.before) > BAR {
            bail!("an export grew by more than {:.0} MB", megabytes(BAR));
        }
    }
    Ok(())
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Creates a map job with one page through the API, fills it directly in the database, and streams it.
fn export(
    place: &Workplace,
    location: &StoreLocation,
    rows: u64,
    fill: impl Fn(&str) -> Result<()>,
) -> Result<Seen> {
    let site = Site::start(&place.testsite, 1)?;
    let service = Served::start(place, location)?;
    let (job, _) = service.job("/v1/map", &json!({"url": site.url, "max_depth": 0}))?;
    let id = job["id"].as_str().context("a job's id")?;
    fill(id)?;
    let path = format!("/v1/jobs/{id}/export?type=map");
    let before = service.resident()?;
    let mut seen = Seen {
        before,
        peak: before,
        elapsed: Duration::ZERO,
        bytes: 0,
    };
    let begun = Instant::now();
    let mut count = 0;
    for line in BufReader::new(ask(service.addr, "GET", &path, "")?).lines() {
        let line = line?;
        count += 1;
        seen.bytes += line.len() as u64 + 1;
        let last = format!("https://a.test/page/{count}\"");
        if !line.contains(&last) {
            bail!("line {count} is {line}");
        }
        if count % SAMPLE_EVERY == 0 {
            seen.peak = seen.peak.max(service.resident()?);
        }
    }
    seen.elapsed = begun.elapsed();
    if count != rows {
        bail!("{count} rows were exported, not {rows}");
    }
    Ok(seen)
}

fn fill_sqlite(file: &Path, job: &str, rows: u64) -> Result<()> {
    let sql = format!(
        "PRAGMA busy_timeout = 60000;
         WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows})
         INSERT INTO mapped_urls (job_id, source_url, target_url, depth, created_at, updated_at)
         SELECT '{job}', 'https://a.test/page/' || n / 10, 'https://a.test/page/' || n, 1, 0, 0 FROM numbers;"
    );
    run_program(
        Command::new("sqlite3")
            .arg("-bail")
            .arg(file)
            .arg(sql)
            .stdout(std::process::Stdio::null()),
    )
}
