//! Pages per second of a crawl job on each store, compared with the same crawl in memory.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::bench_setup::BenchSetup;
use super::http::request;
use super::running_service::{RunningService, StoreLocation};
use super::site::Site;
use super::{cluster, machine, service_document};
use crate::shell::print;

/// Runs of each kind, in turns, so that other load on the machine affects all of them.
const ROUNDS: usize = 3;
const DEFAULT_PAGES: u64 = 5_000;
/// Bars in pages per second, on two cores without other load. SQLite: the result of 2026-11-16.
const SQLITE_BAR: f64 = 2_164.0;
const POSTGRES_BAR: f64 = 2_000.0;

struct Kind {
    name: &'static str,
    /// Bar in pages per second, at the default size.
    bar: f64,
    times: Vec<Duration>,
    /// CPU time of our process alone, without the database's.
    processor: Vec<Duration>,
}

impl Kind {
    fn new(name: &'static str, bar: f64) -> Self {
        Self {
            name,
            bar,
            times: Vec::new(),
            processor: Vec::new(),
        }
    }

    fn record(&mut self, (time, processor): (Duration, Duration), pages: u64) {
        print(&format!(
            "{}: {:.0} pages/s, {:.2} s of CPU time",
            self.name,
            pages as f64 / time.as_secs_f64(),
            processor.as_secs_f64()
        ));
        self.times.push(time);
        self.processor.push(processor);
    }

    /// Pages per second of the median run.
    fn rate(&self, pages: u64) -> f64 {
        let mut times = self.times.clone();
        times.sort();
        let middle = times.get(times.len() / 2).copied().unwrap_or_default();
        pages as f64 / middle.as_secs_f64()
    }

    fn row(&self, pages: u64, memory: f64) -> String {
        let rates: Vec<String> = self
            .times
            .iter()
            .map(|time| format!("{:.0}", pages as f64 / time.as_secs_f64()))
            .collect();
        let processor = self.processor.iter().min().copied().unwrap_or_default();
        let bar = match self.bar {
            0.0 => "–".to_owned(),
            bar => format!("{bar:.0}"),
        };
        format!(
            "| {} | {} | {:.0} | {:.2} | {:.0} | {bar} |\n",
            self.name,
            rates.join(", "),
            self.rate(pages),
            self.rate(pages) / memory,
            processor.as_micros() as f64 / pages as f64,
        )
    }
}

pub(crate) fn run(pages: u64) -> Result<()> {
    let setup = BenchSetup::build()?;
    let postgres = cluster()?;
    let description = machine::description();
    let version = postgres.version()?;
    let mut memory = Kind::new("in memory, links only", 0.0);
    let mut sqlite = Kind::new("SQLite, documents stored", SQLITE_BAR);
    let mut stored = Kind::new("Postgres, documents stored", POSTGRES_BAR);
    for round in 0..ROUNDS {
        memory.record(in_memory(&setup, pages)?, pages);
        let file = setup.folder.join(format!("{round}.db"));
        sqlite.record(served(&setup, &StoreLocation::Sqlite(file), pages)?, pages);
        let name = format!("bench_{round}");
        postgres.psql(None, &["-c", &format!("CREATE DATABASE {name}")])?;
        let location = StoreLocation::Postgres(postgres.url_of(&name));
        stored.record(served(&setup, &location, pages)?, pages);
    }
    let base = memory.rate(pages);
    let text = format!(
        "{description}, {} at the end; {version}, fsync on.\n\n\
         `cargo xtask bench service`: a site of {pages} pages of 3 KB with ten links each, served by `testsite` on the same \
         cores; `crawler serve` with `pool_size: 64`, `per_host_concurrency: 256`, `per_host_rps: 0`, one crawl job from `POST` to \
         `completed`; for comparison `crawler crawl --workers 64 --format ndjson` on the same site. In every run the site counted exactly one \
         request for each page, and the export had exactly one document for each. \
         The bar applies to the median.\n\n\
         | | pages/s of each run | median | vs. in memory | our CPU time per page, µs | bar |\n|---|---|---|---|---|---|\n{}{}{}",
        machine::load(),
        memory.row(pages, base),
        sqlite.row(pages, base),
        stored.row(pages, base)
    );
    if pages != DEFAULT_PAGES {
        print(&text);
        return Ok(());
    }
    service_document::write("Throughput of a crawl job", &text)?;
    for kind in [&sqlite, &stored] {
        if kind.rate(pages) < kind.bar {
            bail!("{}: below its bar of {} pages/s", kind.name, kind.bar);
        }
    }
    Ok(())
}

/// Runs the crawl on the command line; returns its time and CPU time.
fn in_memory(setup: &BenchSetup, pages: u64) -> Result<(Duration, Duration)> {
    let mut site = Site::start(&setup.testsite, pages)?;
    let out = setup.folder.join("memory.ndjson");
    let before = children_processor()?;
    let started = Instant::now();
    let status = Command::new(&setup.crawler)
        .args([
            "crawl",
            &site.url,
            "--workers",
            "64",
            "--max-pages",
            "0",
            "--max-depth",
            "0",
            "--format",
            "ndjson",
            "--quiet",
        ])
        .arg("-o")
        .arg(&out)
        .stdin(Stdio::null())
        .status()?;
    let elapsed = started.elapsed();
    if !status.success() {
        bail!("crawler crawl ended with {status}");
    }
    let processor = children_processor()?.saturating_sub(before);
    site.check_each_once(pages)?;
    let printed = lines(&out)?;
    if printed != pages {
        bail!("{printed} pages were printed, not {pages}");
    }
    std::fs::remove_file(out)?;
    Ok((elapsed, processor))
}

fn lines(path: &Path) -> Result<u64> {
    let file = BufReader::new(std::fs::File::open(path)?);
    Ok(file.split(b'\n').count() as u64)
}

/// CPU time of the children that have ended.
fn children_processor() -> Result<Duration> {
    machine::children(std::process::id())
}

/// Runs a crawl job; returns its time and CPU time.
fn served(
    setup: &BenchSetup,
    location: &StoreLocation,
    pages: u64,
) -> Result<(Duration, Duration)> {
    let mut site = Site::start(&setup.testsite, pages)?;
    let service = RunningService::start(setup, location)?;
    let before = service.processor()?;
    let body = json!({"url": site.url, "max_depth": 20});
    let (job, elapsed) = service.job("/v1/crawl", &body)?;
    let processor = service.processor()?.saturating_sub(before);
    site.check_each_once(pages)?;
    let id = job["id"].as_str().context("a job's id")?;
    let path = format!("/v1/jobs/{id}/export?type=documents");
    let mut urls = HashSet::new();
    let mut documents = 0;
    for line in BufReader::new(request(service.addr, "GET", &path, "")?).lines() {
        let document: Value = serde_json::from_str(&line?)?;
        let content = document["content"].as_str().unwrap_or_default();
        if !content.contains("The quick brown fox") {
            bail!("a document without its content: {document}");
        }
        urls.insert(document["final_url"].to_string());
        documents += 1;
    }
    if (documents, urls.len() as u64) != (pages, pages) {
        bail!("{documents} documents of {} pages, not {pages}", urls.len());
    }
    Ok((elapsed, processor))
}
