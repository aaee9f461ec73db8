//! `cargo xtask api-fuzz`: sends requests that are made to keep the API busy, many at once, and runs schemathesis with every
//! check against it, on both stores. `/healthz` and the small requests of another caller must stay fast throughout.
//!
//! It needs Python and PyPI, so it is not part of `cargo xtask test`.

mod hostile;
mod request_probe;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::request_probe::{Probed, RequestProbe};

use crate::postgres::Postgres;
use crate::requirements::CHROMIUM;
use crate::shell::{cargo, output_of, print, root, run, target_folder};

const VERSION: &str = "4.32.5";
/// Default number of cases per operation and phase.
const EXAMPLES: u32 = 200;

/// Default number of hostile requests per store.
const CASES: usize = 20_000;

/// Limits as wide as the API description allows, short timeouts for targets, and little of the browser: no host can be
/// reached, so that pages that are rendered cost its start and a failed request each.
const CONFIG: &str = "\
http: {timeout: 1s}
worker: {max_attempts: 1, per_host_rps: 0, per_host_concurrency: 100}
jobs: {max_depth: 1000, max_tasks: 100000000, max_hosts: 100000000, max_duration: 365d, max_bytes: 1000TB}
quotas: {open_jobs: 0, queued_tasks: 0, requests_in_flight: 0}
browser: {nav_timeout: 1s, pool_size: 2, max_requests: 10, max_cpu: 1s}
server: {request_timeout: 5s}
";
/// How long `/healthz` is measured before the hostile requests.
const IDLE_TIME: Duration = Duration::from_secs(2);
const USAGE: &str = "cargo xtask api-fuzz [--cases N] [--examples N]";

/// What is sent to each store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arguments {
    cases: usize,
    /// Cases of schemathesis per operation and phase; with 0, it is not run.
    examples: u32,
}

fn parse(args: &[&str]) -> Result<Arguments> {
    let mut arguments = Arguments {
        cases: CASES,
        examples: EXAMPLES,
    };
    for pair in args.chunks(2) {
        match pair {
            ["--cases", number] => arguments.cases = number.parse().context(USAGE)?,
            ["--examples", number] => arguments.examples = number.parse().context(USAGE)?,
            _ => bail!(USAGE),
        }
    }
    Ok(arguments)
}

/// Parses the arguments after `api-fuzz` and runs it on both stores.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let arguments = parse(args)?;
    // For requests with `use_js`.
    CHROMIUM.ensure()?;
    run(cargo().args(["build", "--locked", "--package", "crawler-cli"]))?;
    let target = target_folder()?;
    let folder = target.join("api-fuzz");
    std::fs::create_dir_all(&folder)?;
    let schemathesis = match arguments.examples {
        0 => None,
        _ => Some(install(&folder)?),
    };
    let fuzz = |name: &str, database| {
        print(&format!("── the API on {name}"));
        let service = FuzzedService::start(&target.join("debug/crawler"), &folder, database)?;
        service.fuzz(schemathesis.as_deref(), arguments)
    };
    let on_sqlite = fuzz("SQLite", None);
    let postgres = Postgres::from_env_or_start()?;
    let name = format!("api_fuzz_{}", std::process::id());
    postgres.psql(None, &["-c", &format!("CREATE DATABASE {name}")])?;
    let url = postgres.url_of(&name);
    let on_postgres = fuzz("Postgres", Some(&url));
    postgres.psql(None, &["-c", &format!("DROP DATABASE {name} WITH (FORCE)")])?;
    on_sqlite.context("SQLite")?;
    on_postgres.context("Postgres")
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

/// A running service with a key of a hostile caller and one of another caller.
struct FuzzedService {
    process: Child,
    addr: String,
    hostile_key: String,
    other_key: String,
    /// Its working folder; deleted at the end.
    folder: PathBuf,
}

impl FuzzedService {
    fn start(crawler: &Path, parent: &Path, database: Option<&str>) -> Result<Self> {
        let folder = parent.join(format!("run-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("config.yaml"), CONFIG)?;
        let command = || {
            let mut command = Command::new(crawler);
            command.current_dir(&folder).env_remove("DATABASE_URL");
            if let Some(url) = database {
                command.env("DATABASE_URL", url);
            }
            command
        };
        let key_of = |name| -> Result<String> {
            let key = output_of(command().args(["keys", "add", name]))?;
            Ok(key.trim().to_owned())
        };
        let (hostile_key, other_key) = (key_of("hostile")?, key_of("neighbor")?);
        let process = command()
            .args(["serve", "--addr", "127.0.0.1:0", "--log-format", "json"])
            .env("RUST_LOG", "info")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start the service")?;
        let mut service = Self {
            process,
            addr: String::new(),
            hostile_key,
            other_key,
            folder,
        };
        service.addr = service.logged_addr()?;
        Ok(service)
    }

    /// Address that the service listens on. Its log is read until it exits, so that a full pipe never blocks it.
    fn logged_addr(&mut self) -> Result<String> {
        let log = self
            .process
            .stderr
            .take()
            .context("the service has no stderr")?;
        let mut lines = BufReader::new(log).lines();
        let addr = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let line: Value = serde_json::from_str(&line).ok()?;
            let is_listening = line["message"] == "listening";
            is_listening.then(|| line["addr"].as_str().map(str::to_owned))?
        });
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        addr.context("the service's log does not name its address")
    }

    /// Sends the hostile requests, then those of schemathesis, while the probes measure.
    fn fuzz(mut self, schemathesis: Option<&Path>, arguments: Arguments) -> Result<()> {
        let idle = RequestProbe::start(&self.addr, Probed::health());
        std::thread::sleep(IDLE_TIME);
        idle.finish()
            .context("before anything else was requested: is the machine busy?")?;
        let health = RequestProbe::start(&self.addr, Probed::health());
        let other = RequestProbe::start(&self.addr, Probed::other_caller(&self.other_key));
        let attacked = hostile::attack(&self.addr, &self.hostile_key, arguments.cases);
        let (healthy, served) = (health.finish(), other.finish());
        let health = RequestProbe::start(&self.addr, Probed::health());
        let fuzzed = schemathesis.map_or(Ok(()), |program| self.run(program, arguments.examples));
        let still_healthy = health.finish();
        let is_running = self.process.try_wait()?.is_none();
        attacked
            .and(fuzzed)
            .and(healthy)
            .and(served)
            .and(still_healthy)?;
        if !is_running {
            bail!("the service exited during the run");
        }
        Ok(())
    }

    fn run(&self, schemathesis: &Path, examples: u32) -> Result<()> {
        let sources = root().join("xtask/src/api_fuzz");
        let authorization = format!("Authorization: Bearer {}", self.hostile_key);
        run(Command::new(schemathesis)
            .arg("--config-file")
            .arg(sources.join("schemathesis.toml"))
            .args(["run", &format!("http://{}/openapi.json", self.addr)])
            .args(["--header", &authorization])
            .args(["--checks", "all", "--continue-on-failure"])
            // DELETE cancels a job; the job and its results stay readable.
            .args(["--exclude-checks", "use_after_free"])
            .args(["--max-examples", &examples.to_string()])
            .args(["--request-timeout", "30"])
            .args(["--suppress-health-check", "all"])
            .env("SCHEMATHESIS_HOOKS", sources.join("hooks.py"))
            .current_dir(&self.folder))
    }
}

impl Drop for FuzzedService {
    fn drop(&mut self) {
        // It has already exited if it failed.
        let _ = self.process.kill();
        let _ = self.process.wait();
        // Nothing reads what is left.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, parse};

    #[test]
    fn cases_and_examples_are_numbers() {
        let parsed = |cases, examples| Arguments { cases, examples };
        assert_eq!(parse(&[]).unwrap(), parsed(20_000, 200));
        assert_eq!(
            parse(&["--examples", "0", "--cases", "300"]).unwrap(),
            parsed(300, 0)
        );
        assert!(parse(&["--cases"]).is_err());
        assert!(parse(&["--cases", "many"]).is_err());
    }
}
