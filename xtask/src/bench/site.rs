//! The crawled site, in a process of its own that counts its requests.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::machine;

/// A site that was idle for this long has nothing left to do.
const IDLE_TIME: Duration = Duration::from_millis(100);
const TIMEOUT: Duration = Duration::from_secs(30);

/// A running site.
pub(crate) struct Site {
    server: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// URL of its root.
    pub(crate) url: String,
}

impl Site {
    /// Serves this many pages of 3 KB with ten links each.
    pub(crate) fn start(program: &Path, pages: u64) -> Result<Self> {
        let graph = ["graph", "--body", "3000", "--links", "10"];
        Self::with_pages(program, &graph, pages)
    }

    /// Serves this many pages that are built by scripts.
    pub(crate) fn routed(program: &Path, pages: u64) -> Result<Self> {
        Self::with_pages(program, &["routed"], pages)
    }

    fn with_pages(program: &Path, args: &[&str], pages: u64) -> Result<Self> {
        let pages = pages.to_string();
        Self::spawn(Command::new(program).args(args).args(["--pages", &pages]))
    }

    /// Serves the site that the arguments describe, on one core.
    pub(crate) fn on_core(core: &str, program: &Path, args: &[String]) -> Result<Self> {
        Self::spawn(
            Command::new("taskset")
                .args(["--cpu-list", core])
                .arg(program)
                .args(args),
        )
    }

    fn spawn(command: &mut Command) -> Result<Self> {
        let mut server = command
            .arg("--counts")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start testsite")?;
        let stdin = server.stdin.take().context("its stdin")?;
        let mut stdout = BufReader::new(server.stdout.take().context("its stdout")?);
        let mut url = String::new();
        stdout.read_line(&mut url)?;
        if url.is_empty() {
            bail!("testsite did not start: {command:?}");
        }
        Ok(Self {
            server,
            stdin,
            stdout,
            url: url.trim().to_owned(),
        })
    }

    /// Fails unless each page was requested exactly once, and nothing else but robots.txt.
    pub(crate) fn check_each_once(&mut self, pages: u64) -> Result<()> {
        let counts = self.counts()?;
        if let Some((target, requests)) = counts.iter().find(|(_, requests)| **requests != 1) {
            bail!("{target} was requested {requests} times");
        }
        if counts.len() as u64 != pages {
            bail!("{} pages were requested, not {pages}", counts.len());
        }
        Ok(())
    }

    /// Number of requests by target, without robots.txt.
    pub(crate) fn counts(&mut self) -> Result<BTreeMap<String, u64>> {
        let mut counts = BTreeMap::new();
        for line in self.query("counts")? {
            let fields = line.split_once(' ');
            let (requests, target) = fields.with_context(|| format!("no count in {line:?}"))?;
            counts.insert(target.to_owned(), requests.parse()?);
        }
        counts.remove("/robots.txt");
        Ok(counts)
    }

    /// The targets of all its pages, requested or not.
    pub(crate) fn pages(&mut self) -> Result<Vec<String>> {
        self.query("pages")
    }

    /// Resets the counts once the site is idle: a client that stops in the middle, as wrk does, leaves requests
    /// that are still to be read.
    pub(crate) fn reset(&mut self) -> Result<()> {
        let started = Instant::now();
        loop {
            let before = self.processor()?;
            std::thread::sleep(IDLE_TIME);
            if self.processor()? == before {
                break;
            }
            if started.elapsed() > TIMEOUT {
                bail!("testsite does not become idle");
            }
        }
        self.query("reset").map(drop)
    }

    /// CPU time so far.
    pub(crate) fn processor(&self) -> Result<Duration> {
        machine::threads(self.server.id())
    }

    fn query(&mut self, command: &str) -> Result<Vec<String>> {
        writeln!(self.stdin, "{command}")?;
        self.stdin.flush()?;
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line)? == 0 {
                bail!("testsite has exited");
            }
            let line = line.trim_end();
            if line.is_empty() {
                return Ok(lines);
            }
            lines.push(line.to_owned());
        }
    }

    /// Address it listens on.
    pub(crate) fn addr(&self) -> Result<SocketAddr> {
        let text = self.url.trim_start_matches("http://");
        Ok(text.trim_end_matches('/').parse()?)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
