//! Memory and time of exporting a million mapped URLs.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::bench_setup::BenchSetup;
use super::http::request;
use super::running_service::{RunningService, StoreLocation};
use super::site::Site;
use super::{cluster, machine, service_document};
use crate::shell::{print, run as run_program};

const DEFAULT_ROWS: u64 = 1_000_000;
/// Maximum memory growth during the export, in bytes.
const BAR: u64 = 32 << 20;
const SAMPLE_EVERY: u64 = 1_000;

struct Measurement {
    before: u64,
    peak: u64,
    elapsed: Duration,
    bytes: u64,
}

pub(crate) fn run(rows: u64) -> Result<()> {
    let setup = BenchSetup::build()?;
    let postgres = cluster()?;
    let description = machine::description();
    let file = setup.folder.join("export.db");
    let on_sqlite = export(&setup, &StoreLocation::Sqlite(file.clone()), rows, |job| {
        fill_sqlite(&file, job, rows)
    })?;
    postgres.psql(None, &["-c", "CREATE DATABASE bench_export"])?;
    let location = StoreLocation::Postgres(postgres.url_of("bench_export"));
    let on_postgres = export(&setup, &location, rows, |job| {
        let sql = format!(
            "INSERT INTO mapped_urls (job_id, source_url, target_url, depth)
             SELECT '{job}', 'https://a.test/page/' || n / 10, 'https://a.test/page/' || n, 1
             FROM generate_series(1, {rows}) n"
        );
        postgres.psql(Some("bench_export"), &["-c", &sql])
    })?;
    let row = |name: &str, measurement: &Measurement| {
        format!(
            "| {name} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} |\n",
            megabytes(measurement.before),
            megabytes(measurement.peak),
            megabytes(measurement.peak.saturating_sub(measurement.before)),
            measurement.elapsed.as_secs_f64(),
            rows as f64 / measurement.elapsed.as_secs_f64()
        )
    };
    let text = format!(
        "{description}, {} at the end; {}.\n\n`cargo xtask bench export`: {rows} mapped URLs, {:.0} MB of ndjson, over \
         `GET /v1/jobs/{{id}}/export?type=map` of `crawler serve`; resident memory (VmRSS) is read every {SAMPLE_EVERY} lines \
         while they stream. Bar: memory grows by at most {:.0} MB.\n\n\
         | store | before, MB | peak, MB | grown by, MB | seconds | rows/s |\n|---|---|---|---|---|---|\n{}{}",
        machine::load(),
        postgres.version()?,
        megabytes(on_sqlite.bytes),
        megabytes(BAR),
        row("SQLite", &on_sqlite),
        row("Postgres", &on_postgres)
    );
    if rows == DEFAULT_ROWS {
        service_document::write("An export of a million rows", &text)?;
    } else {
        print(&text);
    }
    for measurement in [on_sqlite, on_postgres] {
        if measurement.peak.saturating_sub(measurement.before) > BAR {
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
    setup: &BenchSetup,
    location: &StoreLocation,
    rows: u64,
    fill: impl Fn(&str) -> Result<()>,
) -> Result<Measurement> {
    let site = Site::start(&setup.testsite, 1)?;
    let service = RunningService::start(setup, location)?;
    let (job, _) = service.job("/v1/map", &json!({"url": site.url, "max_depth": 0}))?;
    let id = job["id"].as_str().context("a job's id")?;
    fill(id)?;
    let path = format!("/v1/jobs/{id}/export?type=map");
    let before = service.resident()?;
    let mut measurement = Measurement {
        before,
        peak: before,
        elapsed: Duration::ZERO,
        bytes: 0,
    };
    let started = Instant::now();
    let mut count = 0;
    for line in BufReader::new(request(service.addr, "GET", &path, "")?).lines() {
        let line = line?;
        count += 1;
        measurement.bytes += line.len() as u64 + 1;
        let expected = format!("https://a.test/page/{count}\"");
        if !line.contains(&expected) {
            bail!("line {count} is {line}");
        }
        if count % SAMPLE_EVERY == 0 {
            measurement.peak = measurement.peak.max(service.resident()?);
        }
    }
    measurement.elapsed = started.elapsed();
    if count != rows {
        bail!("{count} rows were exported, not {rows}");
    }
    Ok(measurement)
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
