//! `cargo xtask api-fuzz`: runs schemathesis with every check against the API, and requests that are made to keep it busy, on
//! both stores. `/healthz` must stay fast throughout.
//!
//! It needs Python and PyPI, so it is not part of `cargo xtask test`.

mod health_probe;
mod hostile;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::health_probe::HealthProbe;

use crate::postgres::Postgres;
use crate::requirements::CHROMIUM;
use crate::shell::{cargo, print, root, run, target_folder};

const VERSION: &str = "4.32.5";
/// Default number of cases per operation and phase.
const EXAMPLES: u32 = 200;

/// Number of hostile requests per store.
const HOSTILE_CASES: usize = 10_000;

/// Limits as wide as the API description allows, and short timeouts for targets.
const CONFIG: &str = "\
http: {timeout: 1s}
worker: {max_attempts: 1, per_host_rps: 0, per_host_concurrency: 100}
jobs: {max_depth: 1000, max_tasks: 100000000, max_hosts: 100000000, max_duration: 365d, max_bytes: 1000TB}
browser: {nav_timeout: 2s}
server: {api_keys: [a-key-for-the-fuzzer], request_timeout: 5s}
";
const KEY: &str = "a-key-for-the-fuzzer";

pub(crate) fn start(args: &[&str]) -> Result<()> {
    let examples = match args {
        [] => EXAMPLES,
        ["--examples", number] => number.parse().context("--examples needs a number")?,
        _ => bail!("cargo xtask api-fuzz [--examples N]"),
    };
    // Needed by requests with `use_js`, which `hooks.py` filters out for now.
    CHROMIUM.ensure()?;
    run(cargo().args(["build", "--locked", "--package", "crawler-cli"]))?;
    let target = target_folder()?;
    let folder = target.join("api-fuzz");
    std::fs::create_dir_all(&folder)?;
    let schemathesis = install(&folder)?;
    let crawler = target.join("debug/crawler");
    print("── schemathesis on SQLite");
    fuzz(&crawler, &schemathesis, &folder, None, examples)?;
    print("── schemathesis on Postgres");
    let postgres = Postgres::from_env_or_start()?;
    let name = format!("api_fuzz_{}", std::process::id());
    postgres.psql(None, &["-c", &format!("CREATE DATABASE {name}")])?;
    let url = postgres.url_of(&name);
    let fuzzed = fuzz(&crawler, &schemathesis, &folder, Some(&url), examples);
    postgres.psql(None, &["-c", &format!("DROP DATABASE {name} WITH (FORCE)")])?;
    fuzzed
}

/// Installs schemathesis into a virtual environment, unless it is already installed.
fn install(folder: &Path) -> Result<PathBuf> {
    let bin = folder.join("venv/bin");
    let program = bin.join("schemathesis");
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(VERSION)) {
        return Ok(program);
    }
    run(Command::new("python3")
        .args(["-m", "venv"])
        .arg(folder.join("venv")))
    .context("api-fuzz needs python3 with venv")?;
    run(Command::new(bin.join("pip")).args([
        "install",
        "--quiet",
        &format!("schemathesis=={VERSION}"),
    ]))
    .context("api-fuzz needs Python's package index")?;
    Ok(program)
}

/// Starts a service and runs schemathesis against it.
fn fuzz(
    crawler: &Path,
    schemathesis: &Path,
    folder: &Path,
    database: Option<&str>,
    examples: u32,
) -> Result<()> {
    let run_folder = folder.join(format!("run-{}", std::process::id()));
    std::fs::create_dir_all(&run_folder)?;
    std::fs::write(run_folder.join("config.yaml"), CONFIG)?;
    let mut command = Command::new(crawler);
    command
        .args(["serve", "--addr", "127.0.0.1:0", "--log-format", "json"])
        .current_dir(&run_folder)
        .env("RUST_LOG", "info")
        .env_remove("DATABASE_URL")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if let Some(url) = database {
        command.env("DATABASE_URL", url);
    }
    let mut service = Service(command.spawn().context("cannot start the service")?);
    let addr = service.addr()?;
    let probe = HealthProbe::start(&addr);
    let attacked = hostile::attack(&addr, KEY, HOSTILE_CASES);
    let sources = root().join("xtask/src/api_fuzz");
    let fuzzed = run(Command::new(schemathesis)
        .arg("--config-file")
        .arg(sources.join("schemathesis.toml"))
        .args(["run", &format!("http://{addr}/openapi.json")])
        .args(["--header", &format!("Authorization: Bearer {KEY}")])
        .args(["--checks", "all", "--continue-on-failure"])
        // DELETE cancels a job; the job and its results stay readable.
        .args(["--exclude-checks", "use_after_free"])
        .args(["--max-examples", &examples.to_string()])
        .args(["--request-timeout", "30"])
        .args(["--suppress-health-check", "all"])
        .env("SCHEMATHESIS_HOOKS", sources.join("hooks.py"))
        .current_dir(&run_folder));
    let healthy = probe.finish();
    let is_running = service.0.try_wait()?.is_none();
    drop(service);
    std::fs::remove_dir_all(&run_folder)?;
    fuzzed.and(attacked).and(healthy)?;
    if !is_running {
        bail!("the service exited during the run");
    }
    Ok(())
}

struct Service(Child);

impl Service {
    /// Address that the service listens on. Its log is read until it exits, so that a full pipe never blocks it.
    fn addr(&mut self) -> Result<String> {
        let log = self.0.stderr.take().context("the service has no stderr")?;
        let mut lines = BufReader::new(log).lines();
        let addr = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let line: Value = serde_json::from_str(&line).ok()?;
            let is_listening = line["message"] == "listening";
            is_listening.then(|| line["addr"].as_str().map(str::to_owned))?
        });
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        addr.context("the service's log does not name its address")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It has already exited if it failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
