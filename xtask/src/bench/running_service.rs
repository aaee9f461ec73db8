//! `crawler serve`, the release binary, on a store.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::bench_setup::BenchSetup;
use super::http::{request, request_json};

/// Politeness limits lifted, everything else at its default.
const CONFIGURATION: &str = "\
worker:
  pool_size: 64
  per_host_concurrency: 256
  per_host_rps: 0
egress:
  allow: [127.0.0.1]
jobs:
  max_tasks: 10000000
";

const TIMEOUT: Duration = Duration::from_mins(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The store that a service uses.
#[derive(Clone)]
pub(crate) enum StoreLocation {
    Sqlite(PathBuf),
    Postgres(String),
}

/// A running service.
pub(crate) struct RunningService {
    server: Child,
    pub(crate) addr: SocketAddr,
}

impl RunningService {
    /// Starts it and waits until it is ready.
    pub(crate) fn start(setup: &BenchSetup, location: &StoreLocation) -> Result<Self> {
        let file = setup.folder.join("config.yaml");
        std::fs::write(&file, CONFIGURATION)?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let addr = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let mut command = Command::new(&setup.crawler);
        command
            .arg("serve")
            .arg("--quiet")
            .current_dir(&setup.folder)
            .env("CONFIG_PATH", &file)
            .env("HTTP_ADDR", addr.to_string())
            .env_remove("DATABASE_URL")
            .stdin(Stdio::null());
        match location {
            StoreLocation::Postgres(url) => command.env("DATABASE_URL", url),
            StoreLocation::Sqlite(path) => {
                let configuration = format!("{CONFIGURATION}store:\n  path: {}\n", path.display());
                std::fs::write(&file, configuration)?;
                &mut command
            }
        };
        let server = command.spawn().context("cannot start crawler serve")?;
        let mut running = Self { server, addr };
        let started = Instant::now();
        while !request(addr, "GET", "/readyz", "").is_ok_and(|response| response.status == 200) {
            if let Some(status) = running.server.try_wait()? {
                bail!("crawler serve ended with {status}");
            }
            if started.elapsed() > TIMEOUT {
                bail!("crawler serve is not ready after {TIMEOUT:?}");
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(running)
    }

    /// Creates a job and waits until it ends; returns the job and how long it took.
    pub(crate) fn job(&self, path: &str, body: &Value) -> Result<(Value, Duration)> {
        let started = Instant::now();
        let created = request_json(self.addr, "POST", path, &body.to_string())?;
        let path = format!("/v1/jobs/{}", created["id"].as_str().context("a job's id")?);
        loop {
            let job = request_json(self.addr, "GET", &path, "")?;
            let elapsed = started.elapsed();
            match job["status"].as_str() {
                Some("queued" | "running") if elapsed < TIMEOUT => {
                    std::thread::sleep(POLL_INTERVAL);
                }
                Some("completed") => return Ok((job, elapsed)),
                _ => bail!("after {elapsed:.1?} the job is {job}"),
            }
        }
    }

    /// Resident memory in bytes.
    pub(crate) fn resident(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line
            .and_then(|line| line.trim().strip_suffix(" kB"))
            .and_then(|number| number.trim().parse::<u64>().ok())
            .context("no VmRSS")?;
        Ok(kilobytes * 1_024)
    }

    /// CPU time so far.
    pub(crate) fn processor(&self) -> Result<Duration> {
        super::machine::processor(self.server.id())
    }
}

impl Drop for RunningService {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
